/** What an opcode can reach: the frame, which is one message being run, and the machine that all frames share. */
import { EMPTY_BYTES } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import type { BlockEnvironment } from "../../execution/environment.ts";
import { type ExecutionRules, isForkActive } from "../../execution/rules.ts";
import type { Address } from "../../state/account.ts";
import type { WorkingState } from "../../state/working-state.ts";
import type { ExecutionListener } from "../execution-listener.ts";
import { type CodeAnalysis, CodeCache } from "./code-cache.ts";
import { Journal } from "./journal.ts";
import type { Precompile } from "./precompiles/precompile.ts";

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

/** Why frames fail, as Ethereum's clients word it. */
export const OUT_OF_GAS = "out of gas";
export const WRITE_PROTECTION = "write protection";

/** Pooled by depth, and set anew for every message. */
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

  /** Why it failed, in the words of Ethereum's clients; of an earlier message unless it has. */
  failure = "";
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
export function fail(frame: Frame, reason: string = OUT_OF_GAS): void {
  frame.status = FAILED;
  frame.failure = reason;
  frame.gas = 0;
  frame.reserve = 0n;
  frame.output = EMPTY_BYTES;
}

/** What is kept from one transaction to the next, at most. */
const KEPT_MEMORY: number = 2 ** 20;
const KEPT_STACK = 4096;

/** What the frames of one transaction share. Reused by every transaction. */
export class Machine {
  readonly rules: ExecutionRules;
  readonly precompiles: ReadonlyMap<Address, Precompile>;
  readonly journal: Journal;
  /** Hears every message, if anybody listens. */
  readonly listener: ExecutionListener | undefined;
  readonly codes: CodeCache = new CodeCache();
  /** EIP-7702. */
  readonly followsDelegations: boolean;
  /** Every frame's words, one frame's above the other's. Written at most one beyond its end, so it has no holes. */
  readonly stack: bigint[] = [];
  /** Every frame's memory, likewise. Zeroed when a frame reaches it, not when one leaves it. */
  memory: Uint8Array = new Uint8Array(2 ** 16);
  memoryView: DataView = new DataView(this.memory.buffer);
  originWord = 0n;
  gasPrice = 0n;

  private readonly frames: Frame[] = [];
  private boundState: WorkingState | undefined;
  private boundEnvironment: BlockEnvironment | undefined;

  constructor(
    rules: ExecutionRules,
    precompiles: ReadonlyMap<Address, Precompile>,
    listener: ExecutionListener | undefined,
  ) {
    this.rules = rules;
    this.precompiles = precompiles;
    this.listener = listener;
    this.followsDelegations = isForkActive(rules, "prague");
    this.journal = new Journal(new Set([...precompiles.keys(), ...rules.modules.keys()]));
  }

  get state(): WorkingState {
    assert(this.boundState !== undefined, "the machine runs a message");
    return this.boundState;
  }

  get environment(): BlockEnvironment {
    assert(this.boundEnvironment !== undefined, "the machine runs a message");
    return this.boundEnvironment;
  }

  /** Starts a transaction. */
  bind(state: WorkingState, environment: BlockEnvironment): void {
    this.boundState = state;
    this.boundEnvironment = environment;
    this.journal.clear();
  }

  /** Lets go of the transaction, and of memory that few transactions need. */
  release(): void {
    this.boundState = undefined;
    this.boundEnvironment = undefined;
    this.journal.clear();
    if (this.stack.length > KEPT_STACK) this.stack.length = KEPT_STACK;
    if (this.memory.length > KEPT_MEMORY) this.useMemory(new Uint8Array(KEPT_MEMORY));
  }

  frameAt(depth: number): Frame {
    let frame = this.frames[depth];
    if (frame === undefined) {
      frame = new Frame(this, depth);
      this.frames.push(frame);
    }
    return frame;
  }

  /** Makes the memory from `start` to `end` zeros. */
  growMemory(start: number, end: number): void {
    if (end > this.memory.length) {
      const larger = new Uint8Array(Math.max(2 * this.memory.length, end));
      larger.set(this.memory.subarray(0, start));
      this.useMemory(larger);
    } else this.memory.fill(0, start, end);
  }

  private useMemory(memory: Uint8Array): void {
    this.memory = memory;
    this.memoryView = new DataView(memory.buffer);
  }
}
