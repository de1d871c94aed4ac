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

/** %r: 32 bits, %d: 64 bits, %h: 16 bits, %p: predicate; d first, then sources. */
type Form = readonly [instruction: string, operands: string];

const INTEGER: readonly Form[] = [
  ...["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"].flatMap((op): readonly Form[] => [
    ...["u32", "s32"].map((type): Form => [`${op}.${type}`, "rrr"]),
    ...["u64", "s64"].map((type): Form => [`${op}.${type}`, "ddd"]),
    ...["u16", "s16"].map((type): Form => [`${op}.${type}`, "hhh"]),
  ]),
  ...["mul.wide.u32", "mul.wide.s32"].map((op): Form => [op, "drr"]),
  ...["mul.wide.u16", "mul.wide.s16"].map((op): Form => [op, "rhh"]),
  ...["mad.lo.s32", "mad.hi.u32", "mad.hi.s32", "sad.u32", "sad.s32"].map((op): Form => [op, "rrrr"]),
  ...["mad.wide.s32", "mad.wide.u32"].map((op): Form => [op, "drrd"]),
  ...["mad.lo.u64", "mad.hi.s64", "sad.s64"].map((op): Form => [op, "dddd"]),
  ...["abs.s32", "neg.s32", "not.b32", "cnot.b32", "popc.b32", "clz.b32", "brev.b32"].map((op): Form => [op, "rr"]),
  ...["abs.s64", "neg.s64", "not.b64", "cnot.b64", "brev.b64"].map((op): Form => [op, "dd"]),
  ...["abs.s16", "neg.s16", "not.b16", "cnot.b16"].map((op): Form => [op, "hh"]),
  ...["popc.b64", "clz.b64", "bfind.u64", "bfind.s64", "bfind.shiftamt.s64"].map((op): Form => [op, "rd"]),
  ...["bfind.u32", "bfind.s32", "bfind.shiftamt.u32"].map((op): Form => [op, "rr"]),
  ...["and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32", "shr.s32"].map((op): Form => [op, "rrr"]),
  ...["and.b64", "or.b64", "xor.b64"].map((op): Form => [op, "ddd"]),
  ...["shl.b64", "shr.u64", "shr.s64", "shr.b64"].map((op): Form => [op, "ddr"]),
  ...["shl.b16", "shr.u16", "shr.s16"].map((op): Form => [op, "hhr"]),
  ...["bfe.u32", "bfe.s32"].map((op): Form => [op, "rrrr"]),
  ...["bfe.u64", "bfe.s64"].map((op): Form => [op, "ddrr"]),
  ["bfi.b32", "rrrrr"],
  ["bfi.b64", "dddrr"],
  ...["shf.l.wrap", "shf.r.wrap", "shf.l.clamp", "shf.r.clamp"].map((op): Form => [`${op}.b32`, "rrrr"]),
  ...["prmt.b32", "dp4a.s32.s32", "dp4a.u32.u32", "dp4a.s32.u32", "dp4a.u32.s32"].map((op): Form => [op, "rrrr"]),
];

const FLOAT: readonly Form[] = ["f32", "f64"].flatMap((type): readonly Form[] => {
  const r = type === "f32" ? "r" : "d";
  return [
    ...["add.rn", "sub.rn", "mul.rn", "div.rn", "min", "max", "copysign"].map(
      (op): Form => [`${op}.${type}`, r.repeat(3)],
    ),
    ...["sqrt.rn", "rcp.rn", "neg", "abs"].map((op): Form => [`${op}.${type}`, r.repeat(2)]),
    [`fma.rn.${type}`, r.repeat(4)],
    ...(type === "f32" ? (["add.rz", "sub.rz", "mul.rz"] as const) : []).map((op): Form => [`${op}.f32`, "rrr"]),
    ...(type === "f32" ? (["fma.rz.f32"] as const) : []).map((op): Form => [op, "rrrr"]),
  ];
});

const LETTERS: Readonly<Record<string, string>> = { "16": "h", "32": "r", "64": "d" };

const CONVERSIONS: readonly Form[] = (() => {
  const integers = ["u16", "s16", "u32", "s32", "u64", "s64"];
  const letter = (type: string): string => LETTERS[type.slice(1)] as string;
  const forms: Form[] = [];
  for (const to of integers) {
    for (const from of integers) if (from !== to) forms.push([`cvt.${to}.${from}`, letter(to) + letter(from)]);
    for (const from of integers) forms.push([`cvt.sat.${to}.${from}`, letter(to) + letter(from)]);
    for (const from of ["f32", "f64"]) {
      for (const mode of ["rni", "rzi", "rmi", "rpi"])
        forms.push([`cvt.${mode}.${to}.${from}`, letter(to) + letter(from)]);
      forms.push([`cvt.rn.${from}.${to}`, letter(from) + letter(to)]);
    }
  }
  for (const [to, from] of [["u8", "u32"] as const, ["s8", "s32"] as const, ["u8", "f32"] as const]) {
    forms.push([from === "f32" ? `cvt.rzi.${to}.${from}` : `cvt.${to}.${from}`, "rr"]);
  }
  for (const mode of ["rni", "rzi", "rmi", "rpi"]) {
    forms.push([`cvt.${mode}.f32.f32`, "rr"], [`cvt.${mode}.f64.f64`, "dd"]);
  }
  forms.push(["cvt.f64.f32", "dr"], ["cvt.rn.f32.f64", "rd"], ["cvt.f32.f16", "rh"], ["cvt.rn.f16.f32", "hr"]);
  return forms;
})();

const COMPARISONS: readonly Form[] = [
  ...["eq", "ne", "lt", "le", "gt", "ge"].flatMap((mode): readonly Form[] => [
    ...["u32", "s32"].map((type): Form => [`setp.${mode}.${type}`, "prr"]),
    ...["u64", "s64"].map((type): Form => [`setp.${mode}.${type}`, "pdd"]),
    ...["u16", "s16"].map((type): Form => [`setp.${mode}.${type}`, "phh"]),
  ]),
  ...["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"].flatMap(
    (mode): readonly Form[] => [
      [`setp.${mode}.f32`, "prr"],
      [`setp.${mode}.f64`, "pdd"],
    ],
  ),
];

/** Registers 0 to 3 of each kind are loaded, results go to 4 and up, and all results are stored. */
function kernelOf(forms: readonly Form[]): string {
  const lines: string[] = [];
  const stores: string[] = [];
  const letters = { r: "%r", d: "%d", h: "%h", p: "%p" } as const;
  for (let i = 0; i < 4; i++) {
    lines.push(`ld.global.b32 %r${i}, [%a+${4 * i}];`, `ld.global.b64 %d${i}, [%b+${8 * i}];`);
    lines.push(`ld.global.b16 %h${i}, [%a+${4 * i + 2}];`);
  }
  forms.forEach(([instruction, operands], index) => {
    const counts = { r: 0, d: 0, h: 0, p: 0 };
    const names = [...operands].map((letter, position) => {
      const kind = letter as keyof typeof letters;
      if (position === 0) return `${letters[kind]}${4 + index}`;
      return `${letters[kind]}${counts[kind]++ % 4}`;
    });
    lines.push(`${instruction} ${names.join(", ")};`);
    const result = names[0] as string;
    const place = `[%c+${8 * index}]`;
    if (operands[0] === "p") stores.push(`selp.b32 %t, 1, 2, ${result};`, `st.global.b32 ${place}, %t;`);
    else stores.push(`st.global.b${operands[0] === "d" ? 64 : operands[0] === "h" ? 16 : 32} ${place}, ${result};`);
  });
  const n = forms.length + 4;
  return `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {
.reg .b32 %r<${n}>, %t, %x;
.reg .b64 %d<${n}>, %a, %b, %c, %o;
.reg .b16 %h<${n}>;
.reg .pred %p<${n}>;
ld.param.u64 %a, [pa];
ld.param.u64 %b, [pb];
ld.param.u64 %c, [pc];
mov.u32 %x, %tid.x;
mul.wide.u32 %o, %x, 16;
add.s64 %a, %a, %o;
mul.wide.u32 %o, %x, 32;
add.s64 %b, %b, %o;
mul.wide.u32 %o, %x, ${8 * forms.length};
add.s64 %c, %c, %o;
${[...lines, ...stores].join("\n")}
ret;
}`;
}

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
