/** The network: every message has its own fate, drawn from the seed. */
import type { Prng } from "../../base/prng.ts";
import { chance, exponential } from "./chance.ts";
import type { EventQueue, Task } from "./event-queue.ts";

export interface LinkQuality {
  /** Milliseconds from one node to another before anything else is added. */
  readonly latency: number | ((from: number, to: number) => number);
  /** Mean of what is added at random; more of it reorders more. */
  readonly jitter: number;
  readonly loss: number;
  readonly duplication: number;
}

export class Network {
  quality: LinkQuality;
  readonly #queue: EventQueue;
  readonly #prng: Prng;
  readonly #cut = new Set<string>();

  constructor(queue: EventQueue, prng: Prng, quality: LinkQuality) {
    this.#queue = queue;
    this.#prng = prng;
    this.quality = quality;
  }

  /** One direction only: partitions may be asymmetric. */
  cut(from: number, to: number): void {
    this.#cut.add(`${from} ${to}`);
  }

  heal(): void {
    this.#cut.clear();
  }

  /** `deliver` runs with `to` when the message arrives. */
  carry(from: number, to: number, deliver: Task): void {
    if (this.#cut.size > 0 && this.#cut.has(`${from} ${to}`)) return;
    const { loss, duplication } = this.quality;
    if (loss > 0 && chance(this.#prng, loss)) return;
    this.#queue.plan(this.#queue.now + this.#delay(from, to), deliver, to);
    if (duplication > 0 && chance(this.#prng, duplication)) {
      this.#queue.plan(this.#queue.now + this.#delay(from, to), deliver, to);
    }
  }

  #delay(from: number, to: number): number {
    const { latency, jitter } = this.quality;
    const base = typeof latency === "number" ? latency : latency(from, to);
    return base + exponential(this.#prng, jitter);
  }
}
