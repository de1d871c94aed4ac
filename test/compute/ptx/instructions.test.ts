/**
 * Every instruction, one at a time and in random straight lines, over edges and random bits: the compiled kernel and the
 * interpreter, which share no arithmetic except the exact fma, must agree on all bits.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { exactFma32, exactFma64 } from "../../../compute/ptx/exact-fma.ts";
import { bytesOf, words32, words64 } from "./support/bit-patterns.ts";
import { buffer, runBoth } from "./support/both-engines.ts";
import { COMPARISONS, CONVERSIONS, FLOAT, type Form, INTEGER, kernelOf } from "./support/instruction-forms.ts";

function compareEngines(forms: readonly Form[], seed: string, threads: number): void {
  const prng = new Prng(seed);
  const { outcomes } = runBoth({
    ...{ text: kernelOf(forms), entry: "k", grid: [1, 1, 1], block: [threads, 1, 1] },
    arguments: [buffer(0), buffer(1), buffer(2)],
    buffers: [
      bytesOf(words32(prng, 4 * threads)),
      bytesOf(words64(prng, 4 * threads)),
      new Uint8Array(8 * forms.length * threads),
    ],
  });
  expect(outcomes[0]?.kind).toBe("done");
}

const LOGIC: readonly Form[] = Array.from({ length: 256 }, (_, table): Form => [`lop3.b32`, `rrrr${table}`]);

describe("each instruction gives the same bits compiled and interpreted", () => {
  it.each([
    ["integer arithmetic and bits", INTEGER],
    ["float arithmetic", FLOAT],
    ["conversions", CONVERSIONS],
    ["comparisons", COMPARISONS],
  ] as const)("%s", (name, forms) => {
    compareEngines(forms, name, 128);
  });

  it("all 256 functions of three bits", () => {
    const text = kernelOf(LOGIC.map(([name]): Form => [name, "rrrr"]));
    let table = 0;
    const withTables = text.replace(/^(lop3\.b32 [^;]*);/gm, (_, start: string) => `${start}, ${table++};`);
    const prng = new Prng("lop3");
    runBoth({
      ...{ text: withTables, entry: "k", grid: [1, 1, 1], block: [8, 1, 1] },
      arguments: [buffer(0), buffer(1), buffer(2)],
      buffers: [bytesOf(words32(prng, 32)), bytesOf(words64(prng, 32)), new Uint8Array(8 * 256 * 8)],
    });
  });

  it("fused multiply-add over many random triples", () => {
    const forms: readonly Form[] = [
      ["fma.rn.f32", "rrrr"],
      ["fma.rz.f32", "rrrr"],
      ["add.rz.f32", "rrr"],
      ["fma.rn.f64", "dddd"],
    ];
    for (let round = 0; round < 8; round++) compareEngines(forms, `fma ${round}`, 1024);
  });

  it("fused multiply-add where the sum lies next to the middle between two results", () => {
    // a * b = half a unit of c, less or more by what only exact arithmetic sees; c normal, denormal, odd and even.
    const threads = 512;
    const prng = new Prng("midpoints");
    const singles = new Uint32Array(4 * threads);
    const doubles = new BigUint64Array(4 * threads);
    for (let i = 0; i < threads; i++) {
      const [tilt, sign] = [prng.below(3), (prng.below(2) << 31) >>> 0];
      const fraction = 0x400000 + prng.below(0x400000);
      const exponent = prng.below(3) === 0 ? 0 : 1 + prng.below(150);
      // Half a unit in the last place of c is 2^(max(exponent, 1) - 151).
      const half = Math.max(exponent, 1) - 151 + 2 * 127;
      const [first, second] = [Math.floor(half / 2), half - Math.floor(half / 2)];
      singles.set([((first << 23) + tilt) >>> 0, (sign | ((second << 23) - 2 * tilt)) >>> 0], 4 * i);
      singles[4 * i + 2] = ((prng.below(2) << 31) | (exponent << 23) | fraction) >>> 0;
      const wide = 700 + prng.below(600);
      const low = (BigInt(prng.uint32()) << 20n) | BigInt(prng.uint32() & 0xfffff);
      const total = BigInt(wide - 53 + 1023);
      const part = total / 2n;
      doubles[4 * i] = (part << 52n) + BigInt(tilt);
      doubles[4 * i + 1] = ((total - part) << 52n) - 2n * BigInt(tilt) + (BigInt(sign >>> 31) << 63n);
      doubles[4 * i + 2] = (BigInt(prng.below(2)) << 63n) | (BigInt(wide) << 52n) | low;
    }
    runBoth({
      text: kernelOf([
        ["fma.rn.f32", "rrrr"],
        ["fma.rz.f32", "rrrr"],
        ["fma.rn.f64", "dddd"],
      ]),
      ...{ entry: "k", grid: [1, 1, 1], block: [threads, 1, 1] },
      arguments: [buffer(0), buffer(1), buffer(2)],
      buffers: [bytesOf(singles), bytesOf(doubles), new Uint8Array(24 * threads)],
    });
  });

  it("any selection of instructions, in any order", () => {
    const form = fc.constantFrom(...INTEGER, ...FLOAT, ...CONVERSIONS, ...COMPARISONS);
    fc.assert(
      fc.property(fc.array(form, { minLength: 1, maxLength: 30 }), fc.string(), (forms, seed) => {
        compareEngines(forms, seed, 8);
      }),
      { numRuns: 25 },
    );
  });
});

describe("arithmetic with carry", () => {
  it("adds, subtracts and multiplies numbers of 128 bits", () => {
    const prng = new Prng("carry");
    const words = words64(prng, 4 * 64);
    const text = kernelOf(Array.from({ length: 6 }, (): Form => ["add.u64", "ddd"]));
    const lines = `add.cc.u64 %d4, %d0, %d2;
addc.u64 %d5, %d1, %d3;
sub.cc.u64 %d6, %d0, %d2;
subc.cc.u64 %d7, %d1, %d3;
mad.lo.cc.u64 %d8, %d0, %d2, %d1;
madc.hi.u64 %d9, %d0, %d2, %d3;`;
    const { buffers } = runBoth({
      text: text.replace(/(?:^add\.u64 %d\d+, %d0.*\n)+/m, `${lines}\n`),
      ...{ entry: "k", grid: [1, 1, 1], block: [64, 1, 1] },
      arguments: [buffer(0), buffer(1), buffer(2)],
      buffers: [bytesOf(words32(prng, 4 * 64)), bytesOf(words), new Uint8Array(8 * 6 * 64)],
    });
    const results = new BigUint64Array((buffers[2] as Uint8Array).buffer);
    const pair = (at: BigUint64Array, low: number): bigint => (at[low] as bigint) | ((at[low + 1] as bigint) << 64n);
    for (let thread = 0; thread < 64; thread++) {
      const [a, b] = [pair(words, 4 * thread), pair(words, 4 * thread + 2)];
      const wide = (value: bigint): bigint => BigInt.asUintN(128, value);
      expect(pair(results, 6 * thread)).toBe(wide(a + b));
      expect(pair(results, 6 * thread + 2)).toBe(wide(a - b));
      const product = (words[4 * thread] as bigint) * (words[4 * thread + 2] as bigint);
      const addend = (words[4 * thread + 1] as bigint) | ((words[4 * thread + 3] as bigint) << 64n);
      expect(pair(results, 6 * thread + 4)).toBe(wide(product + addend));
    }
  });
});

describe("the exact fused multiply-add", () => {
  const view = new DataView(new ArrayBuffer(8));
  const bits32 = (value: number): bigint => {
    view.setFloat32(0, value);
    return BigInt(view.getUint32(0));
  };
  const bits64 = (value: number): bigint => {
    view.setFloat64(0, value);
    return view.getBigUint64(0);
  };

  it("rounds once where two roundings go wrong", () => {
    // (1 + 2^-12)^2 - 1 - 2^-11 = 2^-24, which a rounded product loses.
    expect(exactFma32(bits32(1 + 2 ** -12), bits32(1 + 2 ** -12), bits32(-1 - 2 ** -11))).toBe(bits32(2 ** -24));
    expect(exactFma64(bits64(1 + 2 ** -30), bits64(1 + 2 ** -30), bits64(-1 - 2 ** -29))).toBe(bits64(2 ** -60));
  });

  it("keeps signs of zero, infinities and denormals", () => {
    expect(exactFma32(bits32(0), bits32(0), bits32(-0))).toBe(bits32(0));
    expect(exactFma32(bits32(-0), bits32(1), bits32(-0))).toBe(bits32(-0));
    expect(exactFma32(bits32(3e38), bits32(3e38), bits32(Number.NEGATIVE_INFINITY))).toBe(0xff800000n);
    expect(exactFma32(bits32(2 ** -100), bits32(2 ** -49), 0n)).toBe(1n);
    expect(exactFma32(bits32(2 ** -100), bits32(2 ** -50), 0n)).toBe(0n);
    expect(exactFma64(bits64(Number.POSITIVE_INFINITY), 0n, 0n)).toBe(0x7fffffffffffffffn);
  });

  it("rounds towards zero when asked, and then never to infinity", () => {
    expect(exactFma32(0x7f7fffffn, 0x40000000n, 0n, true)).toBe(0x7f7fffffn);
    expect(exactFma32(bits32(1), bits32(1), bits32(-(2 ** -40)), true)).toBe(0x3f7fffffn);
    expect(exactFma32(bits32(-1), bits32(1), bits32(-(2 ** -40)), true)).toBe(0xbf800000n);
    expect(exactFma32(1n, bits32(0.75), 0n, true)).toBe(0n);
  });

  it("is the plain product or sum where that is exact", () => {
    const value = fc.integer({ min: -(2 ** 20), max: 2 ** 20 });
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(exactFma64(bits64(a), bits64(b), bits64(c))).toBe(bits64(a * b + c === 0 ? 0 : a * b + c));
      }),
    );
  });
});
