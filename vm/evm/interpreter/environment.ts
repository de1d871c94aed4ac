/** 0x30 to 0x4a: the message, the block, and other accounts. */
import { bytesToBigint } from "../../../base/bytes.ts";
import { EMPTY_CODE_HASH, isEmptyAccount } from "../../state/account.ts";
import { type Frame, fail } from "./frame.ts";
import { COLD_ACCOUNT_EXTRA_GAS, COPY_WORD_GAS, charge, reach, WARM_ACCESS_GAS, wordsOf } from "./gas.ts";
import { type Opcode, type OpcodeHandler, opcode } from "./opcode.ts";
import { push } from "./stack.ts";
import { addressOf, copyPadded, readWord } from "./words.ts";

/** A handler that pushes what it finds in the frame. */
function read(find: (frame: Frame) => bigint): OpcodeHandler {
  return (frame) => {
    frame.machine.stack[frame.sp++] = find(frame);
  };
}

/** Where CALLDATALOAD puts its 32 bytes: a view of the input for each of them takes longer. */
const word = new Uint8Array(32);
const wordView = new DataView(word.buffer);

function callDataLoad(frame: Frame): void {
  const { stack } = frame.machine;
  const top = frame.sp - 1;
  const { input } = frame;
  const offset = stack[top] as bigint;
  if (offset >= input.length) stack[top] = 0n;
  else {
    const start = Number(offset);
    for (let i = 0; i < 32; i++) word[i] = start + i < input.length ? (input[start + i] as number) : 0;
    stack[top] = readWord(wordView, 0);
  }
}

/** A handler that copies from the bytes it finds to memory. */
function copy(find: (frame: Frame) => Uint8Array): OpcodeHandler {
  return (frame) => {
    frame.sp -= 3;
    copyToMemory(frame, find(frame), frame.sp);
  };
}

/** Arguments from `at` on, the last first: length, offset in the source, offset in memory. */
function copyToMemory(frame: Frame, source: Uint8Array, at: number): void {
  const { machine } = frame;
  const length = machine.stack[at] as bigint;
  const target = reach(frame, machine.stack[at + 2] as bigint, length);
  if (target < 0) return;
  const size = Number(length);
  if (charge(frame, COPY_WORD_GAS * wordsOf(size))) {
    copyPadded(machine.memory, target, source, machine.stack[at + 1] as bigint, size);
  }
}

/** Unlike the others, reading beyond the end is an error (EIP-211). */
function returnDataCopy(frame: Frame): void {
  const { stack } = frame.machine;
  frame.sp -= 3;
  const end = (stack[frame.sp + 1] as bigint) + (stack[frame.sp] as bigint);
  if (end > frame.returnData.length) fail(frame, "return data out of bounds");
  else copyToMemory(frame, frame.returnData, frame.sp);
}

function balance(frame: Frame): void {
  const { stack, journal, state } = frame.machine;
  const top = frame.sp - 1;
  const address = addressOf(stack[top] as bigint);
  if (journal.warmAddress(address) && !charge(frame, COLD_ACCOUNT_EXTRA_GAS)) return;
  stack[top] = state.balance(address);
}

function codeOf(frame: Frame, account: bigint): Uint8Array | undefined {
  const { journal, state } = frame.machine;
  const address = addressOf(account);
  if (journal.warmAddress(address) && !charge(frame, COLD_ACCOUNT_EXTRA_GAS)) return undefined;
  return state.code(state.account(address)?.codeHash ?? EMPTY_CODE_HASH);
}

function extCodeSize(frame: Frame): void {
  const { stack } = frame.machine;
  const top = frame.sp - 1;
  const code = codeOf(frame, stack[top] as bigint);
  if (code !== undefined) stack[top] = BigInt(code.length);
}

function extCodeCopy(frame: Frame): void {
  frame.sp -= 4;
  const code = codeOf(frame, frame.machine.stack[frame.sp + 3] as bigint);
  if (code !== undefined) copyToMemory(frame, code, frame.sp);
}

function extCodeHash(frame: Frame): void {
  const { stack, journal, state } = frame.machine;
  const top = frame.sp - 1;
  const address = addressOf(stack[top] as bigint);
  if (journal.warmAddress(address) && !charge(frame, COLD_ACCOUNT_EXTRA_GAS)) return;
  const account = state.account(address);
  stack[top] = account === undefined || isEmptyAccount(account) ? 0n : BigInt(account.codeHash);
}

/** The last 256 blocks have a hash. */
function blockHash(frame: Frame): void {
  const { stack, environment } = frame.machine;
  const top = frame.sp - 1;
  const number = stack[top] as bigint;
  const isKnown = number < environment.number && number + 256n >= environment.number;
  const hash = isKnown ? environment.blockHash(number) : undefined;
  stack[top] = hash === undefined ? 0n : bytesToBigint(hash);
}

/** No transaction has blobs. */
function blobHash(frame: Frame): void {
  frame.machine.stack[frame.sp - 1] = 0n;
}

export const ENVIRONMENT: readonly Opcode[] = [
  opcode(
    0x30,
    2,
    0,
    1,
    read((frame) => frame.addressWord),
  ),
  opcode(0x31, WARM_ACCESS_GAS, 1, 1, balance),
  opcode(
    0x32,
    2,
    0,
    1,
    read(({ machine }) => machine.originWord),
  ),
  opcode(
    0x33,
    2,
    0,
    1,
    read((frame) => frame.callerWord),
  ),
  opcode(
    0x34,
    2,
    0,
    1,
    read((frame) => frame.value),
  ),
  opcode(0x35, 3, 1, 1, callDataLoad),
  opcode(
    0x36,
    2,
    0,
    1,
    read((frame) => BigInt(frame.input.length)),
  ),
  opcode(
    0x37,
    3,
    3,
    0,
    copy((frame) => frame.input),
  ),
  opcode(0x38, 2, 0, 1, (frame) => push(frame, BigInt(frame.code.length))),
  opcode(
    0x39,
    3,
    3,
    0,
    copy((frame) => frame.code),
  ),
  opcode(
    0x3a,
    2,
    0,
    1,
    read(({ machine }) => machine.gasPrice),
  ),
  opcode(0x3b, WARM_ACCESS_GAS, 1, 1, extCodeSize),
  opcode(0x3c, WARM_ACCESS_GAS, 4, 0, extCodeCopy),
  opcode(
    0x3d,
    2,
    0,
    1,
    read((frame) => BigInt(frame.returnData.length)),
  ),
  opcode(0x3e, 3, 3, 0, returnDataCopy),
  opcode(0x3f, WARM_ACCESS_GAS, 1, 1, extCodeHash),
  opcode(0x40, 20, 1, 1, blockHash),
  opcode(
    0x41,
    2,
    0,
    1,
    read(({ machine }) => BigInt(machine.environment.coinbase)),
  ),
  opcode(
    0x42,
    2,
    0,
    1,
    read(({ machine }) => machine.environment.timestamp),
  ),
  opcode(
    0x43,
    2,
    0,
    1,
    read(({ machine }) => machine.environment.number),
  ),
  opcode(
    0x44,
    2,
    0,
    1,
    read(({ machine }) => bytesToBigint(machine.environment.prevRandao)),
  ),
  opcode(
    0x45,
    2,
    0,
    1,
    read(({ machine }) => machine.environment.gasLimit),
  ),
  opcode(
    0x46,
    2,
    0,
    1,
    read(({ machine }) => machine.rules.chainId),
  ),
  opcode(
    0x47,
    5,
    0,
    1,
    read((frame) => frame.machine.state.balance(frame.address)),
  ),
  opcode(
    0x48,
    2,
    0,
    1,
    read(({ machine }) => machine.environment.baseFeePerGas),
  ),
  opcode(0x49, 3, 1, 1, blobHash),
  opcode(
    0x4a,
    2,
    0,
    1,
    read(({ machine }) => machine.environment.blobBaseFee),
  ),
];
