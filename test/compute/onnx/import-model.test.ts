import { describe, expect, it } from "vitest";
import { isCoded } from "../../../base/errors.ts";
import { Prng } from "../../../base/prng.ts";
import { CheckingEngine } from "../../../compute/device/checking-engine.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { type ImportOptions, importModel } from "../../../compute/onnx/import-model.ts";
import { type CheckedProgram, checkProgram } from "../../../compute/ptx/check-program.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { MODEL, type ModelSpec, makeModel } from "./support/make-model.ts";

function values(prng: Prng, count: number): readonly number[] {
  return Array.from({ length: count }, () => prng.below(2000) / 1000 - 1);
}

function run(
  model: Uint8Array,
  inputs: ReadonlyMap<string, Float32Array>,
  options: ImportOptions = {},
  Engine: new (checked: CheckedProgram) => CheckingEngine | WasmEngine = WasmEngine,
): Float32Array {
  const imported = importModel(decodeModel(model), options);
  const contents = new Map(imported.constants);
  for (const { name, buffer } of imported.inputs) {
    const given = inputs.get(name) as Float32Array;
    contents.set(buffer as string, new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
  }
  const checked = checkProgram(imported.program);
  const result = runProgram(checked, new Engine(checked), contents);
  expect(result.kind).toBe("done");
  const bytes =
    result.kind === "done"
      ? (result.outputs.get(imported.outputs[0]?.buffer as string) as Uint8Array)
      : new Uint8Array(0);
  return new Float32Array(bytes.slice().buffer);
}

/** Two layers, with the batch left open. */
function perceptron(prng: Prng): ModelSpec {
  return {
    nodes: [
      { op: "Gemm", in: ["x", "w1", "b1"], out: ["h"], int: { transB: 1 } },
      { op: "Relu", in: ["h"], out: ["r"] },
      { op: "Gemm", in: ["r", "w2", "b2"], out: ["z"] },
      { op: "Softmax", in: ["z"], out: ["y"], int: { axis: -1 } },
    ],
    inputs: { x: ["batch", 5] },
    outputs: ["y"],
    weights: {
      w1: { shape: [7, 5], values: values(prng, 35) },
      b1: { shape: [7], values: values(prng, 7) },
      w2: { shape: [7, 3], values: values(prng, 21) },
      b2: { shape: [3], values: values(prng, 3) },
    },
  };
}

/** The same in doubles. */
function perceptronInDoubles({ weights }: ModelSpec, x: Float32Array): readonly number[] {
  const at = (name: string, i: number): number => Math.fround(weights[name]?.values[i] as number);
  return Array.from({ length: x.length / 5 }, (_, row) => {
    const hidden = Array.from({ length: 7 }, (_, j) => {
      const sum = Array.from({ length: 5 }, (_, k) => (x[row * 5 + k] as number) * at("w1", j * 5 + k));
      return Math.max(
        0,
        sum.reduce((a, b) => a + b, at("b1", j)),
      );
    });
    const z = Array.from({ length: 3 }, (_, j) =>
      hidden.reduce((sum, h, k) => sum + h * at("w2", k * 3 + j), at("b2", j)),
    );
    const e = z.map((value) => Math.exp(value - Math.max(...z)));
    return e.map((value) => value / e.reduce((a, b) => a + b));
  }).flat();
}

describe("a model from a file", () => {
  it("with two layers computes what doubles say, for the batch that is given", () => {
    const prng = new Prng("perceptron");
    const spec = perceptron(prng);
    const x = Float32Array.from(values(prng, 20));
    const y = run(makeModel(spec), new Map([["x", x]]), { sizes: new Map([["batch", 4]]) });
    perceptronInDoubles(spec, x).forEach((expected, i) => {
      expect(y[i]).toBeCloseTo(expected, 5);
    });
  });

  it("gives the same bits on the engine that checks every access", () => {
    const prng = new Prng("both");
    const x = new Map([["x", Float32Array.from(values(prng, 5))]]);
    const [model, options] = [makeModel(perceptron(prng)), { sizes: new Map([["batch", 1]]) }];
    expect(run(model, x, options)).toEqual(run(model, x, options, CheckingEngine));
  });

  it("with convolution, pooling and a computed shape becomes one program of small tiles", () => {
    const prng = new Prng("convolution");
    const spec: ModelSpec = {
      nodes: [
        { op: "Conv", in: ["x", "w"], out: ["c"], ints: { pads: [1, 1, 1, 1], strides: [2, 2] } },
        { op: "BatchNormalization", in: ["c", "s", "b", "m", "v"], out: ["n"] },
        { op: "MaxPool", in: ["n"], out: ["p"], ints: { kernel_shape: [2, 2], strides: [2, 2] } },
        { op: "Shape", in: ["p"], out: ["shape"], int: { start: 0, end: 1 } },
        { op: "Concat", in: ["shape", "rest"], out: ["wanted"], int: { axis: 0 } },
        { op: "Reshape", in: ["p", "wanted"], out: ["y"] },
      ],
      inputs: { x: [2, 3, 8, 8] },
      outputs: ["y"],
      weights: {
        w: { shape: [4, 3, 3, 3], values: values(prng, 108) },
        ...Object.fromEntries(["s", "b", "m"].map((name) => [name, { shape: [4], values: values(prng, 4) }])),
        v: { shape: [4], values: [1, 2, 3, 4] },
      },
    };
    const plain = MODEL.toObject(MODEL.decode(makeModel(spec)), { arrays: true }) as {
      graph: { initializer: object[] };
    };
    plain.graph.initializer.push({ name: "rest", dataType: 7, dims: [1], int64Data: [-1] });
    const model = MODEL.encode(MODEL.fromObject(plain)).finish();
    const imported = importModel(decodeModel(model));
    expect(imported.outputs).toMatchObject([{ name: "y", type: "f32", shape: [2, 16] }]);
    // The shape was known before the run: nothing of it is left in the program.
    expect(imported.program.kernels.map(({ entry }) => entry)).toContain("conv_f32");
    expect(imported.program.steps.length).toBeLessThan(12);
    expect(run(model, new Map([["x", Float32Array.from(values(prng, 384))]])).every(Number.isFinite)).toBe(true);
  });

  it("is told apart from one whose sizes, operators or inputs we cannot take", () => {
    const spec = perceptron(new Prng("refused"));
    const refusal = (change: Partial<ModelSpec>, options: ImportOptions = {}): string =>
      codeOf(() => importModel(decodeModel(makeModel({ ...spec, ...change })), options)) ?? "";
    expect(refusal({})).toBe("ONNX_DYNAMIC");
    const sizes = new Map([["batch", 2]]);
    expect(refusal({ nodes: [{ op: "RandomNormal", in: ["x"], out: ["y"] }] }, { sizes })).toBe("ONNX_UNSUPPORTED");
    expect(refusal({ nodes: [{ op: "Relu", in: ["nothing"], out: ["y"] }] }, { sizes })).toBe("ONNX_FORMAT");
    expect(refusal({ nodes: [{ op: "MatMul", in: ["x", "w1"], out: ["y"] }] }, { sizes })).toBe("ONNX_SHAPE");
    expect(refusal({}, { sizes: new Map([["batch", 2 ** 40]]) })).toBe("ONNX_LIMIT");
  });

  it("names the node that is not built", () => {
    const spec = { ...perceptron(new Prng("named")), nodes: [{ op: "RandomNormal", in: ["x"], out: ["y"] }] };
    try {
      importModel(decodeModel(makeModel(spec)), { sizes: new Map([["batch", 2]]) });
    } catch (error) {
      expect(isCoded(error, "ONNX_UNSUPPORTED") && error.data).toMatchObject({
        node: "node0",
        operator: "RandomNormal",
      });
    }
    expect.assertions(1);
  });
});

describe("bytes that are no model", () => {
  it("end in a coded error, whatever they are", () => {
    const prng = new Prng("bytes");
    const model = makeModel(perceptron(prng));
    for (let i = 0; i < 300; i++) {
      const bytes =
        i % 3 === 0
          ? prng.bytes(prng.below(200))
          : model.slice(0, i % 3 === 1 ? model.length : prng.below(model.length));
      if (i % 3 === 1) for (let edits = 0; edits < 4; edits++) bytes[prng.below(bytes.length)] = prng.below(256);
      try {
        importModel(decodeModel(bytes), { sizes: new Map([["batch", 2]]) });
      } catch (error) {
        expect(isCoded(error), `${error}`).toBe(true);
      }
    }
  });

  it("with a tensor of another length than its shape are refused", () => {
    const tensor = (extra: object): Uint8Array =>
      MODEL.encode(
        MODEL.fromObject({ graph: { initializer: [{ name: "w", dataType: 1, dims: [3], ...extra }] } }),
      ).finish();
    expect(codeOf(() => decodeModel(tensor({ rawData: new Uint8Array(8) })))).toBe("ONNX_FORMAT");
    expect(codeOf(() => decodeModel(tensor({ floatData: [1, 2] })))).toBe("ONNX_FORMAT");
    expect(codeOf(() => decodeModel(tensor({ dims: [2 ** 40], floatData: [] })))).toBe("ONNX_LIMIT");
    expect(codeOf(() => decodeModel(tensor({ dataType: 8 })))).toBe("ONNX_UNSUPPORTED");
    expect(codeOf(() => decodeModel(tensor({ dataLocation: 1, floatData: [1, 2, 3] })))).toBe("ONNX_UNSUPPORTED");
  });

  it("that would become a hundred times as much in memory are refused before they do", () => {
    // A graph of nodes without anything: two bytes each.
    const nodes = new Uint8Array(2 * (1 << 24) + 2);
    for (let i = 0; i < nodes.length; i += 2) nodes[i] = 0x0a;
    const length = [nodes.length & 127, (nodes.length >> 7) & 127, (nodes.length >> 14) & 127, nodes.length >> 21];
    const header = [0x3a, ...length.slice(0, 3).map((byte) => byte | 128), length[3] as number];
    const bytes = new Uint8Array(header.length + nodes.length);
    bytes.set(header);
    bytes.set(nodes, header.length);
    expect(codeOf(() => decodeModel(bytes))).toBe("ONNX_LIMIT");
  });
});

describe("a small model that asks for something huge", () => {
  const ask = (nodes: ModelSpec["nodes"], inputs: ModelSpec["inputs"]): string | undefined =>
    codeOf(() => importModel(decodeModel(makeModel({ nodes, inputs, outputs: ["y"], weights: {} }))));

  it("is refused before anything huge is made", () => {
    expect(ask([{ op: "Relu", in: ["x"], out: ["y"] }], { x: [2 ** 20, 2 ** 20] })).toBe("ONNX_LIMIT");
    const outer = { op: "Einsum", in: ["x", "x"], out: ["y"] };
    expect(ask([{ op: "MatMul", in: ["x", "z"], out: ["y"] }], { x: [2 ** 20, 1], z: [1, 2 ** 20] })).toBe(
      "ONNX_LIMIT",
    );
    expect(ask([{ op: "Trilu", in: ["x"], out: ["y"] }], { x: [1, 2 ** 25] })).toBe("ONNX_LIMIT");
    expect(ask([outer], { x: [4] })).toBe("ONNX_SHAPE");
  });
});
