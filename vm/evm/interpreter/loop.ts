/** Runs frames: one loop over opcodes, and one over frames in place of recursion, so that depth costs no stack. */
import type { ExecutionListener } from "../execution-listener.ts";
import { CALLING, type Frame, fail, RUNNING } from "./frame.ts";
import { charge } from "./gas.ts";
import { returnTo } from "./message.ts";
import type { OpcodeHandler } from "./opcode.ts";
import type { OpcodeTable } from "./opcode-table.ts";

const STACK_UNDERFLOW = "stack underflow";
const STACK_OVERFLOW = "stack limit reached";

type StepListener = NonNullable<ExecutionListener["onStep"]>;

/** Runs the outermost frame to its end. */
export function runFrames(outermost: Frame, table: OpcodeTable, onStep: StepListener | undefined): void {
  const run = onStep === undefined ? runOpcodes : tracedBy(onStep);
  const { machine } = outermost;
  let frame = outermost;
  for (;;) {
    run(frame, table);
    if (frame.status === CALLING) frame = machine.frameAt(frame.depth + 1);
    else if (frame === outermost) return;
    else {
      const parent = machine.frameAt(frame.depth - 1);
      returnTo(parent, frame);
      frame = parent;
    }
  }
}

function runOpcodes(frame: Frame, { gas, least, most, handlers }: OpcodeTable): void {
  const { code, stackBase } = frame;
  const end = code.length;
  while (frame.status === RUNNING) {
    const { pc } = frame;
    const opcode = pc < end ? (code[pc] as number) : 0;
    const words = frame.sp - stackBase;
    if (words < (least[opcode] as number) || words > (most[opcode] as number)) {
      fail(frame, words < (least[opcode] as number) ? STACK_UNDERFLOW : STACK_OVERFLOW);
      return;
    }
    const left = frame.gas - (gas[opcode] as number);
    if (left >= 0) frame.gas = left;
    else if (!charge(frame, gas[opcode] as number)) return;
    frame.pc = pc + 1;
    (handlers[opcode] as OpcodeHandler)(frame);
  }
}

function tracedBy(onStep: StepListener): typeof runOpcodes {
  return (frame, table) => {
    const { code, stackBase } = frame;
    while (frame.status === RUNNING) {
      const opcode = code[frame.pc] ?? 0;
      onStep(frame, opcode);
      const words = frame.sp - stackBase;
      if (words < (table.least[opcode] as number) || words > (table.most[opcode] as number)) {
        fail(frame, words < (table.least[opcode] as number) ? STACK_UNDERFLOW : STACK_OVERFLOW);
        return;
      }
      if (!charge(frame, table.gas[opcode] as number)) return;
      frame.pc++;
      (table.handlers[opcode] as OpcodeHandler)(frame);
    }
  };
}
