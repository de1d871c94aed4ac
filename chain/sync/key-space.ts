/**
 * The tree's keys as numbers of 512 bits, to cut the space of keys into parts. A number whose lower half is zero is an
 * account's place and written with 32 bytes, any other with 64: so the order of numbers is the order of the bytes.
 */
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { ACCOUNT_KEY_BYTES, SLOT_KEY_BYTES } from "../../vm/tree/keys.ts";
import type { TreeKey } from "../../vm/tree/types.ts";

/** A place in the space of keys; not every place is a key. */
export type Place = bigint;

/** Both ends included. */
export interface Span {
  readonly first: Place;
  readonly last: Place;
}

const KEY_BITS = BigInt(SLOT_KEY_BYTES * 8);
const SLOT_BITS = KEY_BITS / 2n;
const SLOT_MASK = (1n << SLOT_BITS) - 1n;

export const FIRST_PLACE: Place = 0n;
export const LAST_PLACE: Place = (1n << KEY_BITS) - 1n;

export function placeOf(key: TreeKey): Place {
  const place = BigInt(bytesToHex(key));
  return key.length === ACCOUNT_KEY_BYTES ? place << SLOT_BITS : place;
}

/** The bytes that stand for a place as an end of a range. */
export function keyAt(place: Place): TreeKey {
  const isAccount = (place & SLOT_MASK) === 0n;
  const digits = (isAccount ? place >> SLOT_BITS : place).toString(16);
  return hexToBytes(`0x${digits.padStart((isAccount ? ACCOUNT_KEY_BYTES : SLOT_KEY_BYTES) * 2, "0")}`);
}

/** The whole space in parts of about equal size, in order. */
export function cutSpace(parts: number): Span[] {
  const count = BigInt(parts);
  const size = 1n << KEY_BITS;
  return Array.from({ length: parts }, (_, i) => ({
    first: (size * BigInt(i)) / count,
    last: (size * BigInt(i + 1)) / count - 1n,
  }));
}

/**
 * Where to cut a part in two: the last place of the first half, or `undefined` when it has one place only. Behind a slot
 * the account's storage is cut, if it goes on: a large contract has far more leaves than its share of the space.
 */
export function middleOf({ first, last }: Span): Place | undefined {
  if (first >= last) return undefined;
  const endOfStorage = first | SLOT_MASK;
  const isInStorage = (first & SLOT_MASK) !== 0n && first < endOfStorage;
  const end = isInStorage && endOfStorage < last ? endOfStorage : last;
  return (first + end) / 2n;
}

/** The share of the whole space, from 0 to 1. */
export function shareOf({ first, last }: Span): number {
  const bits = 53n;
  return Number((last - first + 1n) >> (KEY_BITS - bits)) / Number(1n << bits);
}
