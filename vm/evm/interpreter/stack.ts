/** POP, PUSH0 to PUSH32, DUP, SWAP. */
import { bytesToBigint } from "../../../base/bytes.ts";
import type { Frame } from "./frame.ts";
import { type Opcode, type OpcodeHandler, opcode } from "./opcode.ts";
import { SMALL } from "./words.ts";

export function push(frame: Frame, word: bigint): void {
  frame.machine.stack[frame.sp++] = word;
}

function pop(frame: Frame): void {
  frame.sp--;
}

function push0(frame: Frame): void {
  frame.machine.stack[frame.sp++] = 0n;
}

function push1(frame: Frame): void {
  frame.machine.stack[frame.sp++] = SMALL[frame.code[frame.pc++] ?? 0] as bigint;
}

/** Up to six bytes are exact as a number. */
const NUMBER_BYTES = 6;

function pushNumber(length: number): OpcodeHandler {
  return (frame) => {
    const { code, pc } = frame;
    let value = 0;
    // Data that the code ends in reads as if zeros came after it.
    for (let i = pc; i < pc + length; i++) value = value * 256 + (i < code.length ? (code[i] as number) : 0);
    frame.pc = pc + length;
    push(frame, BigInt(value));
  };
}

/** Making an integer of many bytes takes long, for three gas: it is made once. */
function pushInteger(length: number): OpcodeHandler {
  return (frame) => {
    const { code, pc } = frame;
    frame.analysis ??= frame.machine.codes.of(frame.codeHash);
    let value = frame.analysis.push(pc);
    if (value === undefined) {
      const missing = Math.max(pc + length - code.length, 0);
      value = bytesToBigint(code.subarray(pc, pc + length)) << BigInt(8 * missing);
      frame.analysis.keepPush(pc, value);
    }
    frame.pc = pc + length;
    push(frame, value);
  };
}

function dup(depth: number): OpcodeHandler {
  return (frame) => {
    const { stack } = frame.machine;
    const { sp } = frame;
    stack[sp] = stack[sp - depth] as bigint;
    frame.sp = sp + 1;
  };
}

function swap(depth: number): OpcodeHandler {
  return (frame) => {
    const { stack } = frame.machine;
    const top = frame.sp - 1;
    const word = stack[top] as bigint;
    stack[top] = stack[top - depth] as bigint;
    stack[top - depth] = word;
  };
}

/** Numbers from `first` to `last`. */
function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

export const STACK: readonly Opcode[] = [
  opcode(0x50, 2, 1, 0, pop),
  opcode(0x5f, 2, 0, 1, push0),
  opcode(0x60, 3, 0, 1, push1),
  ...range(2, NUMBER_BYTES).map((n) => opcode(0x5f + n, 3, 0, 1, pushNumber(n))),
  ...range(NUMBER_BYTES + 1, 32).map((n) => opcode(0x5f + n, 3, 0, 1, pushInteger(n))),
  ...range(1, 16).map((n) => opcode(0x7f + n, 3, n, n + 1, dup(n))),
  ...range(1, 16).map((n) => opcode(0x8f + n, 3, n + 1, n + 1, swap(n))),
];
