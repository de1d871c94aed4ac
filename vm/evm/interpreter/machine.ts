/** What the frames of one transaction share: stack, memory, journal, state and block. Reused by every transaction. */
import { assert } from "../../../base/errors.ts";
import type { BlockEnvironment } from "../../execution/environment.ts";
import { type ExecutionRules, isForkActive } from "../../execution/rules.ts";
import type { Address } from "../../state/account.ts";
import type { WorkingState } from "../../state/working-state.ts";
import { CodeCache } from "./code-cache.ts";
import { Frame } from "./frame.ts";
import { Journal } from "./journal.ts";
import type { Precompile } from "./precompiles/precompile.ts";

/** What is kept from one transaction to the next, at most. */
const KEPT_MEMORY: number = 2 ** 20;
const KEPT_STACK = 4096;

export class Machine {
  readonly rules: ExecutionRules;
  readonly precompiles: ReadonlyMap<Address, Precompile>;
  readonly journal: Journal;
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

  constructor(rules: ExecutionRules, precompiles: ReadonlyMap<Address, Precompile>) {
    this.rules = rules;
    this.precompiles = precompiles;
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
