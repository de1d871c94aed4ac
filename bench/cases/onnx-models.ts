/** Whole ONNX models on the processor, bit-exact and tile by tile, beside ONNX Runtime on the same threads. */
import { availableParallelism } from "node:os";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { CpuDevice } from "../../compute/device/cpu-device.ts";
import { loadAddon } from "../../compute/native/addon.ts";
import { decodeModel } from "../../compute/onnx/decode-model.ts";
import { importModel } from "../../compute/onnx/import-model.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import { type ModelSpec, makeModel } from "../../test/compute/onnx/support/make-model.ts";
import { residualNetwork, transformerBlock } from "../../test/compute/onnx/support/sample-models.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { type Contestant, interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  /** Pixels along a side, and channels of the first layer. */
  readonly side: number;
  readonly channels: number;
  readonly length: number;
  readonly width: number;
}

export const benchCase: BenchCase<Params> = {
  name: "onnx-models",
  description: "inferences/s of a residual network and of a transformer block, beside ONNX Runtime on the CPU",
  sizes: {
    smoke: { rounds: 1, side: 12, channels: 8, length: 32, width: 32 },
    full: { rounds: 7, side: 112, channels: 64, length: 256, width: 512 },
  },
  run,
};

interface Prepared {
  readonly ours: Contestant & { readonly result: () => Float32Array };
  readonly theirs: Contestant & { readonly result: () => Float32Array };
}

async function prepare(name: string, spec: ModelSpec): Promise<Prepared> {
  const shape = spec.inputs["x"] as readonly number[];
  const x = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => ((i * 7919) % 2001) / 1000 - 1);
  const model = makeModel(spec);
  const threads = availableParallelism();
  const session = await InferenceSession.create(model, { intraOpNumThreads: threads, logSeverityLevel: 3 });
  const imported = importModel(decodeModel(model));
  const checked = checkProgram(imported.program);
  const inputs = new Map([[imported.inputs[0]?.buffer ?? "", new Uint8Array(x.buffer)]]);
  const addon = loadAddon();
  const device = new CpuDevice("cpu" in addon ? addon.cpu : undefined, { threads });
  const prepared = device.prepare(checked, imported.constants);
  let [mine, other] = [new Float32Array(0), new Float32Array(0)];
  return {
    ours: {
      name: `${name}, ours`,
      run: async () => {
        const result = await prepared.run(inputs);
        if (result.kind === "trap") throw new Error(`the program trapped: ${result.trap.reason}`);
        mine = new Float32Array((result.outputs.get(imported.outputs[0]?.buffer ?? "") as Uint8Array).slice().buffer);
        return 1;
      },
      result: () => mine,
    },
    theirs: {
      name: `${name}, ONNX Runtime`,
      run: async () => {
        const results = await session.run({ x: new Tensor("float32", x, shape) });
        other = results[spec.outputs[0] as string]?.data as Float32Array<ArrayBuffer>;
        return 1;
      },
      result: () => other,
    },
  };
}

async function run({ rounds, side, channels, length, width }: Params): Promise<BenchResult> {
  const models = [
    await prepare("residual network", residualNetwork(1, side, channels)),
    await prepare("transformer block", transformerBlock(length, width, 4, true)),
  ];
  const rates = await interleave(
    rounds,
    models.flatMap(({ ours, theirs }) => [ours, theirs]),
  );
  const near = models.every(({ ours, theirs }) => {
    const expected = theirs.result();
    return ours.result().every((value, i) => Math.abs(value - (expected[i] as number)) < 1e-3);
  });
  return {
    measurements: models.flatMap(({ ours, theirs }) =>
      [ours, theirs].map(({ name }) => ({ name, value: rates.rate(name), unit: "inferences/s" })),
    ),
    comparisons: models.map(({ ours, theirs }) => ({
      ...{ name: `${ours.name} beside ONNX Runtime`, ratio: rates.ratio(ours.name, theirs.name) },
      target: { atLeast: 0.5 },
    })),
    agreed: near,
  };
}
