/**
 * Gas of a frame: a number, which is fast, and a reserve for what a number cannot hold exactly. Real gas limits never
 * need the reserve; Ethereum's tests do (up to 2^63 - 1), and results must not depend on it.
 */
import { type Frame, fail } from "./frame.ts";

/** Ethereum's prices (yellow paper, appendix G, with the EIPs named). */
export const COPY_WORD_GAS = 3;
export const KECCAK_WORD_GAS = 6;
export const LOG_BYTE_GAS = 8;
export const EXP_BYTE_GAS = 50;
export const INIT_CODE_WORD_GAS = 2; // EIP-3860
export const CODE_BYTE_GAS = 200;
export const CALL_VALUE_GAS = 9_000;
export const CALL_STIPEND = 2_300;
export const NEW_ACCOUNT_GAS = 25_000;
/** EIP-2929: a warm access is in the opcode's own price, this is what a cold one costs more. */
export const COLD_ACCOUNT_EXTRA_GAS = 2_500;
export const COLD_ACCOUNT_GAS = 2_600;
export const WARM_ACCESS_GAS = 100;
export const COLD_SLOT_GAS = 2_100;
export const COLD_SLOT_EXTRA_GAS = 2_000;

const MEMORY_WORD_GAS = 3;
const MEMORY_QUADRATIC_DIVISOR = 512;

/** What a frame holds as a number at most when there is a reserve: two of them, and any price, still add exactly. */
const CHUNK = 2 ** 50;
const CHUNK_BIGINT: bigint = 2n ** 50n;

/** Beyond this no gas limit that a block can have would pay for memory, and no machine has it. */
const MAX_MEMORY = 0x7fff_ffffn;

export function gasLeft(frame: Frame): bigint {
  return frame.reserve === 0n ? BigInt(frame.gas) : BigInt(frame.gas) + frame.reserve;
}

export function setGas(frame: Frame, gas: bigint): void {
  if (gas <= CHUNK_BIGINT) {
    frame.gas = Number(gas);
    frame.reserve = 0n;
  } else {
    frame.gas = CHUNK;
    frame.reserve = gas - CHUNK_BIGINT;
  }
}

/** Gives back to a frame what the message it sent did not use. */
export function returnGas(frame: Frame, gas: number, reserve: bigint): void {
  if (reserve === 0n && frame.reserve === 0n && frame.gas + gas <= CHUNK) frame.gas += gas;
  else setGas(frame, gasLeft(frame) + BigInt(gas) + reserve);
}

/** Takes `cost` from the frame, or fails the frame and answers false. */
export function charge(frame: Frame, cost: number): boolean {
  const left = frame.gas - cost;
  if (left >= 0) {
    frame.gas = left;
    return true;
  }
  return chargeReserve(frame, cost);
}

function chargeReserve(frame: Frame, cost: number): boolean {
  if (frame.reserve !== 0n) {
    const left = gasLeft(frame) - BigInt(cost);
    if (left >= 0n) {
      setGas(frame, left);
      return true;
    }
  }
  fail(frame);
  return false;
}

/** Beyond this a request asks for more than a frame without reserve can have. */
const MAX_REQUEST: bigint = 2n ** 52n;

/** Moves to `next` what was requested, at most all but a 64th (EIP-150). */
export function splitGas(frame: Frame, next: Frame, requested: bigint): void {
  if (frame.reserve !== 0n) {
    const left = gasLeft(frame);
    const most = left - left / 64n;
    const given = requested < most ? requested : most;
    setGas(frame, left - given);
    setGas(next, given);
    return;
  }
  const most = frame.gas - Math.floor(frame.gas / 64);
  const given = requested > MAX_REQUEST ? most : Math.min(Number(requested), most);
  frame.gas -= given;
  next.gas = given;
  next.reserve = 0n;
}

export function wordsOf(bytes: number): number {
  return Math.ceil(bytes / 32);
}

function memoryCost(bytes: number): number {
  const words = bytes / 32;
  return words * MEMORY_WORD_GAS + Math.floor((words * words) / MEMORY_QUADRATIC_DIVISOR);
}

/**
 * Makes `length` bytes at `offset` part of the frame's memory and pays for that. Answers where they are in the shared
 * memory, or -1 when the gas does not suffice: the frame has then failed.
 */
export function reach(frame: Frame, offset: bigint, length: bigint): number {
  if (length === 0n) return frame.memoryBase;
  if (offset > MAX_MEMORY || length > MAX_MEMORY) {
    fail(frame);
    return -1;
  }
  const start = Number(offset);
  const end = start + Number(length);
  if (end > frame.memorySize && !growMemory(frame, end)) return -1;
  return frame.memoryBase + start;
}

function growMemory(frame: Frame, end: number): boolean {
  const size = Math.ceil(end / 32) * 32;
  if (!charge(frame, memoryCost(size) - memoryCost(frame.memorySize))) return false;
  frame.machine.growMemory(frame.memoryBase + frame.memorySize, frame.memoryBase + size);
  frame.memorySize = size;
  return true;
}
