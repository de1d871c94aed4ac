/** Draws that the simulator makes, over the seeded generator of base. */
import type { Prng } from "../../base/prng.ts";

export function chance(prng: Prng, probability: number): boolean {
  return prng.uint32() < probability * 2 ** 32;
}

export function between(prng: Prng, low: number, high: number): number {
  return low + (prng.uint32() / 2 ** 32) * (high - low);
}

export function integerBetween(prng: Prng, low: number, high: number): number {
  return low + prng.below(high - low + 1);
}

export function pick<Item>(prng: Prng, items: readonly Item[]): Item {
  return items[prng.below(items.length)] as Item;
}

/** Exponential with that mean: most are short, a few are very long. */
export function exponential(prng: Prng, mean: number): number {
  return -mean * Math.log(1 - prng.uint32() / 2 ** 32);
}
