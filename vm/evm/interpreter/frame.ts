/** One message being run: what an opcode can reach. Frames are pooled by depth and set anew for every message. */
import { EMPTY_BYTES } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";
import type { CodeAnalysis } from "./code-cache.ts";
import type { Machine } from "./machine.ts";

/** Where a frame stands. Numbers, because the loop looks after every opcode. */
export const RUNNING = 0;
/** Ended well: STOP, RETURN, SELFDESTRUCT or the end of the code. */
export const STOPPED = 1;
export const REVERTED = 2;
/** Ended badly: all its gas is spent. */
export const FAILED = 3;
/** Waits for the frame above it, which the opcode has just prepared. */
export const CALLING = 4;

export type FrameStatus = typeof RUNNING | typeof STOPPED | typeof REVERTED | typeof FAILED | typeof CALLING;

export class Frame {
  readonly machine: Machine;
  /** 0 for the outermost message. */
  readonly depth: number;
  status: FrameStatus = RUNNING;

  code: Uint8Array = EMPTY_BYTES;
  /** Names the code in the cache of analyses; `undefined` for code that is run once, to create a contract. */
  codeHash: string | undefined = undefined;
  /** Looked up by the first opcode that needs it. */
  analysis: CodeAnalysis | undefined = undefined;
  pc = 0;

  /** Gas left is `gas + reserve`; see gas.ts. */
  gas = 0;
  reserve = 0n;

  /** The stack is shared by all frames: this frame's part is from `stackBase` to before `sp`. */
  stackBase = 0;
  sp = 0;

  /** The memory is shared by all frames: this frame's part is `memorySize` bytes from `memoryBase` on. */
  memoryBase = 0;
  memorySize = 0;

  address: Address = "0x";
  addressWord = 0n;
  caller: Address = "0x";
  callerWord = 0n;
  value = 0n;
  input: Uint8Array = EMPTY_BYTES;
  isStatic = false;
  /** Whether the output becomes the code of `address`. */
  isCreation = false;

  /** What this frame ends with. */
  output: Uint8Array = EMPTY_BYTES;
  /** What the last message that this frame sent ended with. */
  returnData: Uint8Array = EMPTY_BYTES;
  /** Where in its own memory the frame wants the output of the message it waits for. */
  resultAt = 0;
  resultLength = 0;

  /** Marks to go back to when the frame does not end well. */
  stateMark = 0;
  journalMark = 0;
  logMark = 0;
  refundMark = 0;

  constructor(machine: Machine, depth: number) {
    this.machine = machine;
    this.depth = depth;
  }
}

/** Ends the frame badly: all its gas is gone. */
export function fail(frame: Frame): void {
  frame.status = FAILED;
  frame.gas = 0;
  frame.reserve = 0n;
  frame.output = EMPTY_BYTES;
}
