/** The tags of node ids, and copying ids. */
import type { NodeId } from "./types.ts";

export const ID_BYTES = 32;
export const ID_WORDS = 8;

/** Bits of a key, and so one more than the greatest depth. */
export const KEY_BITS = 512;

/** Tags of leaves. Depths end at 511, so a leaf can never be taken for an inner node. */
export const ACCOUNT_TAG = 0xffff;
export const SLOT_TAG = 0xfffe;

/** The root of the tree without leaves. Its tag would be depth 0, but no hash has 30 zero bytes. */
export const EMPTY_ROOT: NodeId = new Uint8Array(ID_BYTES);

/** The tag of a key's leaf. */
export function leafTag(keyLength: number): number {
  return keyLength === 32 ? ACCOUNT_TAG : SLOT_TAG;
}

export function isLeafTag(tag: number): boolean {
  return tag >= SLOT_TAG;
}

/** Bits that all keys below a node with this tag share. */
export function sharedBits(tag: number): number {
  return tag < KEY_BITS ? tag : KEY_BITS;
}

/** Bytes of the key that a page keeps for an entry with this tag. */
export function keyBytes(tag: number): number {
  if (tag < KEY_BITS) return (tag + 7) >> 3;
  return tag === ACCOUNT_TAG ? 32 : 64;
}

export function tagOf(id: NodeId): number {
  return ((id[0] as number) << 8) | (id[1] as number);
}

export function setTag(id: Uint8Array, tag: number): void {
  id[0] = tag >> 8;
  id[1] = tag & 0xff;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The first word of an id with its tag replaced. */
export function taggedWord(word: number, tag: number): number {
  return LITTLE_ENDIAN ? (word & 0xffff0000) | ((tag & 0xff) << 8) | (tag >> 8) : (word & 0xffff) | (tag << 16);
}

/** Copies bytes one by one: for tens of bytes `set(subarray)` takes several times as long (measured). */
export function copyBytes(from: Uint8Array, fromAt: number, to: Uint8Array, toAt: number, length: number): void {
  for (let i = 0; i < length; i++) to[toAt + i] = from[fromAt + i] as number;
}

/** Copies one id between arrays of words. */
export function copyIdWords(from: Uint32Array, fromAt: number, to: Uint32Array, toAt: number): void {
  to[toAt] = from[fromAt] as number;
  to[toAt + 1] = from[fromAt + 1] as number;
  to[toAt + 2] = from[fromAt + 2] as number;
  to[toAt + 3] = from[fromAt + 3] as number;
  to[toAt + 4] = from[fromAt + 4] as number;
  to[toAt + 5] = from[fromAt + 5] as number;
  to[toAt + 6] = from[fromAt + 6] as number;
  to[toAt + 7] = from[fromAt + 7] as number;
}
