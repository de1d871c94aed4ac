/** The precompile 0x09 (EIP-152) on our compression function. */
import { EVMError, type ExecResult, type PrecompileInput } from "@ethereumjs/evm";
import { createAddressFromString, type Address as EvmAddress } from "@ethereumjs/util";
import { blake2f } from "./blake2f.ts";

export const BLAKE2F_ADDRESS: EvmAddress = createAddressFromString("0x0000000000000000000000000000000000000009");

/** rounds (4 bytes), then F's input. */
const INPUT_BYTES = 213;

/** One gas per round. Input of another length, or with a flag that is neither 0 nor 1, takes all the gas. */
export function blake2fPrecompile({ data, gasLimit }: PrecompileInput): ExecResult {
  if (data.length !== INPUT_BYTES || (data[INPUT_BYTES - 1] as number) > 1) {
    return failed(EVMError.errorMessages.OUT_OF_RANGE, gasLimit);
  }
  const rounds = new DataView(data.buffer, data.byteOffset).getUint32(0);
  if (BigInt(rounds) > gasLimit) return failed(EVMError.errorMessages.OUT_OF_GAS, gasLimit);
  return { executionGasUsed: BigInt(rounds), returnValue: blake2f(rounds, data.subarray(4)) };
}

function failed(error: EVMError["error"], gasLimit: bigint): ExecResult {
  return { executionGasUsed: gasLimit, returnValue: new Uint8Array(0), exceptionError: new EVMError(error) };
}
