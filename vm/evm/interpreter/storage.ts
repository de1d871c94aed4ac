/** SLOAD, SSTORE (EIP-2200 with the prices of EIP-2929 and EIP-3529), TLOAD, TSTORE (EIP-1153). */
import { bigintToBytes, bytesToBigint } from "../../../base/bytes.ts";
import { type Frame, fail, OUT_OF_GAS, WRITE_PROTECTION } from "./frame.ts";
import { CALL_STIPEND, COLD_SLOT_EXTRA_GAS, COLD_SLOT_GAS, charge, WARM_ACCESS_GAS } from "./gas.ts";
import { type Opcode, opcode } from "./opcode.ts";
import { wordHex } from "./words.ts";

const FRESH_SLOT_GAS = 20_000;
/** The first change of a used slot: 5,000 less what the cold access costs. */
const USED_SLOT_GAS = 2_900;
const CLEARED_REFUND = 4_800;

function sload(frame: Frame): void {
  const { stack, journal, state } = frame.machine;
  const top = frame.sp - 1;
  const slot = wordHex(stack[top] as bigint);
  if (journal.warmSlot(frame.address, slot) && !charge(frame, COLD_SLOT_EXTRA_GAS)) return;
  stack[top] = bytesToBigint(state.storage(frame.address, slot));
}

function sstore(frame: Frame): void {
  const { stack, journal, state } = frame.machine;
  frame.sp -= 2;
  // A message that only got the stipend must not change anything (EIP-2200).
  if (frame.isStatic || (frame.gas <= CALL_STIPEND && frame.reserve === 0n)) {
    fail(frame, frame.isStatic ? WRITE_PROTECTION : OUT_OF_GAS);
    return;
  }
  const slot = wordHex(stack[frame.sp + 1] as bigint);
  const value = stack[frame.sp] as bigint;
  const coldGas = journal.warmSlot(frame.address, slot) ? COLD_SLOT_GAS : 0;
  const current = bytesToBigint(state.storage(frame.address, slot));
  if (value === current) {
    charge(frame, coldGas + WARM_ACCESS_GAS);
    return;
  }
  const original = bytesToBigint(state.originalStorage(frame.address, slot));
  if (!charge(frame, coldGas + changeGas(original, current))) return;
  journal.refund += changeRefund(original, current, value);
  state.setStorage(frame.address, slot, bigintToBytes(value));
}

function changeGas(original: bigint, current: bigint): number {
  if (original !== current) return WARM_ACCESS_GAS;
  return original === 0n ? FRESH_SLOT_GAS : USED_SLOT_GAS;
}

function changeRefund(original: bigint, current: bigint, value: bigint): number {
  if (original === current) return original !== 0n && value === 0n ? CLEARED_REFUND : 0;
  let refund = 0;
  if (original !== 0n) {
    if (current === 0n) refund -= CLEARED_REFUND;
    else if (value === 0n) refund += CLEARED_REFUND;
  }
  // Back to what it was: all but a warm access is given back.
  if (value === original) refund += (original === 0n ? FRESH_SLOT_GAS : USED_SLOT_GAS) - WARM_ACCESS_GAS;
  return refund;
}

/** Unlike a word, its text cannot be chosen to collide in a hash table. */
function transientName(slot: bigint): string {
  return slot.toString(16);
}

function tload(frame: Frame): void {
  const { stack, journal } = frame.machine;
  const top = frame.sp - 1;
  stack[top] = journal.transientStorage(frame.address, transientName(stack[top] as bigint));
}

function tstore(frame: Frame): void {
  const { stack, journal } = frame.machine;
  if (frame.isStatic) {
    fail(frame, WRITE_PROTECTION);
    return;
  }
  frame.sp -= 2;
  const name = transientName(stack[frame.sp + 1] as bigint);
  journal.setTransientStorage(frame.address, name, stack[frame.sp] as bigint);
}

export const STORAGE: readonly Opcode[] = [
  opcode(0x54, WARM_ACCESS_GAS, 1, 1, sload),
  opcode(0x55, 0, 2, 0, sstore),
  opcode(0x5c, WARM_ACCESS_GAS, 1, 1, tload),
  opcode(0x5d, WARM_ACCESS_GAS, 2, 0, tstore),
];
