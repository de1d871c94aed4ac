/** Where a node writes: one thing after the other, each in its time. A crash may strike before and after any of them. */
import type { Prng } from "../../base/prng.ts";
import { between } from "./chance.ts";
import type { Lifetime } from "./lifetime.ts";

export class Device {
  readonly #prng: Prng;
  readonly #slowest: number;
  readonly #onBoundary: () => void;
  #freeAt = 0;

  constructor(prng: Prng, slowest: number, onBoundary: () => void) {
    this.#prng = prng;
    this.#slowest = slowest;
    this.#onBoundary = onBoundary;
  }

  /** `land` puts the bytes on the disk; `then` tells the process, if it is still there. */
  write(life: Lifetime, land: () => void, then: () => void): void {
    this.#onBoundary();
    if (life.isOver) return;
    const { now } = life.queue;
    this.#freeAt = Math.max(now, this.#freeAt) + between(this.#prng, 0.1, this.#slowest);
    life.after(this.#freeAt - now, () => {
      land();
      this.#onBoundary();
      if (!life.isOver) then();
    });
  }
}
