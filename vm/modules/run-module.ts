/** Runs one message to a native module: decode by its ABI, dispatch, encode, or revert as a contract would. */
import { encodeAbiParameters } from "viem/utils";
import { EMPTY_BYTES, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { BlockEnvironment } from "../execution/environment.ts";
import type { Log } from "../receipt/log.ts";
import type { WorkingState } from "../state/working-state.ts";
import { decodeCall } from "./abi-codec.ts";
import type { NativeModule } from "./module.ts";
import { ModuleCall, type ModuleMessage, ModuleOutOfGas, ModuleRevert } from "./module-call.ts";
import { isModuleFault } from "./module-fault.ts";

export interface ModuleOutcome {
  readonly succeeded: boolean;
  readonly outOfGas: boolean;
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  readonly logs: readonly Log[];
}

/** The value has been credited; when the outcome is not a success, the caller undoes that with its frame. */
export function runModule(
  module: NativeModule,
  message: ModuleMessage,
  state: WorkingState,
  environment: BlockEnvironment,
): ModuleOutcome {
  // Money may be sent to a module as to any account: it is credited and nothing runs.
  if (message.data.length === 0) {
    return { succeeded: true, outOfGas: false, gasUsed: 0n, output: EMPTY_BYTES, logs: [] };
  }
  const mark = state.checkpoint();
  let call: ModuleCall | undefined;
  try {
    call = ModuleCall.of(module, message, state, environment);
    const output = dispatch(module, call);
    return { succeeded: true, outOfGas: false, gasUsed: call.gasUsed, output, logs: call.logs };
  } catch (error) {
    state.revert(mark);
    if (error instanceof ModuleRevert) {
      const gasUsed = call === undefined ? message.gasLimit : call.gasUsed;
      return {
        succeeded: false,
        outOfGas: false,
        gasUsed,
        output: error.output ?? encodeRevert(error.message),
        logs: [],
      };
    }
    if (error instanceof ModuleOutOfGas) {
      return { succeeded: false, outOfGas: true, gasUsed: message.gasLimit, output: EMPTY_BYTES, logs: [] };
    }
    // The disk or the memory has failed: only ending the block keeps a node from answering differently than others.
    if (!isModuleFault(error)) throw error;
    state.noteFault({ module: module.address, error });
    return { succeeded: false, outOfGas: true, gasUsed: message.gasLimit, output: EMPTY_BYTES, logs: [] };
  }
}

function dispatch(module: NativeModule, call: ModuleCall): Uint8Array {
  const decoded = decodeCall(module.abi, call.message.data);
  if (decoded === undefined) {
    throw new ModuleRevert(`${module.name}: no such function, or arguments that do not fit it`);
  }
  const { definition, args } = decoded;
  const handler = module.handlers[definition.name];
  assert(handler !== undefined, `${module.name} implements ${definition.name}`);
  if (call.message.value > 0n && definition.stateMutability !== "payable") {
    throw new ModuleRevert(`${definition.name} takes no money`);
  }
  return decoded.encodeResult(handler(call, ...(args as never[])));
}

const ERROR_SELECTOR = "0x08c379a0";

/** Solidity's Error(string), which wallets and libraries show to people. */
export function encodeRevert(reason: string): Uint8Array {
  return hexToBytes(`${ERROR_SELECTOR}${encodeAbiParameters([{ type: "string" }], [reason]).slice(2)}`);
}
