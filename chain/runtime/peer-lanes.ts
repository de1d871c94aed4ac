/**
 * How many signature checks one peer has under way. The others of its messages wait for their turn: thousands of false
 * certificates at once would otherwise stand before the next proposal, and be checked long after their sender is banned.
 */
import type { PeerId } from "../consensus/types.ts";

export interface LaneLimits {
  /** Checks of one peer at one time. */
  readonly checks: number;
  /** Those of its messages that wait. */
  readonly waiting: number;
}

interface Lane {
  running: number;
  readonly waiting: ((isAdmitted: boolean) => void)[];
}

export class PeerLanes {
  readonly #limits: LaneLimits;
  readonly #lanes = new Map<PeerId, Lane>();

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /**
   * True when a check may begin, whose end `leave` is told; false when there will be none; a promise of either when that
   * is not known yet. What takes much memory does not wait.
   */
  enter(peer: PeerId, mayWait: boolean): boolean | Promise<boolean> {
    const lane = this.#lanes.get(peer) ?? { running: 0, waiting: [] };
    this.#lanes.set(peer, lane);
    if (lane.running < this.#limits.checks) {
      lane.running++;
      return true;
    }
    if (!mayWait || lane.waiting.length >= this.#limits.waiting) return false;
    return new Promise((resolve) => lane.waiting.push(resolve));
  }

  /** What waits of a peer that has sent something false is dropped. */
  leave(peer: PeerId, wasFalse: boolean): void {
    const lane = this.#lanes.get(peer);
    if (lane === undefined) return;
    if (wasFalse) for (const resolve of lane.waiting.splice(0)) resolve(false);
    const next = lane.waiting.shift();
    if (next !== undefined) next(true);
    else if (--lane.running === 0) this.#lanes.delete(peer);
  }
}
