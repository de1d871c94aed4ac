/** What the protocol itself has to do: it makes a chain that nobody sends anything to make a block. */
import { nextDue } from "../../vm/modules/agenda/schedule.ts";
import { blockTimeFor } from "../../vm/modules/clock/clock.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { Clock } from "./clock.ts";

/**
 * From when on a block is due for the agenda of this state, in milliseconds since 1970. At once while something waits for a
 * later block: a draw that somebody waits for. `undefined` when there is nothing, and the chain may rest.
 */
export function protocolWorkDue(state: StateReader): number | undefined {
  const { block, time } = nextDue(state);
  if (block !== undefined) return Number.NEGATIVE_INFINITY;
  return time === undefined ? undefined : Number(blockTimeFor(state, time));
}

/** Follows the agenda of the final state, and wakes the node when something on it is due. */
export class ProtocolWork {
  readonly #clock: Clock;
  readonly #heartbeat: number;
  readonly #wake: () => void;
  #due: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, heartbeat: number, wake: () => void) {
    this.#clock = clock;
    this.#heartbeat = heartbeat;
    this.#wake = wake;
  }

  get isDue(): boolean {
    return this.#due !== undefined && this.#due <= this.#clock.now();
  }

  /** A block may have put something on the agenda, or done it. */
  look(state: StateReader): void {
    this.stop();
    this.#due = protocolWorkDue(state);
    const wait = (this.#due ?? 0) - this.#clock.now();
    // What is further off than the heartbeat is looked at again after its block.
    if (wait > 0 && wait <= this.#heartbeat) this.#cancel = this.#clock.setTimer(wait, this.#wake);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
