/** The object of eth_call and its like: a transaction that nobody has signed. */
import { bytesToHex, EMPTY_BYTES, equalBytes, type Hex } from "../base/bytes.ts";
import { formatGwei } from "../base/units.ts";
import type { CallMessage, CallOutcome } from "../vm/execution/call-message.ts";
import type { BlockEnvironment } from "../vm/execution/environment.ts";
import type { Address } from "../vm/state/account.ts";
import { transactionError } from "../vm/transaction/errors.ts";
import type { AccessListEntry } from "../vm/transaction/transaction.ts";
import { MAX_ACCESS_LIST, MAX_CALL_OUTPUT_BYTES } from "./limits.ts";
import {
  address,
  data,
  list,
  mapped,
  named,
  object,
  openObject,
  type Parameter,
  quantity,
  slot,
  smallQuantity,
} from "./parameters.ts";
import { decodeRevertReason } from "./revert-reason.ts";
import { EXECUTION_REVERTED, invalidParams, REFUSED, RpcError } from "./rpc-error.ts";

export interface CallRequest {
  readonly from: Address | undefined;
  /** `undefined`: create a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly type: bigint | undefined;
  readonly chainId: bigint | undefined;
  /** Either this, or the two that follow, or none of them. */
  readonly gasPrice: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly accessList: readonly AccessListEntry[] | undefined;
}

/** Who calls when nobody is named. */
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

export const accessList: Parameter<readonly AccessListEntry[]> = list(
  mapped(
    object("an access list entry: an object with address and storageKeys", {
      address,
      storageKeys: list(slot, MAX_ACCESS_LIST),
    }),
    (entry, where) => {
      if (entry.address === undefined) throw invalidParams(`${where}.address is missing`);
      return { address: entry.address, slots: entry.storageKeys ?? [] };
    },
  ),
  MAX_ACCESS_LIST,
);

/** Only empty ones: there are no blobs, and no authorizations, on this chain. */
const none = list(data, 0);

const FIELDS = {
  from: address,
  to: address,
  value: quantity,
  data,
  input: data,
  gas: smallQuantity,
  /** What libraries call gas among themselves, and leave beside it. */
  gasLimit: smallQuantity,
  nonce: smallQuantity,
  type: smallQuantity,
  chainId: quantity,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  accessList,
  maxFeePerBlobGas: quantity,
  blobVersionedHashes: none,
  authorizationList: none,
} as const;

/** Libraries send members of their own along, such as web3.js its `chain` and `hardfork`: no node makes anything of them. */
export const callRequest: Parameter<CallRequest> = mapped(
  named("transaction", openObject("a transaction: an object with to, data, value...", FIELDS)),
  ({ input, data: legacy, gas, ...rest }, where) => {
    const isFilled = rest.maxPriorityFeePerGas !== undefined && rest.gasPrice === rest.maxFeePerGas;
    if (rest.gasPrice !== undefined && (rest.maxFeePerGas ?? rest.maxPriorityFeePerGas) !== undefined && !isFilled) {
      throw invalidParams(`${where}: both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified`);
    }
    if (input !== undefined && legacy !== undefined && !equalBytes(input, legacy)) {
      throw invalidParams(`${where}: both data and input are set, and they are not equal`);
    }
    if (rest.type !== undefined && rest.type > 2n) throw invalidParams(`${where}.type must be 0x0, 0x1 or 0x2`);
    const { from, to, nonce, type, chainId, maxFeePerGas, maxPriorityFeePerGas } = rest;
    // What eth_fillTransaction answers with has both, and viem asks eth_estimateGas with just that.
    const gasPrice = isFilled ? undefined : rest.gasPrice;
    return {
      ...{ from, to, nonce, type, chainId, gasPrice, maxFeePerGas, maxPriorityFeePerGas },
      value: rest.value ?? 0n,
      data: input ?? legacy ?? EMPTY_BYTES,
      gasLimit: gas ?? rest.gasLimit,
      accessList: rest.accessList,
    };
  },
);

/** A call that is meant for another chain is a mistake, as a transaction would be. A request without one is for any. */
export function requireChain(
  { chainId }: Pick<CallRequest, "chainId">,
  ours: bigint,
  where = "parameter 1 (transaction)",
): void {
  if (chainId !== undefined && chainId !== ours) throw invalidParams(`${where}.chainId must be 0x${ours.toString(16)}`);
}

/** The call with all the gas that it may have. Throws TX_FEE_BELOW_BASE_FEE. */
export function messageOf(request: CallRequest, environment: BlockEnvironment, callGas: number): CallMessage {
  const { from = NOBODY, to, value, data: input, accessList: accesses = [] } = request;
  const most = environment.gasLimit < BigInt(callGas) ? environment.gasLimit : BigInt(callGas);
  const wanted = request.gasLimit ?? most;
  const gasLimit = wanted < most ? wanted : most;
  return { from, to, value, data: input, gasLimit, gasPrice: callPrice(request, environment), accessList: accesses };
}

/** Without a price, or with one of zero, gas is free. */
function callPrice(request: CallRequest, { baseFeePerGas }: BlockEnvironment): bigint {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n } = request;
  const most = gasPrice ?? maxFeePerGas ?? 0n;
  if (most === 0n) return 0n;
  if (maxPriorityFeePerGas > most) {
    throw transactionError("TX_PRIORITY_FEE_ABOVE_MAX_FEE", "the priority fee is above the maximum fee");
  }
  requireBaseFee(request, baseFeePerGas);
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  return gasPrice ?? (offered < most ? offered : most);
}

/** As a block does, which takes nothing for free. Throws TX_FEE_BELOW_BASE_FEE. */
export function requireBaseFee({ gasPrice, maxFeePerGas }: CallRequest, baseFeePerGas: bigint): void {
  const most = gasPrice ?? maxFeePerGas ?? 0n;
  if (most >= baseFeePerGas) return;
  const [pays, asks] = [formatGwei(most), formatGwei(baseFeePerGas)];
  throw transactionError("TX_FEE_BELOW_BASE_FEE", `pays at most ${pays} gwei per gas, the base fee is ${asks}`);
}

/** Why a call failed, as Ethereum's clients tell it: a revert with its reason in the message and its data in `data`. */
export function callFailure({ output, failure = "execution failed" }: CallOutcome, gasLimit: bigint): RpcError {
  if (failure !== "execution reverted") {
    return new RpcError(REFUSED, failure, { code: "CALL_FAILED", gasLimit: gasLimit.toString() });
  }
  return new RpcError(EXECUTION_REVERTED, revertMessage(output), outputText(output));
}

export function revertMessage(output: Uint8Array): string {
  const reason = decodeRevertReason(output);
  return reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
}

/** What a call returned or reverted with. Throws CALL_OUTPUT_TOO_LARGE. */
export function outputText(output: Uint8Array): Hex {
  if (output.length <= MAX_CALL_OUTPUT_BYTES) return bytesToHex(output);
  throw new RpcError(REFUSED, `response too large: a call answers with at most ${MAX_CALL_OUTPUT_BYTES} bytes`, {
    code: "CALL_OUTPUT_TOO_LARGE",
    length: output.length,
  });
}
