/** 0x10 to 0x1e: comparisons, bits and shifts. */
import { binary, toSigned } from "./arithmetic.ts";
import type { Frame } from "./frame.ts";
import { type Opcode, opcode } from "./opcode.ts";
import { MAX_WORD, SIGN_BIT } from "./words.ts";

function lt(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 2;
  stack[at] = (stack[at + 1] as bigint) < (stack[at] as bigint) ? 1n : 0n;
  frame.sp = at + 1;
}

function gt(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 2;
  stack[at] = (stack[at + 1] as bigint) > (stack[at] as bigint) ? 1n : 0n;
  frame.sp = at + 1;
}

function eq(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 2;
  stack[at] = stack[at + 1] === stack[at] ? 1n : 0n;
  frame.sp = at + 1;
}

function isZero(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 1;
  stack[at] = stack[at] === 0n ? 1n : 0n;
}

function and(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 2;
  stack[at] = (stack[at + 1] as bigint) & (stack[at] as bigint);
  frame.sp = at + 1;
}

function not(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 1;
  stack[at] = MAX_WORD - (stack[at] as bigint);
}

function byte(index: bigint, word: bigint): bigint {
  return index > 31n ? 0n : (word >> (8n * (31n - index))) & 0xffn;
}

function shl(shift: bigint, word: bigint): bigint {
  return shift > 255n ? 0n : BigInt.asUintN(256, word << shift);
}

function shr(shift: bigint, word: bigint): bigint {
  return shift > 255n ? 0n : word >> shift;
}

function sar(shift: bigint, word: bigint): bigint {
  if (word < SIGN_BIT) return shr(shift, word);
  return shift > 255n ? MAX_WORD : BigInt.asUintN(256, toSigned(word) >> shift);
}

/** EIP-7939. */
function countLeadingZeros(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 1;
  const word = stack[at] as bigint;
  stack[at] = word === 0n ? 256n : BigInt(256 - bitLength(word));
}

function bitLength(word: bigint): number {
  const hex = word.toString(16);
  return 4 * hex.length - Math.clz32(Number.parseInt(hex.charAt(0), 16)) + 28;
}

export const LOGIC: readonly Opcode[] = [
  opcode(0x10, 3, 2, 1, lt),
  opcode(0x11, 3, 2, 1, gt),
  opcode(
    0x12,
    3,
    2,
    1,
    binary((a, b) => (toSigned(a) < toSigned(b) ? 1n : 0n)),
  ),
  opcode(
    0x13,
    3,
    2,
    1,
    binary((a, b) => (toSigned(a) > toSigned(b) ? 1n : 0n)),
  ),
  opcode(0x14, 3, 2, 1, eq),
  opcode(0x15, 3, 1, 1, isZero),
  opcode(0x16, 3, 2, 1, and),
  opcode(
    0x17,
    3,
    2,
    1,
    binary((a, b) => a | b),
  ),
  opcode(
    0x18,
    3,
    2,
    1,
    binary((a, b) => a ^ b),
  ),
  opcode(0x19, 3, 1, 1, not),
  opcode(0x1a, 3, 2, 1, binary(byte)),
  opcode(0x1b, 3, 2, 1, binary(shl)),
  opcode(0x1c, 3, 2, 1, binary(shr)),
  opcode(0x1d, 3, 2, 1, binary(sar)),
];

export const OSAKA_LOGIC: readonly Opcode[] = [opcode(0x1e, 5, 1, 1, countLeadingZeros)];
