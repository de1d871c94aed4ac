/** Whole models beside ONNX Runtime, whose sums go in another order: equal within a tolerance. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { importModel } from "../../../compute/onnx/import-model.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { type ModelSpec, makeModel } from "./support/make-model.ts";
import { residualNetwork, transformerBlock } from "./support/sample-models.ts";

function ours(model: Uint8Array, x: Float32Array): { readonly y: Float32Array; readonly kernels: readonly string[] } {
  const imported = importModel(decodeModel(model));
  const contents = new Map(imported.constants);
  contents.set(imported.inputs[0]?.buffer as string, new Uint8Array(x.buffer));
  const checked = checkProgram(imported.program);
  const result = runProgram(checked, new WasmEngine(checked), contents);
  const bytes = result.kind === "done" ? result.outputs.get(imported.outputs[0]?.buffer as string) : undefined;
  return {
    y: new Float32Array((bytes as Uint8Array).slice().buffer),
    kernels: imported.program.kernels.map(({ entry }) => entry),
  };
}

async function theirs(model: Uint8Array, spec: ModelSpec, x: Float32Array): Promise<Float32Array> {
  const session = await InferenceSession.create(model, { logSeverityLevel: 3 });
  const { [spec.outputs[0] as string]: y } = await session.run({
    x: new Tensor("float32", x, spec.inputs["x"] as readonly number[]),
  });
  return y?.data as Float32Array;
}

describe("the same model gives the same answer here and in ONNX Runtime:", () => {
  it.each([
    ["a residual network", residualNetwork(2, 20, 8), ["conv", "conv_f32"]],
    ["a transformer encoder", transformerBlock(40, 32, 4, false), ["gemm", "gelu"]],
    ["a decoder that sees only what came before", transformerBlock(70, 64, 4, true), ["gemm", "softmax", "layer_norm"]],
  ] as const)("%s", async (name, spec, kernels) => {
    const count = (spec.inputs["x"] as readonly number[]).reduce((a, b) => a * b);
    const prng = new Prng(name);
    const x = Float32Array.from({ length: count }, () => prng.below(20_001) / 10_000 - 1);
    const model = makeModel(spec);
    const made = ours(model, x);
    const expected = await theirs(model, spec, x);
    expect(made.y.length).toBe(expected.length);
    for (const kernel of kernels) expect(made.kernels).toContain(kernel);
    expected.forEach((value, i) => {
      expect(Math.abs((made.y[i] as number) - value), `element ${i}`).toBeLessThan(2e-5 * Math.max(1, Math.abs(value)));
    });
  });
});
