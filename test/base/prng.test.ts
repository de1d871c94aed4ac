import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import { sha256 } from "../../base/sha256.ts";

/** xoshiro128** written again from the paper, over bigints. */
function* xoshiro(state: bigint[]): Generator<number> {
  const mask = 0xffff_ffffn;
  const rotl = (x: bigint, k: bigint): bigint => ((x << k) | (x >> (32n - k))) & mask;
  let [a = 0n, b = 0n, c = 0n, d = 0n] = state;
  for (;;) {
    yield Number((rotl((b * 5n) & mask, 7n) * 9n) & mask);
    const t = (b << 9n) & mask;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotl(d, 11n);
  }
}

describe("Prng", () => {
  it("is xoshiro128** seeded with the first half of the seed's SHA-256", () => {
    const seed = new Uint8Array([1, 2, 3]);
    const words = new DataView(sha256(seed).buffer);
    const expected = xoshiro([0, 4, 8, 12].map((offset) => BigInt(words.getUint32(offset, true))));
    const random = new Prng(seed);
    for (let i = 0; i < 1000; i++) expect(random.uint32()).toBe(expected.next().value);
  });

  it("gives the same sequence for the same seed for ever", () => {
    expect(bytesToHex(new Prng("seed").bytes(16))).toBe("0xc14a0a19745214bb7ba1b6e095e0266e");
    expect(bytesToHex(new Prng("seed").fork("network").bytes(16))).toBe("0x29d879ebd3f596887d04081737479570");
    expect(new Prng("seed").shuffle([0, 1, 2, 3, 4, 5, 6, 7]).join()).toBe("0,5,2,4,7,3,6,1");
  });

  it("forks by seed and label alone, whatever was drawn before", () => {
    const drawn = new Prng("seed");
    drawn.bytes(100);
    expect(drawn.fork("a").uint32()).toBe(new Prng("seed").fork("a").uint32());
    expect(drawn.fork("a").uint32()).not.toBe(drawn.fork("b").uint32());
    expect(drawn.fork("a").uint32()).not.toBe(new Prng("seed").uint32());
  });

  it("draws every value below a bound equally often", () => {
    const random = new Prng("bound");
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) (counts[random.below(7)] as number)++;
    // Six standard deviations of a fair draw: sqrt(70000 * 1/7 * 6/7) is 93.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(560);
  });

  it("has no modulo bias for a bound that does not divide 2^32", () => {
    // With a plain modulo, values below 2^30 would come twice as often as the others.
    const random = new Prng("bias");
    let low = 0;
    for (let i = 0; i < 30_000; i++) if (random.below(3 * 2 ** 30) < 2 ** 30) low++;
    expect(Math.abs(low - 10_000)).toBeLessThan(500);
  });

  it("accepts bounds from 1 to 2^32 only", () => {
    const random = new Prng("edges");
    expect(random.below(1)).toBe(0);
    expect(random.below(2 ** 32)).toBeLessThan(2 ** 32);
    for (const bound of [0, -1, 1.5, 2 ** 32 + 1, Number.NaN]) expect(() => random.below(bound)).toThrow("invariant");
  });

  it("shuffles into every order equally often", () => {
    const random = new Prng("shuffle");
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = random.shuffle([1, 2, 3, 4]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });

  it("fills any number of bytes", () => {
    const whole = new Prng("bytes").bytes(10);
    expect(whole).toHaveLength(10);
    expect(new Prng("bytes").bytes(7)).toEqual(whole.subarray(0, 7));
    expect(new Prng("bytes").bytes(0)).toHaveLength(0);
  });
});
