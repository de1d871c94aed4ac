/** Bytes and hexadecimal text. Pure, runs in a browser. */
import type { BaseErrorCode } from "./error-codes.ts";
import { CodedError } from "./errors.ts";

export type Hex = `0x${string}`;

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** The codes of a byte's two digits, the first in the high half. */
const DIGITS: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  const text = byte.toString(16).padStart(2, "0");
  return (text.charCodeAt(0) << 8) | text.charCodeAt(1);
});

/** Up to here one call makes the text: a call takes a limited number of arguments. */
const SHORT_HEX_BYTES = 256;
const latin1 = new TextDecoder("latin1");

/**
 * Lower-case hex with `0x`. Made from codes, not by adding up pieces of text: that would leave a tree of pieces which
 * is flattened when the text is first looked up in a map, a third of the speed in all (measured).
 */
export function bytesToHex(bytes: Uint8Array): Hex {
  const length = 2 + 2 * bytes.length;
  const codes: number[] | Uint8Array =
    bytes.length <= SHORT_HEX_BYTES ? new Array<number>(length) : new Uint8Array(length);
  codes[0] = 0x30;
  codes[1] = 0x78;
  for (let i = 0; i < bytes.length; i++) {
    const digits = DIGITS[bytes[i] as number] as number;
    codes[2 * i + 2] = digits >> 8;
    codes[2 * i + 3] = digits & 0xff;
  }
  return (Array.isArray(codes) ? String.fromCharCode.apply(null, codes) : latin1.decode(codes)) as Hex;
}

/** The value of a digit by its code, and -1 for what is none: half the time of comparing codes (measured). */
const DIGIT_VALUES: Int8Array = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);

function digit(text: string, position: number): number {
  return DIGIT_VALUES[text.charCodeAt(position)] ?? -1;
}

/** Bytes of `0x`-prefixed hex of either case. Throws BAD_HEX on anything else. */
export function hexToBytes(hex: string): Uint8Array {
  if (!hex.startsWith("0x") || hex.length % 2 !== 0) {
    throw new CodedError<BaseErrorCode>("BAD_HEX", "expected hexadecimal text of even length that starts with 0x", {
      length: hex.length,
    });
  }
  const bytes = new Uint8Array(hex.length / 2 - 1);
  for (let i = 0; i < bytes.length; i++) {
    const high = digit(hex, 2 * i + 2);
    const low = digit(hex, 2 * i + 3);
    if (high < 0 || low < 0) {
      throw new CodedError<BaseErrorCode>("BAD_HEX", `not a hexadecimal digit at position ${2 * i + 2}`, {
        position: 2 * i + 2,
      });
    }
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic order, shorter first on a common prefix (LevelDB's order). */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Integers go through these 32 bytes, a word of 64 bits at a time: by way of hexadecimal text takes twice as long. */
const wordBytes = new Uint8Array(32);
const words = new DataView(wordBytes.buffer);

/** Big-endian unsigned integer of the bytes; the empty string is zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const { length } = bytes;
  if (length <= 6) {
    let value = 0;
    for (let i = 0; i < length; i++) value = value * 256 + (bytes[i] as number);
    return BigInt(value);
  }
  if (length > 32) return BigInt(bytesToHex(bytes));
  wordBytes.fill(0, 0, 32 - length);
  for (let i = 0; i < length; i++) wordBytes[32 - length + i] = bytes[i] as number;
  let value = words.getBigUint64(24);
  if (length > 8) value |= words.getBigUint64(16) << 64n;
  if (length > 16) value |= (words.getBigUint64(8) << 128n) | (words.getBigUint64(0) << 192n);
  return value;
}

/** Shortest big-endian form; zero is the empty string (RLP's integers, storage values). */
export function bigintToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  if (value < 0n || value >> 256n !== 0n) {
    const hex = value.toString(16);
    return hexToBytes(hex.length % 2 === 0 ? `0x${hex}` : `0x0${hex}`);
  }
  let at = 24;
  for (let rest = value; ; at -= 8) {
    words.setBigUint64(at, BigInt.asUintN(64, rest));
    rest >>= 64n;
    if (rest === 0n) break;
  }
  while (wordBytes[at] === 0) at++;
  const bytes = new Uint8Array(32 - at);
  for (let i = at; i < 32; i++) bytes[i - at] = wordBytes[i] as number;
  return bytes;
}

/** `bytes` right-aligned in `length` bytes of zeros. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) {
    throw new CodedError<BaseErrorCode>("TOO_LONG", `${bytes.length} bytes do not fit in ${length}`, {
      length: bytes.length,
    });
  }
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
}

/** Without leading zero bytes. */
export function stripLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.subarray(start);
}

export function bytes32(value: bigint): Uint8Array {
  return padLeft(bigintToBytes(value), 32);
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
