import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { CheckingEngine } from "../../../compute/device/checking-engine.ts";
import { type ProgramResult, runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { type MlpTraining, mlpTrainingProgram } from "../../../compute/examples/mlp-training.ts";
import { checkpointRoot } from "../../../compute/program/commitment.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";

/** A sum of uniform numbers, near enough to a bell. */
function bell(prng: Prng): number {
  return Array.from({ length: 6 }, () => prng.below(1 << 16) / (1 << 16)).reduce((a, b) => a + b) - 3;
}

function bytesOf(values: Float32Array | Int32Array): Uint8Array {
  return new Uint8Array(values.buffer);
}

/** Rings around the origin, one for each class: no straight line parts them. */
function dataset(task: MlpTraining, seed: string): ReadonlyMap<string, Uint8Array> {
  const prng = new Prng(seed);
  const count = task.samples * task.batches;
  const labels = Int32Array.from({ length: count }, () => prng.below(task.classes));
  const x = new Float32Array(count * task.features);
  labels.forEach((label, i) => {
    const angle = (prng.below(10_000) / 10_000) * 2 * Math.PI;
    const radius = 0.5 + label + 0.15 * bell(prng);
    x[i * task.features] = radius * Math.cos(angle);
    x[i * task.features + 1] = radius * Math.sin(angle);
  });
  const weights = (length: number): Float32Array => Float32Array.from({ length }, () => 0.6 * bell(prng));
  return new Map([
    ["x", bytesOf(x)],
    ["labels", bytesOf(labels)],
    ["w1", bytesOf(weights(task.units * task.features))],
    ["b1", bytesOf(weights(task.units))],
    ["w2", bytesOf(weights(task.classes * task.units))],
    ["b2", bytesOf(new Float32Array(task.classes))],
  ]);
}

function floats(result: ProgramResult, name: string): Float32Array {
  expect(result.kind).toBe("done");
  const bytes = result.kind === "done" ? result.outputs.get(name) : undefined;
  return new Float32Array((bytes as Uint8Array).slice().buffer);
}

describe("a classifier trained as a program", () => {
  const task: MlpTraining = { features: 2, units: 24, classes: 3, samples: 32, batches: 8, epochs: 80, rate: 0.25 };

  it("learns what no straight line can part", () => {
    const checked = checkProgram(mlpTrainingProgram(task));
    expect(checked.refereeable).toBe(true);
    const result = runProgram(checked, new WasmEngine(checked), dataset(task, "rings"));
    const curve = floats(result, "curve");
    const mean = (from: Float32Array): number => from.reduce((a, b) => a + b, 0) / from.length;
    expect(curve.length).toBe(640);
    expect(mean(curve.slice(0, 8))).toBeGreaterThan(0.8);
    expect(mean(curve.slice(-8))).toBeLessThan(0.15);
  });

  it("gives the same loss curve and weights to the bit on the engine that checks everything", () => {
    const small: MlpTraining = { ...task, units: 5, samples: 6, batches: 2, epochs: 2 };
    const checked = checkProgram(mlpTrainingProgram(small));
    const inputs = dataset(small, "small");
    const [fast, slow] = [new WasmEngine(checked), new CheckingEngine(checked)].map((engine) =>
      runProgram(checked, engine, inputs),
    ) as [ProgramResult, ProgramResult];
    for (const name of ["curve", "w1", "b1", "w2", "b2"]) expect(floats(fast, name)).toEqual(floats(slow, name));
  });

  it("can be committed to after every epoch, and ends elsewhere when one weight starts elsewhere", () => {
    const small: MlpTraining = { ...task, units: 4, samples: 4, batches: 2, epochs: 3 };
    const checked = checkProgram(mlpTrainingProgram(small));
    const checkpoints = (inputs: ReadonlyMap<string, Uint8Array>): readonly string[] => {
      const engine = new WasmEngine(checked);
      const roots: string[] = [];
      runProgram(checked, engine, inputs, {
        onLaunch: ({ scheduled }) => {
          if ((scheduled.index + 1) % (8 * small.batches) !== 0) return;
          const versions = checked.program.buffers.map((_, i) => contentAddress(engine.buffer(i)));
          roots.push(bytesToHex(checkpointRoot(versions)));
        },
      });
      return roots;
    };
    const inputs = dataset(small, "checkpoints");
    const roots = checkpoints(inputs);
    expect(new Set(roots).size).toBe(3);
    expect(checkpoints(inputs)).toEqual(roots);
    const changed = new Map(inputs).set("b2", bytesOf(Float32Array.of(0.5, 0, 0)));
    expect(checkpoints(changed)[0]).not.toBe(roots[0]);
  });
});
