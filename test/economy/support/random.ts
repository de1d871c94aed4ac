/** Seeded random numbers: the same seed, the same history. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }

  /** From 0 to 2^32 - 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  below(bound: number): number {
    return this.next() % bound;
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** Up to `most`: often some part of it, now and then all, nearly all, or a single wei. */
  amount(most: bigint): bigint {
    if (most <= 1n) return most;
    const kind = this.below(10);
    if (kind === 0) return most;
    if (kind === 1) return most - 1n;
    if (kind === 2) return 1n;
    return (most * BigInt(1 + this.below(1000))) / 1001n + BigInt(this.below(1000)) < most
      ? (most * BigInt(1 + this.below(1000))) / 1001n
      : most / 2n;
  }
}
