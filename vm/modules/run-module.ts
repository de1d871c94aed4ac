/** Runs one message to a native module: decode by its ABI, dispatch, encode, or revert as a contract would. */
import type { Abi } from "viem";
import { decodeFunctionData, encodeAbiParameters, encodeFunctionData, encodeFunctionResult } from "viem/utils";
import { bytesToHex, EMPTY_BYTES, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { BlockEnvironment } from "../execution/environment.ts";
import type { Log } from "../receipt/log.ts";
import type { WorkingState } from "../state/working-state.ts";
import type { NativeModule } from "./module.ts";
import { ModuleCall, type ModuleMessage, ModuleOutOfGas, ModuleRevert } from "./module-call.ts";

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
    call = new ModuleCall(module.address, message, state, environment);
    const output = dispatch(module, call);
    return { succeeded: true, outOfGas: false, gasUsed: call.gasUsed, output, logs: call.logs };
  } catch (error) {
    state.revert(mark);
    if (error instanceof ModuleRevert) {
      const gasUsed = call === undefined ? message.gasLimit : call.gasUsed;
      return { succeeded: false, outOfGas: false, gasUsed, output: encodeRevert(error.message), logs: [] };
    }
    if (error instanceof ModuleOutOfGas) {
      return { succeeded: false, outOfGas: true, gasUsed: message.gasLimit, output: EMPTY_BYTES, logs: [] };
    }
    // A handler that throws anything else has a bug, or the disk has failed: neither is the transaction's fault, and
    // only ending the block keeps a node from answering differently than others.
    throw error;
  }
}

function dispatch(module: NativeModule, call: ModuleCall): Uint8Array {
  const { functionName, args } = decodeCall(module, call.message.data);
  const definition = module.abi.find((item) => item.type === "function" && item.name === functionName);
  const handler = module.handlers[functionName];
  assert(definition?.type === "function" && handler !== undefined, `${module.name} implements ${functionName}`);
  if (call.message.value > 0n && definition.stateMutability !== "payable") {
    throw new ModuleRevert(`${functionName} takes no money`);
  }
  const result = handler(call, ...(args as never[]));
  return hexToBytes(encodeFunctionResult({ abi: module.abi, functionName, result } as never));
}

/** Strict: the input must be exactly what the ABI would encode, so that one call has one form. */
function decodeCall(module: NativeModule, data: Uint8Array): { functionName: string; args: readonly unknown[] } {
  const hex = bytesToHex(data);
  try {
    const { functionName, args } = decodeFunctionData({ abi: module.abi as Abi, data: hex });
    if (encodeFunctionData({ abi: module.abi, functionName, args } as never) === hex) {
      return { functionName, args: args ?? [] };
    }
  } catch {
    // viem throws many kinds of errors for input that does not fit the ABI; they all mean the same to a caller.
  }
  throw new ModuleRevert(`${module.name}: no such function, or arguments that do not fit it`);
}

const ERROR_SELECTOR = "0x08c379a0";

/** Solidity's Error(string), which wallets and libraries show to people. */
export function encodeRevert(reason: string): Uint8Array {
  return hexToBytes(`${ERROR_SELECTOR}${encodeAbiParameters([{ type: "string" }], [reason]).slice(2)}`);
}
