/**
 * The token module: how much oGPU there is, was minted and was burned, and how much will ever be. It mints
 * the block's emission. Balances themselves are ordinary account balances.
 */
import type { ParseAbi } from "viem";
import { parseAbi } from "viem/utils";
import { bigintToBytes, bytes32, bytesToBigint, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { type EmissionSchedule, emissionOfBlock, totalEmission } from "../../../genesis/emission.ts";
import type { BlockEnvironment } from "../../execution/environment.ts";
import type { StateReader } from "../../state/reader.ts";
import type { WorkingState } from "../../state/working-state.ts";
import { TOKEN_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, ModuleRevert } from "../module-call.ts";

const TOKEN_SIGNATURES = [
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function cap() view returns (uint256)",
  "function genesisSupply() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function minted() view returns (uint256)",
  "function burned() view returns (uint256)",
  "function emissionOf(uint256 blockNumber) view returns (uint256)",
  "function emissionLeft() view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function burn() payable",
  "event Burned(address indexed account, uint256 amount)",
] as const;

export const tokenAbi: ParseAbi<typeof TOKEN_SIGNATURES> = parseAbi(TOKEN_SIGNATURES);

const MINTED_SLOT: Hex = bytesToHex(bytes32(0n));
const BURNED_SLOT: Hex = bytesToHex(bytes32(1n));
const GENESIS_SLOT: Hex = bytesToHex(bytes32(2n));

export interface TokenParameters {
  readonly cap: bigint;
  readonly emission: EmissionSchedule;
}

/** Totals at the end of a block: genesis + minted - burned is the sum of all balances. */
export interface Supply {
  readonly genesis: bigint;
  readonly minted: bigint;
  readonly burned: bigint;
}

export function readSupply(state: StateReader): Supply {
  const read = (slot: Hex): bigint => bytesToBigint(state.storage(TOKEN_ADDRESS, slot));
  return { genesis: read(GENESIS_SLOT), minted: read(MINTED_SLOT), burned: read(BURNED_SLOT) };
}

/** Called once, when the genesis state is built. */
export function writeGenesisSupply(state: WorkingState, supply: bigint): void {
  state.setStorage(TOKEN_ADDRESS, GENESIS_SLOT, bigintToBytes(supply));
}

export function createTokenModule({ cap, emission }: TokenParameters): NativeModule {
  const minted = (call: ModuleCall): bigint => call.read(MINTED_SLOT) + call.supplyInBlock().minted;
  const burned = (call: ModuleCall): bigint => call.read(BURNED_SLOT) + call.supplyInBlock().burned;
  return defineModule({
    name: "token",
    address: TOKEN_ADDRESS,
    abi: tokenAbi,
    handlers: {
      name: () => "OpenGPU",
      symbol: () => "oGPU",
      decimals: () => 18,
      cap: () => cap,
      genesisSupply: (call) => call.read(GENESIS_SLOT),
      totalSupply: (call) => call.read(GENESIS_SLOT) + minted(call) - burned(call),
      minted,
      burned,
      emissionOf: (_call, blockNumber) => emissionOfBlock(emission, blockNumber),
      emissionLeft: (call) => totalEmission(emission) - minted(call),
      balanceOf: (call, account) => call.balance(account.toLowerCase() as Hex),
      burn: (call) => {
        const { caller, value } = call.message;
        if (value === 0n) throw new ModuleRevert("send the amount to burn with the call");
        call.burn(value);
        call.emit(tokenAbi, "Burned", { account: caller, amount: value });
      },
    },
    endBlock: (state, environment) => endBlock(state, environment, cap, emission),
  });
}

/** Mints the block's emission to its proposer and adds the block's mints and burns to the totals. */
function endBlock(state: WorkingState, environment: BlockEnvironment, cap: bigint, emission: EmissionSchedule): void {
  const before = readSupply(state);
  const reward = emissionOfBlock(emission, environment.number);
  // The chain spec's verification makes this impossible; the cap does not rest on it alone.
  assert(before.genesis + before.minted + state.minted + reward <= cap, "the supply stays within its cap");
  if (reward > 0n) state.mint(environment.coinbase, reward);
  const add = (slot: Hex, total: bigint, added: bigint): void => {
    if (added > 0n) state.setStorage(TOKEN_ADDRESS, slot, bigintToBytes(total + added));
  };
  add(MINTED_SLOT, before.minted, state.minted);
  add(BURNED_SLOT, before.burned, state.burned);
}
