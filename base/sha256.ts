/** SHA-256 (FIPS 180-4), by one WebAssembly instance as in keccak.ts. */
import { createSHA256 } from "hash-wasm";

const hasher = await createSHA256();

export function sha256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest("binary");
}
