/** Words of 256 bits: in memory, as addresses, as names of slots. */
import type { Hex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";

export const TWO_256: bigint = 2n ** 256n;
export const MAX_WORD: bigint = TWO_256 - 1n;
export const SIGN_BIT: bigint = 2n ** 255n;
const ADDRESS_MASK: bigint = 2n ** 160n - 1n;
const MASK_64: bigint = 2n ** 64n - 1n;

/** The integers of one byte, so that pushing one allocates nothing. */
export const SMALL: readonly bigint[] = Array.from({ length: 257 }, (_, n) => BigInt(n));

/** The big-endian word at `at`. */
export function readWord(view: DataView, at: number): bigint {
  const low = view.getBigUint64(at + 24);
  const second = view.getBigUint64(at + 16);
  const third = view.getBigUint64(at + 8);
  const high = view.getBigUint64(at);
  if (high === 0n && third === 0n) return second === 0n ? low : (second << 64n) | low;
  return (((high << 64n) | third) << 128n) | (second << 64n) | low;
}

export function writeWord(view: DataView, at: number, word: bigint): void {
  if (word <= MASK_64) {
    view.setBigUint64(at, 0n);
    view.setBigUint64(at + 8, 0n);
    view.setBigUint64(at + 16, 0n);
    view.setBigUint64(at + 24, word);
    return;
  }
  // setBigUint64 takes the low 64 bits of what it is given.
  view.setBigUint64(at + 24, word);
  view.setBigUint64(at + 16, word >> 64n);
  view.setBigUint64(at + 8, word >> 128n);
  view.setBigUint64(at, word >> 192n);
}

let lastWord = 0n;
let lastAddress: Address = `0x${"0".repeat(40)}`;

/** The address in the low 160 bits. Loops ask for the same one again and again. */
export function addressOf(word: bigint): Address {
  if (word === lastWord) return lastAddress;
  lastAddress = `0x${(word & ADDRESS_MASK).toString(16).padStart(40, "0")}`;
  lastWord = word;
  return lastAddress;
}

export function addressWord(word: bigint): bigint {
  return word & ADDRESS_MASK;
}

/** The 32 bytes of the word: the name of a slot, a topic. */
export function wordHex(word: bigint): Hex {
  return `0x${word.toString(16).padStart(64, "0")}`;
}

/** `length` bytes of `source` from `offset` on to `target`, zeros where the source has none. */
export function copyPadded(target: Uint8Array, at: number, source: Uint8Array, offset: bigint, length: number): void {
  const start = offset >= source.length ? source.length : Number(offset);
  const end = Math.min(start + length, source.length);
  const copied = end - start;
  if (copied > 0) target.set(copied === source.length ? source : source.subarray(start, end), at);
  if (copied < length) target.fill(0, at + copied, at + length);
}
