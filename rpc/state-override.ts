/** The third and fourth parameter of eth_call: accounts, and a block, that are other than they are. */
import { hexToBytes } from "../base/bytes.ts";
import type { BlockEnvironment } from "../vm/execution/environment.ts";
import { type AccountOverride, type StateOverrides, slotValue } from "../vm/state/state-override.ts";
import { MAX_OVERRIDDEN_SLOTS, MAX_OVERRIDES } from "./limits.ts";
import {
  address,
  data,
  hash,
  list,
  mapped,
  named,
  object,
  type Parameter,
  quantity,
  slot,
  smallQuantity,
  table,
} from "./parameters.ts";
import { invalidParams } from "./rpc-error.ts";

const slots = table(slot, mapped(hash, slotValue), MAX_OVERRIDDEN_SLOTS);

const accountOverride: Parameter<AccountOverride> = mapped(
  object("an account's override: an object with balance, nonce, code, state or stateDiff", {
    balance: quantity,
    nonce: smallQuantity,
    code: data,
    state: slots,
    stateDiff: slots,
    movePrecompileToAddress: address,
  }),
  ({ movePrecompileToAddress, ...override }, where) => {
    if (override.state !== undefined && override.stateDiff !== undefined) {
      throw invalidParams(`${where} has both state and stateDiff`);
    }
    return { ...override, movePrecompileTo: movePrecompileToAddress };
  },
);

export const NO_OVERRIDES: StateOverrides = new Map();

export const stateOverrides: Parameter<StateOverrides> = named(
  "stateOverrides",
  table(address, accountOverride, MAX_OVERRIDES),
);

/** What of a block is other than it is. */
export interface BlockOverrides {
  readonly number?: bigint | undefined;
  readonly timestamp?: bigint | undefined;
  readonly gasLimit?: bigint | undefined;
  readonly coinbase?: `0x${string}` | undefined;
  readonly prevRandao?: Uint8Array | undefined;
  readonly baseFeePerGas?: bigint | undefined;
  readonly blobBaseFee?: bigint | undefined;
}

/** 32 bytes; some libraries send the number. */
const random: Parameter<Uint8Array> = mapped(slot, hexToBytes);

/** By the names of the specification, and by those that Ethereum's clients have had before. */
export const blockOverrides: Parameter<BlockOverrides> = mapped(
  named(
    "blockOverrides",
    object("a block's overrides: an object with number, time, gasLimit...", {
      number: smallQuantity,
      time: smallQuantity,
      gasLimit: smallQuantity,
      feeRecipient: address,
      coinbase: address,
      prevRandao: random,
      random,
      difficulty: quantity,
      baseFeePerGas: quantity,
      baseFee: quantity,
      blobBaseFee: quantity,
      withdrawals: list(hash, 0),
    }),
  ),
  ({
    number,
    time,
    gasLimit,
    feeRecipient,
    coinbase,
    prevRandao,
    random: other,
    baseFeePerGas,
    baseFee,
    blobBaseFee,
  }) => ({
    number,
    timestamp: time,
    gasLimit,
    coinbase: feeRecipient ?? coinbase,
    prevRandao: prevRandao ?? other,
    baseFeePerGas: baseFeePerGas ?? baseFee,
    blobBaseFee,
  }),
);

export const NO_BLOCK_OVERRIDES: BlockOverrides = {};

export function overriddenEnvironment(environment: BlockEnvironment, overrides: BlockOverrides): BlockEnvironment {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...environment, ...Object.fromEntries(given) };
}
