/**
 * The tree's keys: 512 bits. An account's key is keccak-256 of its address, followed by 256 zero bits that are
 * not written; a slot's key is its account's key, then keccak-256 of the slot. So an account's slots lie next to
 * it, and the tree's order is the order of the bytes, which is also the order of the records on disk.
 */
import { concatBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { KEY_BITS } from "./node-id.ts";
import type { TreeKey } from "./types.ts";

export const ACCOUNT_KEY_BYTES = 32;
export const SLOT_KEY_BYTES = 64;

/** `address` is 20 bytes. */
export function accountKey(address: Uint8Array): TreeKey {
  return keccak256(address);
}

/** `slot` is 32 bytes. */
export function slotKey(account: TreeKey, slot: Uint8Array): TreeKey {
  return concatBytes(account, keccak256(slot));
}

/**
 * True for 32 bytes, and for 64 whose second half is not all zeros: such a slot key would be the key of its
 * account. Keccak does not give it, but a peer might.
 */
export function isTreeKey(key: Uint8Array): boolean {
  if (key.length === ACCOUNT_KEY_BYTES) return true;
  if (key.length !== SLOT_KEY_BYTES) return false;
  for (let i = ACCOUNT_KEY_BYTES; i < SLOT_KEY_BYTES; i++) if (key[i] !== 0) return true;
  return false;
}

/** Bit `index` of a key, counted from the most significant bit of the first byte; zeros follow the last byte. */
export function bitAt(key: Uint8Array, index: number): number {
  return ((key[index >> 3] ?? 0) >> (7 - (index & 7))) & 1;
}

/**
 * The first bit in which two keys differ, 512 when in none. Keys lie at an offset with a length, and are followed
 * by zeros.
 */
export function criticalBit(
  a: Uint8Array,
  aStart: number,
  aLength: number,
  b: Uint8Array,
  bStart: number,
  bLength: number,
): number {
  const common = aLength < bLength ? aLength : bLength;
  for (let i = 0; i < common; i++) {
    const difference = (a[aStart + i] as number) ^ (b[bStart + i] as number);
    if (difference !== 0) return i * 8 + Math.clz32(difference) - 24;
  }
  for (let i = common; i < aLength; i++) {
    const rest = a[aStart + i] as number;
    if (rest !== 0) return i * 8 + Math.clz32(rest) - 24;
  }
  for (let i = common; i < bLength; i++) {
    const rest = b[bStart + i] as number;
    if (rest !== 0) return i * 8 + Math.clz32(rest) - 24;
  }
  return KEY_BITS;
}

/** The first bit in which two whole keys differ, 512 when in none. */
export function criticalBitOf(a: TreeKey, b: TreeKey): number {
  return criticalBit(a, 0, a.length, b, 0, b.length);
}
