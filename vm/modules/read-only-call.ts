/** Reads a module's state outside of a block, by the same functions that its handlers use. */
import type { BlockEnvironment } from "../execution/environment.ts";
import type { Address } from "../state/account.ts";
import type { StateReader } from "../state/reader.ts";
import { WorkingState } from "../state/working-state.ts";
import { ModuleCall } from "./module-call.ts";
import type { ParameterStore } from "./parameter-store.ts";

/** No block: what depends on one is not asked for here. */
export const NO_BLOCK: BlockEnvironment = {
  number: 0n,
  timestamp: 0n,
  milliseconds: 0,
  consensus: undefined,
  coinbase: "0x0000000000000000000000000000000000000000",
  gasLimit: 0n,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
  blockHash: () => undefined,
};

export function readOnlyCall(address: Address, state: StateReader, parameters?: ParameterStore): ModuleCall {
  const module = { address, ...(parameters && { parameters }) };
  return ModuleCall.ofProtocol(module, new WorkingState(state), NO_BLOCK, true);
}
