/** Branches, loops, and operators made of others, beside ONNX Runtime. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { importModel } from "../../../compute/onnx/import-model.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { type GraphSpec, type ModelSpec, makeModel } from "./support/make-model.ts";

type Inputs = Readonly<Record<string, Tensor>>;

function floats(seed: string, ...shape: readonly number[]): Tensor {
  const prng = new Prng(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  return new Tensor(
    "float32",
    Float32Array.from({ length: count }, () => prng.below(2001) / 1000 - 1),
    shape,
  );
}

function bytesOf({ data }: Tensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = data as Float32Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function ours(
  model: Uint8Array,
  inputs: Inputs,
): readonly { readonly shape: readonly number[]; readonly values: Float32Array }[] {
  const imported = importModel(decodeModel(model));
  const contents = new Map(imported.constants);
  for (const { name, buffer } of imported.inputs) {
    if (buffer !== undefined) contents.set(buffer, bytesOf(inputs[name] as Tensor));
  }
  const checked = checkProgram(imported.program);
  const result = runProgram(checked, new WasmEngine(checked), contents);
  if (result.kind === "trap") throw new Error(`trapped: ${result.trap.reason}`);
  return imported.outputs.map(({ shape, buffer }) => ({
    ...{ shape, values: new Float32Array((result.outputs.get(buffer ?? "") as Uint8Array).slice().buffer) },
  }));
}

async function expectSame(spec: ModelSpec, inputs: Inputs): Promise<void> {
  const model = makeModel(spec);
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const theirs = await session.run(inputs);
  ours(model, inputs).forEach(({ shape, values }, i) => {
    const expected = theirs[spec.outputs[i] as string] as Tensor;
    expect(shape).toEqual([...expected.dims]);
    (expected.data as Float32Array).forEach((value, at) => {
      expect(Math.abs((values[at] as number) - value), `${i}, element ${at}`).toBeLessThan(
        1e-4 * Math.max(1, Math.abs(value)),
      );
    });
  });
}

const BOOL = 9;
const I64 = 7;

describe("a branch", () => {
  const one = (op: string): GraphSpec => ({
    ...{ nodes: [{ op, in: ["x", "w"], out: [`${op}y`] }], inputs: {}, outputs: { [`${op}y`]: [3] } },
    weights: { w: { shape: [3], values: [1, 2, 3] } },
  });
  const branches = { then_branch: one("Add"), else_branch: one("Mul") };

  it("is taken by a condition that is computed, like ONNX Runtime does", async () => {
    const spec: ModelSpec = {
      nodes: [
        { op: "ReduceSum", in: ["x"], out: ["sum"], int: { keepdims: 0 } },
        { op: "Greater", in: ["sum", "zero"], out: ["condition"] },
        { op: "If", in: ["condition"], out: ["y"], graphs: branches },
      ],
      ...{ inputs: { x: [3] }, outputs: ["y"], weights: { zero: { shape: [], values: [0] } } },
    };
    for (const values of [
      [1, 2, 3],
      [-1, -2, -3],
    ]) {
      await expectSame(spec, { x: new Tensor("float32", Float32Array.from(values), [3]) });
    }
  });

  it("that is known leaves nothing of the other one", () => {
    const spec: ModelSpec = {
      nodes: [
        { op: "Greater", in: ["one", "zero"], out: ["condition"] },
        { op: "If", in: ["condition"], out: ["y"], graphs: branches },
      ],
      ...{ inputs: { x: [3] }, outputs: ["y"] },
      weights: { zero: { shape: [], values: [0] }, one: { shape: [], values: [1] } },
    };
    const { program } = importModel(decodeModel(makeModel(spec)));
    expect(program.steps).toHaveLength(1);
    expect(program.kernels.map(({ entry }) => entry)).toEqual(["add"]);
  });
});

describe("a loop", () => {
  const body: GraphSpec = {
    nodes: [
      { op: "Identity", in: ["going"], out: ["goesOn"] },
      { op: "MatMul", in: ["state", "m"], out: ["moved"] },
      { op: "Tanh", in: ["moved"], out: ["next"] },
      { op: "ReduceSum", in: ["next"], out: ["row"], int: { keepdims: 0 } },
    ],
    inputs: { round: [], going: [], state: [2, 4] },
    outputs: { goesOn: [], next: [2, 4], row: [] },
    types: { round: I64, going: BOOL, goesOn: BOOL },
  };
  const looped = (count: number): ModelSpec => ({
    nodes: [{ op: "Loop", in: ["count", "", "x"], out: ["y", "rows"], graphs: { body } }],
    ...{ inputs: { x: [2, 4], m: [4, 4] }, outputs: ["y", "rows"] },
    weights: { count: { shape: [], values: [count], integers: true } },
  });

  it("is written out, sees the values around it, and stacks its rows", async () => {
    await expectSame(looped(5), { x: floats("x", 2, 4), m: floats("m", 4, 4) });
  });

  it("ends when its condition does", async () => {
    const counting: GraphSpec = {
      nodes: [
        { op: "Less", in: ["round", "three"], out: ["goesOn"] },
        { op: "Add", in: ["state", "x"], out: ["next"] },
      ],
      inputs: { round: [], going: [], state: [2] },
      outputs: { goesOn: [], next: [2] },
      types: { round: I64, going: BOOL, goesOn: BOOL },
      weights: { three: { shape: [], values: [3], integers: true } },
    };
    const spec: ModelSpec = {
      nodes: [{ op: "Loop", in: ["most", "", "x"], out: ["y"], graphs: { body: counting } }],
      ...{ inputs: { x: [2] }, outputs: ["y"], weights: { most: { shape: [], values: [100], integers: true } } },
    };
    await expectSame(spec, { x: floats("x", 2) });
  });

  it("of too many rounds, or of loops within loops, is refused", () => {
    expect(() => importModel(decodeModel(makeModel(looped(100_000))))).toThrow(
      expect.objectContaining({ code: "ONNX_LIMIT" }),
    );
    let deep = body;
    for (let depth = 0; depth < 12; depth++) {
      const inner = { op: "Loop", in: ["m", "", "state"], out: ["next"], graphs: { body: deep } };
      deep = { ...body, nodes: [inner] };
    }
    const nested: ModelSpec = {
      ...looped(2),
      nodes: [{ op: "Loop", in: ["count", "", "x"], out: ["y"], graphs: { body: deep } }],
    };
    expect(() => decodeModel(makeModel(nested))).toThrow(expect.objectContaining({ code: "ONNX_LIMIT" }));
  });

  it("that does nothing, within others that do nothing, ends", () => {
    let idle: GraphSpec = { ...body, nodes: [], outputs: { going: [], state: [2, 4] } };
    for (let depth = 0; depth < 5; depth++) {
      const inner = { op: "Loop", in: ["count", "", "state"], out: [`next${depth}`], graphs: { body: idle } };
      idle = { ...body, nodes: [inner], outputs: { going: [], [`next${depth}`]: [2, 4] } };
    }
    const nodes = [{ op: "Loop", in: ["count", "", "x"], out: ["y"], graphs: { body: idle } }];
    const spec = { ...looped(500), nodes, outputs: ["y"] };
    expect(() => importModel(decodeModel(makeModel(spec)))).toThrow(expect.objectContaining({ code: "ONNX_LIMIT" }));
  });

  it("whose rounds are not known is told with its node", () => {
    const spec = { ...looped(1), inputs: { x: [2, 4], m: [4, 4], count: [] }, types: { count: I64 }, weights: {} };
    expect(() => importModel(decodeModel(makeModel(spec)))).toThrow(
      expect.objectContaining({ code: "ONNX_DYNAMIC", data: expect.objectContaining({ operator: "Loop" }) }),
    );
  });
});

it("a scan goes through its input in either direction", async () => {
  const body: GraphSpec = {
    nodes: [
      { op: "Add", in: ["sum", "part"], out: ["next"] },
      { op: "Mul", in: ["next", "part"], out: ["row"] },
    ],
    inputs: { sum: [3], part: [3] },
    outputs: { next: [3], row: [3] },
  };
  for (const directions of [{}, { scan_input_directions: [1], scan_output_axes: [1], scan_output_directions: [1] }]) {
    const spec: ModelSpec = {
      nodes: [
        {
          op: "Scan",
          in: ["start", "x"],
          out: ["end", "rows"],
          int: { num_scan_inputs: 1 },
          ints: directions,
          graphs: { body },
        },
      ],
      ...{ inputs: { start: [3], x: [5, 3] }, outputs: ["end", "rows"], weights: {} },
    };
    await expectSame(spec, { start: floats("start", 3), x: floats("x", 5, 3) });
  }
});

it.each(["half_pixel", "output_half_pixel"])("regions are sampled as ONNX Runtime does: %s", async (mode) => {
  const spec: ModelSpec = {
    nodes: [
      {
        ...{ op: "RoiAlign", in: ["x", "regions", "owners"], out: ["y"] },
        int: { output_height: 3, output_width: 2, sampling_ratio: 2 },
        ...{ float: { spatial_scale: 0.5 }, text: { coordinate_transformation_mode: mode } },
      },
    ],
    ...{ inputs: { x: [2, 3, 9, 7] }, outputs: ["y"] },
    weights: {
      // Inside, over the edge, far outside, and hardly there.
      regions: { shape: [4, 4], values: [1, 2, 9, 12, -4, -3, 20, 25, 30, 30, 40, 40, 5, 5, 5.5, 5.25] },
      owners: { shape: [4], values: [0, 1, 0, 1], integers: true },
    },
  };
  await expectSame(spec, { x: floats("image", 2, 3, 9, 7) });
});

it.each(["TF", "IDF", "TFIDF"])("sequences are counted as ONNX Runtime does: %s", async (mode) => {
  const spec: ModelSpec = {
    nodes: [
      { op: "Cast", in: ["x"], out: ["words"], int: { to: I64 } },
      {
        ...{ op: "TfIdfVectorizer", in: ["words"], out: ["y"], text: { mode } },
        int: { min_gram_length: 1, max_gram_length: 2, max_skip_count: 2 },
        ints: { ngram_counts: [0, 3], ngram_indexes: [2, 0, 4, 3, 1], pool_int64s: [1, 2, 3, 1, 2, 3, 3] },
        floats: { weights: [0.5, 2, 3.5, 4.25, 0.125] },
      },
    ],
    ...{ inputs: { x: [2, 8] }, outputs: ["y"], weights: {} },
  };
  const words = Float32Array.of(1, 2, 3, 3, 1, 0, 2, 2, 3, 0, 3, 1, 1, 2, 9, 2);
  await expectSame(spec, { x: new Tensor("float32", words, [2, 8]) });
});
