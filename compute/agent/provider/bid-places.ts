/** How many jobs a provider bids for at a time: as many as its policy has places for. */
import type { ProviderMemory } from "./provider-memory.ts";

export class BidPlaces {
  readonly #memory: ProviderMemory;
  readonly #most: number;
  /** Jobs for which a bid was decided on and is not in the journal yet: others are looked at meanwhile. */
  readonly #taken = new Set<bigint>();
  /** Jobs that are over, and remembered because somebody may still demand their outputs. */
  readonly #over = new Set<bigint>();

  constructor(memory: ProviderMemory, most: number) {
    this.#memory = memory;
    this.#most = most;
  }

  /** Whether there is one for the job, which has it then until `settle`. One that it has from an earlier bid is its own. */
  tryTake(job: bigint): boolean {
    const others = new Set([...this.#memory.bids(), ...this.#taken]);
    for (const free of [job, ...this.#over]) others.delete(free);
    if (others.size >= this.#most) return false;
    this.#taken.add(job);
    return true;
  }

  /** The bid is in the journal, or will not be made. */
  settle(job: bigint): void {
    this.#taken.delete(job);
  }

  /** The job needs none any more. */
  free(job: bigint): void {
    this.#over.add(job);
  }

  forget(job: bigint): void {
    this.#over.delete(job);
  }
}
