/** PTX that other compilers than nvcc write: clang's own output, and the way in which Triton writes. */
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { checkModule } from "../../../compute/ptx/check.ts";
import { exactFma32 } from "../../../compute/ptx/exact-fma.ts";
import { words32, words64 } from "./support/bit-patterns.ts";
import { buffer, float32, int32, type Job, kernelText, type Outcome, runBoth } from "./support/both-engines.ts";

const prng = new Prng("other compilers");

function run(file: string, entry: string, more: Pick<Job, "arguments" | "buffers"> & Partial<Job>): Outcome {
  const outcome = runBoth({ text: kernelText(file), entry, grid: [1, 1, 1], block: [64, 1, 1], ...more });
  expect(outcome.outcomes.every(({ kind }) => kind === "done")).toBe(true);
  return outcome;
}

function bytes(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
}

function floats({ buffers }: Outcome, index: number): Float32Array {
  return new Float32Array((buffers[index] as Uint8Array).slice().buffer);
}

function randomFloats(count: number): Float32Array {
  return Float32Array.from({ length: count }, () => prng.below(20_000) / 1_000 - 10);
}

describe("kernels as clang compiles them give the same on both engines, and the right answer,", () => {
  it("with a fused multiply-add", () => {
    const [x, y] = [randomFloats(100), randomFloats(100)];
    const out = run("clang", "saxpy", {
      ...{ grid: [2, 1, 1], arguments: [int32(100), float32(1.7), buffer(0), buffer(1), buffer(2)] },
      buffers: [bytes(x), bytes(y), new Uint8Array(400)],
    });
    const patterns = (values: Float32Array): readonly bigint[] => [...new Uint32Array(values.buffer)].map(BigInt);
    const [factor = 0n] = patterns(Float32Array.of(1.7));
    const added = patterns(y);
    expect(patterns(floats(out, 2))).toEqual(
      patterns(x).map((bits, i) => exactFma32(factor, bits, added[i] as bigint)),
    );
  });

  it("with a sum in shared memory", () => {
    const [rows, columns] = [3, 300];
    const x = Float32Array.from({ length: rows * columns }, () => prng.below(100));
    const out = run("clang", "sum_rows", {
      ...{ grid: [rows, 1, 1], block: [128, 1, 1], arguments: [int32(columns), buffer(0), buffer(1)] },
      buffers: [bytes(x), new Uint8Array(4 * rows)],
    });
    const sums = Array.from({ length: rows }, (_, row) =>
      x.subarray(row * columns, (row + 1) * columns).reduce((a, b) => a + b),
    );
    expect([...floats(out, 1)]).toEqual(sums);
  });

  it("with shuffles", () => {
    const x = Int32Array.from({ length: 64 }, () => prng.below(1_000) - 500);
    const out = run("clang", "warp_sum", {
      ...{ arguments: [buffer(0), buffer(1)], buffers: [bytes(x), new Uint8Array(256)] },
    });
    const sums = [0, 32].flatMap((from) => Array(32).fill(x.subarray(from, from + 32).reduce((a, b) => a + b)));
    expect([...new Int32Array((out.buffers[1] as Uint8Array).buffer)]).toEqual(sums);
  });

  it("with a structure by value, a call, constants, a switch and local memory", () => {
    const by = new Uint8Array(24);
    const view = new DataView(by.buffer);
    [1.25, -7.5].forEach((value, i) => {
      view.setFloat64(8 * i, value, true);
    });
    view.setFloat32(16, 0.1, true);
    view.setInt16(20, 3, true);
    const x = words32(prng, 64);
    const out = run("clang", "several", {
      ...{ arguments: [{ kind: "bytes", bytes: by }, buffer(0), buffer(1)], buffers: [bytes(x), new Uint8Array(512)] },
    });
    expect([...new Float64Array((out.buffers[1] as Uint8Array).buffer)]).toEqual([...x].map(several));
  });

  it("with division in 64 bits", () => {
    const [x, y] = [words64(prng, 64), words64(prng, 64)];
    const signed = new BigInt64Array(x.buffer.slice(0)).map((value) => (value === -(2n ** 63n) ? 5n : value));
    const out = run("clang", "wide_division", {
      arguments: [0, 1, 2, 3].map(buffer),
      buffers: [bytes(signed), bytes(y), new Uint8Array(512), new Uint8Array(512)],
    });
    const unsigned = [...y].map((value) => BigInt.asUintN(64, BigInt(value)));
    const quotients = [...signed].map((value, i) => value / (((unsigned[i] as bigint) >> 33n) | 1n));
    const rests = unsigned.map((value, i) => value % (BigInt.asUintN(64, signed[i] as bigint) | 1n));
    expect([...new BigInt64Array((out.buffers[2] as Uint8Array).buffer)]).toEqual(quotients);
    expect([...new BigUint64Array((out.buffers[3] as Uint8Array).buffer)]).toEqual(rests);
  });

  it("with atomics in shared memory", () => {
    const x = Uint8Array.from({ length: 128 }, () => prng.below(256));
    const out = run("clang", "histogram", {
      ...{ grid: [2, 1, 1], arguments: [buffer(0), buffer(1)], buffers: [x, new Uint8Array(128)] },
    });
    const counts = new Array<number>(32).fill(0);
    x.forEach((value, i) => {
      const at = 16 * Math.floor(i / 64) + Math.floor(value / 16);
      counts[at] = (counts[at] as number) + 1;
    });
    expect([...new Uint32Array((out.buffers[1] as Uint8Array).buffer)]).toEqual(counts);
  });
});

const TABLE = [3, 1, 4, 1, 5, 9, 2, 6];

/** What the kernel of that name computes, with its structure as the test fills it. */
function several(value: number, thread: number): number {
  let mixed = value;
  for (let i = 0; i < 3 + (thread % 4); i++) {
    const turned = ((mixed << 7) | (mixed >>> 25)) >>> 0;
    mixed = (Math.imul(turned, 0x9e3779b1) + (TABLE[mixed % 8] as number)) >>> 0;
  }
  const digits = Array.from({ length: 10 }, (_, i) => Math.floor(mixed / 10 ** i) % 10);
  const picked = digits[(thread + 3) % 10] as number;
  const ones = [...value.toString(2)].filter((digit) => digit === "1").length;
  const answers = [
    ...[1.25 * picked, -7.5 / (picked + 1), Math.fround(0.1) - picked, Math.sqrt((digits[3] as number) + 2)],
    ones + Math.clz32(value | 1),
  ];
  return answers[picked % 5] as number;
}

describe("kernels as Triton writes them give the same on both engines, and the right answer,", () => {
  it("with loads and stores by masks", () => {
    const count = 812;
    const [x, y] = [randomFloats(count), randomFloats(count)];
    const out = run("triton", "masked_add", {
      ...{ grid: [2, 1, 1], block: [128, 1, 1], arguments: [buffer(0), buffer(1), buffer(2), int32(count)] },
      buffers: [bytes(x), bytes(y), new Uint8Array(4 * count)],
    });
    expect([...floats(out, 2)]).toEqual([...x.map((value, i) => value + (y[i] as number))]);
  });

  it("with a reduction by shuffles and shared memory", () => {
    const [rows, columns] = [5, 100];
    const x = randomFloats(rows * columns);
    const out = run("triton", "row_max", {
      ...{ grid: [rows, 1, 1], block: [128, 1, 1], dynamicShared: 16 },
      arguments: [buffer(0), buffer(1), int32(columns), { kind: "bytes", bytes: new Uint8Array(8) }],
      buffers: [bytes(x), new Uint8Array(4 * rows)],
    });
    const most = Array.from({ length: rows }, (_, row) => Math.max(...x.subarray(row * columns, (row + 1) * columns)));
    expect([...floats(out, 1)]).toEqual(most);
  });

  it("and is told how to write what it may fuse", () => {
    const fused = kernelText("triton").replaceAll("add.rn.f32", "add.f32");
    const [report] = checkModule(fused);
    expect(report?.problems[0]).toMatchObject({ code: "PTX_REFUSED" });
    expect(report?.problems[0]?.message).toContain("add.f32");
  });
});

describe("the address of a parameter", () => {
  it("that is used for anything but reading the parameter is refused where it stands", () => {
    const text = kernelText("clang").replace(/ld\.param\.f64\s+(%fd\d+), \[(%rd\d+)\+8\];/, "cvt.rn.f64.u64 $1, $2;");
    expect(text).not.toBe(kernelText("clang"));
    const report = checkModule(text).find(({ name }) => name === "several");
    expect(report?.problems.map(({ message }) => message).join("\n")).toContain("several_param_0");
  });
});
