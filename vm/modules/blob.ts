/**
 * Bytes that modules keep as code is kept: beside the state's tree, which has only their hash, so that snapshots carry them
 * and 24 kB cost one leaf. Each is the code of an account of its own, named by the module and keys.
 */
import { concatBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { Address } from "../state/account.ts";
import type { ModuleCall } from "./module-call.ts";
import { type StorageKey, slotOf } from "./storage.ts";

/** As a contract is created, and what each byte of its code costs. */
const BLOB_GAS = 32_000n;
export const CODE_BYTE_GAS = 200n;
const REMOVE_GAS = 5_000n;
/** In front of the bytes: a contract that calls the account runs into an invalid instruction, whatever the bytes are. */
const INVALID = new Uint8Array([0xfe]);
/** What code may have (EIP-170), less that. */
export const MAX_BLOB_BYTES = 24_575;

/** A hash is an address that nobody has a key for. */
function blobAddress(module: Address, keys: readonly StorageKey[]): Address {
  return `0x${slotOf("blob", module, ...keys).slice(-40)}`;
}

/** `byteGas` is CODE_BYTE_GAS for what stays. */
export function writeBlob(call: ModuleCall, bytes: Uint8Array, byteGas: bigint, ...keys: readonly StorageKey[]): void {
  assert(bytes.length <= MAX_BLOB_BYTES, "a blob is not longer than code may be");
  call.charge(BLOB_GAS + byteGas * BigInt(bytes.length));
  call.setCode(blobAddress(call.address, keys), concatBytes(INVALID, bytes));
}

/** `undefined` when there is none. */
export function readBlob(call: ModuleCall, ...keys: readonly StorageKey[]): Uint8Array | undefined {
  const code = call.code(blobAddress(call.address, keys));
  return code.length === 0 ? undefined : code.subarray(INVALID.length);
}

export function hasBlob(call: ModuleCall, ...keys: readonly StorageKey[]): boolean {
  return call.hasCode(blobAddress(call.address, keys));
}

export function removeBlob(call: ModuleCall, ...keys: readonly StorageKey[]): void {
  call.charge(REMOVE_GAS);
  call.setCode(blobAddress(call.address, keys), new Uint8Array());
}
