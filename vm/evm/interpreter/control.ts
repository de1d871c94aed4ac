/** STOP, JUMP, JUMPI, PC, GAS, JUMPDEST, RETURN, REVERT, INVALID. */
import { EMPTY_BYTES } from "../../../base/bytes.ts";
import { type Frame, type FrameStatus, fail, REVERTED, STOPPED } from "./frame.ts";
import { gasLeft, reach } from "./gas.ts";
import { type Opcode, opcode } from "./opcode.ts";
import { push } from "./stack.ts";

const JUMPDEST = 0x5b;
const INVALID_JUMP = "invalid jump destination";

function stop(frame: Frame): void {
  frame.output = EMPTY_BYTES;
  frame.status = STOPPED;
}

function jumpTo(frame: Frame, target: bigint): void {
  const { code } = frame;
  // Before the analysis: a jump to what is no JUMPDEST at all needs none.
  if (target >= code.length) {
    fail(frame, INVALID_JUMP);
    return;
  }
  const place = Number(target);
  if (code[place] !== JUMPDEST) {
    fail(frame, INVALID_JUMP);
    return;
  }
  frame.analysis ??= frame.machine.codes.of(frame.codeHash);
  if (((frame.analysis.jumpTargets(code)[place >> 3] as number) & (1 << (place & 7))) === 0) {
    fail(frame, INVALID_JUMP);
    return;
  }
  frame.pc = place;
}

function jump(frame: Frame): void {
  jumpTo(frame, frame.machine.stack[--frame.sp] as bigint);
}

function jumpIf(frame: Frame): void {
  const { stack } = frame.machine;
  const at = frame.sp - 2;
  frame.sp = at;
  if (stack[at] !== 0n) jumpTo(frame, stack[at + 1] as bigint);
}

function pc(frame: Frame): void {
  push(frame, BigInt(frame.pc - 1));
}

function gas(frame: Frame): void {
  push(frame, gasLeft(frame));
}

function jumpDestination(): void {
  // A place to jump to, nothing else.
}

function endWith(status: FrameStatus): (frame: Frame) => void {
  return (frame) => {
    const { machine } = frame;
    const length = machine.stack[frame.sp - 2] as bigint;
    const at = reach(frame, machine.stack[frame.sp - 1] as bigint, length);
    if (at < 0) return;
    frame.output = length === 0n ? EMPTY_BYTES : machine.memory.slice(at, at + Number(length));
    frame.status = status;
  };
}

export const CONTROL: readonly Opcode[] = [
  opcode(0x00, 0, 0, 0, stop),
  opcode(0x56, 8, 1, 0, jump),
  opcode(0x57, 10, 2, 0, jumpIf),
  opcode(0x58, 2, 0, 1, pc),
  opcode(0x5a, 2, 0, 1, gas),
  opcode(JUMPDEST, 1, 0, 0, jumpDestination),
  opcode(0xf3, 0, 2, 0, endWith(STOPPED)),
  opcode(0xfd, 0, 2, 0, endWith(REVERTED)),
];
