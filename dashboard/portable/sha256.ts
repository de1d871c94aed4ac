/** Stands in for base/sha256.ts in the browser, as keccak.ts does for keccak. */
import { sha256 as hash } from "@noble/hashes/sha2.js";

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash(bytes);
}
