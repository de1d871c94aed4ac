/** An opcode as the tables describe it. */
import type { Frame } from "./frame.ts";

export type OpcodeHandler = (frame: Frame) => void;

export interface Opcode {
  readonly code: number;
  /** Paid before the handler runs; the handler charges what depends on its arguments. */
  readonly gas: number;
  /** Words it takes from the stack and words it leaves. The handler can rely on the first being there. */
  readonly pops: number;
  readonly pushes: number;
  readonly run: OpcodeHandler;
}

export function opcode(code: number, gas: number, pops: number, pushes: number, run: OpcodeHandler): Opcode {
  return { code, gas, pops, pushes, run };
}
