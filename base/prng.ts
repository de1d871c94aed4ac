/**
 * A seeded, deterministic generator for simulation and tests: the same seed gives the same sequence on every
 * machine and version. Not for secrets.
 *
 * The algorithm is xoshiro128** 1.1 (D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators",
 * 2018), its 128 bits of state taken from the SHA-256 of the seed.
 */
import { concatBytes, utf8 } from "./bytes.ts";
import { assert } from "./errors.ts";
import { sha256 } from "./sha256.ts";

const TWO_32 = 2 ** 32;

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

export class Prng {
  /** The hash of the seed: forks start here, not at the state, so that draws do not change them. */
  readonly #root: Uint8Array;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: string | Uint8Array) {
    this.#root = sha256(typeof seed === "string" ? utf8(seed) : seed);
    const words = new DataView(this.#root.buffer, this.#root.byteOffset, 16);
    this.#a = words.getInt32(0, true);
    this.#b = words.getInt32(4, true);
    this.#c = words.getInt32(8, true);
    // Four zeros would stay zeros for ever.
    this.#d = words.getInt32(12, true) || 1;
  }

  /** An integer from 0 to 2^32 - 1. */
  uint32(): number {
    const result = Math.imul(rotateLeft(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotateLeft(this.#d, 11);
    return result;
  }

  /** An integer from 0 to `bound` - 1, each equally likely. `bound` is 1 to 2^32. */
  below(bound: number): number {
    assert(Number.isInteger(bound) && bound >= 1 && bound <= TWO_32, "a bound is an integer from 1 to 2^32");
    // Values from the last, incomplete run of `bound` values would favour small results: draw again.
    const limit = TWO_32 - (TWO_32 % bound);
    let value = this.uint32();
    while (value >= limit) value = this.uint32();
    return value % bound;
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 4) {
      const word = this.uint32();
      for (let j = i; j < i + 4 && j < length; j++) bytes[j] = word >>> (8 * (j - i));
    }
    return bytes;
  }

  /** Puts the items in a random order, in place; each order is equally likely. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const moved = items[i] as T;
      items[i] = items[j] as T;
      items[j] = moved;
    }
    return items;
  }

  /**
   * An independent generator for the part of a run that `label` names. It depends on the seed and the label alone:
   * a part that draws more numbers than before does not change what the others see.
   */
  fork(label: string): Prng {
    return new Prng(concatBytes(this.#root, utf8(label)));
  }
}
