/** KECCAK256, MLOAD, MSTORE, MSTORE8, MSIZE, MCOPY. */
import { bytesToBigint } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import type { Frame } from "./frame.ts";
import { COPY_WORD_GAS, charge, KECCAK_WORD_GAS, reach, wordsOf } from "./gas.ts";
import { type Opcode, opcode } from "./opcode.ts";
import { push } from "./stack.ts";
import { readWord, writeWord } from "./words.ts";

function keccak(frame: Frame): void {
  const { machine } = frame;
  const top = frame.sp - 1;
  const length = machine.stack[top - 1] as bigint;
  const at = reach(frame, machine.stack[top] as bigint, length);
  if (at < 0) return;
  const size = Number(length);
  if (!charge(frame, KECCAK_WORD_GAS * wordsOf(size))) return;
  machine.stack[top - 1] = bytesToBigint(keccak256(machine.memory.subarray(at, at + size)));
  frame.sp = top;
}

function mload(frame: Frame): void {
  const { machine } = frame;
  const top = frame.sp - 1;
  const at = reach(frame, machine.stack[top] as bigint, 32n);
  if (at >= 0) machine.stack[top] = readWord(machine.memoryView, at);
}

function mstore(frame: Frame): void {
  const { machine } = frame;
  const top = frame.sp - 1;
  const at = reach(frame, machine.stack[top] as bigint, 32n);
  if (at < 0) return;
  writeWord(machine.memoryView, at, machine.stack[top - 1] as bigint);
  frame.sp = top - 1;
}

function mstore8(frame: Frame): void {
  const { machine } = frame;
  const top = frame.sp - 1;
  const at = reach(frame, machine.stack[top] as bigint, 1n);
  if (at < 0) return;
  machine.memory[at] = Number((machine.stack[top - 1] as bigint) & 0xffn);
  frame.sp = top - 1;
}

function msize(frame: Frame): void {
  push(frame, BigInt(frame.memorySize));
}

/** EIP-5656. */
function mcopy(frame: Frame): void {
  const { stack } = frame.machine;
  const top = frame.sp - 1;
  const length = stack[top - 2] as bigint;
  frame.sp = top - 2;
  const target = reach(frame, stack[top] as bigint, length);
  if (target < 0) return;
  const source = reach(frame, stack[top - 1] as bigint, length);
  if (source < 0) return;
  const size = Number(length);
  if (charge(frame, COPY_WORD_GAS * wordsOf(size))) frame.machine.memory.copyWithin(target, source, source + size);
}

export const MEMORY: readonly Opcode[] = [
  opcode(0x20, 30, 2, 1, keccak),
  opcode(0x51, 3, 1, 1, mload),
  opcode(0x52, 3, 2, 0, mstore),
  opcode(0x53, 3, 2, 0, mstore8),
  opcode(0x59, 2, 0, 1, msize),
  opcode(0x5e, 3, 3, 0, mcopy),
];
