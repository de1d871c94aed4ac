/**
 * A classifier with one hidden layer, trained by stochastic gradient descent as one program: a loop over epochs around a
 * loop over batches, eight launches each. The loops are in the program, not unrolled, so a thousand epochs take no
 * more text than one; every iteration is a launch of its own that can be committed to and checked tile by tile.
 */
import { assert } from "../../base/errors.ts";
import { Prng } from "../../base/prng.ts";
import { type ArgumentSpec, type BufferSpec, ENGINE_VERSION, type LaunchSpec, type Program } from "../program/types.ts";
import { type Example, examplePtx, float, int, outputOf } from "./example.ts";

export interface MlpTraining {
  readonly features: number;
  readonly units: number;
  /** At most 16. */
  readonly classes: number;
  /** Samples of a batch. */
  readonly samples: number;
  readonly batches: number;
  readonly epochs: number;
  readonly rate: number;
}

const THREADS = 64;

const KERNELS = ["hidden_layer", "output_error", "hidden_error", "descend", "descend_bias", "note_loss"] as const;

/** In the order of the program's buffers; weights and biases are inputs, which the loop changes. */
const BUFFERS = ["x", "labels", "w1", "b1", "w2", "b2", "hidden", "error", "hiddenError", "loss", "curve"] as const;
type BufferName = (typeof BUFFERS)[number];

/** `step` times the number of the epoch (depth 0) or the batch (depth 1). */
function counter(depth: number, step: number): ArgumentSpec {
  return { kind: "counter", depth, width: 4, start: 0n, step: BigInt(step) };
}

function buffer(name: BufferName): ArgumentSpec {
  return { kind: "buffer", buffer: BUFFERS.indexOf(name) };
}

export function mlpTrainingProgram(task: MlpTraining): Program {
  assert(task.classes >= 2 && task.classes <= 16, "the kernels hold up to 16 classes");
  const ptx = examplePtx("mlp-training");
  return {
    engine: ENGINE_VERSION,
    kernels: KERNELS.map((entry) => ({ ptx, entry })),
    buffers: buffersOf(task),
    steps: [{ kind: "loop", count: task.epochs, body: [{ kind: "loop", count: task.batches, body: batchOf(task) }] }],
    outputs: (["w1", "b1", "w2", "b2", "curve"] as const).map((name) => BUFFERS.indexOf(name)),
  };
}

function buffersOf({ features, units, classes, samples, batches, epochs }: MlpTraining): readonly BufferSpec[] {
  const elements: Readonly<Record<BufferName, number>> = {
    x: samples * batches * features,
    labels: samples * batches,
    w1: units * features,
    b1: units,
    w2: classes * units,
    b2: classes,
    hidden: samples * units,
    error: samples * classes,
    hiddenError: samples * units,
    loss: samples,
    curve: epochs * batches,
  };
  const given: readonly BufferName[] = ["x", "labels", "w1", "b1", "w2", "b2"];
  return BUFFERS.map((name) => ({
    name,
    kind: given.includes(name) ? "input" : name === "curve" ? "zero" : "scratch",
    bytes: 4 * elements[name],
  }));
}

interface Output {
  readonly parameter: number;
  /** Bytes that one thread makes. */
  readonly each: number;
}

/** `steps` bounds what one thread repeats. */
function launch(
  entry: (typeof KERNELS)[number],
  count: number,
  values: readonly ArgumentSpec[],
  outputs: readonly Output[],
  steps: number,
): LaunchSpec {
  return {
    ...{ kind: "launch", kernel: KERNELS.indexOf(entry), dynamicShared: 0, arguments: values },
    ...{ grid: [Math.ceil(count / THREADS), 1, 1], block: [THREADS, 1, 1] },
    tiles: outputs.map(({ parameter, each }) => ({ parameter, tile: { kind: "run", bytes: THREADS * each } })),
    ...{ fuel: THREADS * (500 + 60 * steps), bytes: 1 << 20 },
  };
}

function batchOf({ features, units, classes, samples, batches, rate }: MlpTraining): readonly LaunchSpec[] {
  const first = counter(1, samples);
  const zero = int(0);
  const sizes = (...values: readonly number[]): readonly ArgumentSpec[] => values.map(int);
  const on = (...names: readonly BufferName[]): readonly ArgumentSpec[] => names.map(buffer);
  const one = (parameter: number): readonly Output[] => [{ parameter, each: 4 }];
  const all = samples * units;
  const descend = (inputs: number, outputs: number, start: ArgumentSpec, names: readonly BufferName[]): LaunchSpec => {
    const numbers = [...sizes(inputs * outputs, samples, inputs, outputs), start, float(rate)];
    return launch("descend", inputs * outputs, [...numbers, ...on(...names)], one(8), samples);
  };
  const bias = (outputs: number, names: readonly BufferName[]): LaunchSpec => {
    const numbers = [...sizes(outputs, samples), float(rate)];
    return launch("descend_bias", outputs, [...numbers, ...on(...names)], one(4), samples);
  };
  const forward = [...sizes(all, features, units), first, ...on("x", "w1", "b1", "hidden")];
  const wrong = [...sizes(samples, units, classes), first, ...on("hidden", "w2", "b2", "labels", "error", "loss")];
  const back = [...sizes(all, units, classes), ...on("hidden", "error", "w2", "hiddenError")];
  const note = [int(samples), counter(0, batches), counter(1, 1), ...on("loss", "curve")];
  return [
    launch("hidden_layer", all, forward, one(7), features),
    launch("output_error", samples, wrong, [{ parameter: 8, each: 4 * classes }, ...one(9)], classes * (units + 20)),
    launch("hidden_error", all, back, one(6), classes),
    descend(units, classes, zero, ["hidden", "error", "w2"]),
    bias(classes, ["error", "b2"]),
    descend(features, units, first, ["x", "hiddenError", "w1"]),
    bias(units, ["hiddenError", "b1"]),
    {
      ...launch("note_loss", 1, note, [], samples),
      ...{ block: [1, 1, 1], tiles: [{ parameter: 4, tile: { kind: "whole" } }], fuel: 500 + 60 * samples },
    },
  ];
}

/** Rings around the origin, one for each class: no straight line parts them. */
export function ringsData({ features, units, classes, samples, batches }: MlpTraining): Map<string, Uint8Array> {
  const prng = new Prng("rings");
  const uniform = (): number => prng.below(1 << 16) / (1 << 16);
  const count = samples * batches;
  const labels = Int32Array.from({ length: count }, () => prng.below(classes));
  const x = new Float32Array(count * features);
  labels.forEach((label, i) => {
    const angle = 2 * Math.PI * uniform();
    const radius = 0.4 + label + 0.2 * uniform();
    x.set([radius * Math.cos(angle), radius * Math.sin(angle)], i * features);
  });
  const weights = (length: number): Float32Array => Float32Array.from({ length }, () => 1.6 * uniform() - 0.8);
  const [w1, b1, w2, b2] = [weights(units * features), weights(units), weights(classes * units), weights(classes)];
  return new Map(
    Object.entries({ x, labels, w1, b1, w2, b2 }).map(([name, values]) => [name, new Uint8Array(values.buffer)]),
  );
}

export const mlpTraining: Example = {
  name: "mlp-training",
  summary: "Train a classifier with one hidden layer by gradient descent",
  size: { means: "units of the hidden layer", usual: 24, most: 1_024 },
  steps: { means: "epochs", usual: 60, most: 100_000 },
  variants: [],
  make({ size, steps }) {
    const task = { features: 2, units: size, classes: 3, samples: 32, batches: 8, epochs: steps, rate: 0.25 };
    return {
      program: mlpTrainingProgram(task),
      inputs: ringsData(task),
      show(outputs) {
        const curve = outputOf(outputs, "curve");
        const mean = (epoch: number): number =>
          Array.from({ length: task.batches }, (_, i) => curve.getFloat32(4 * (epoch * task.batches + i), true)).reduce(
            (a, b) => a + b,
          ) / task.batches;
        const shown = [...new Set([0, 1, 2, 3, 4].map((i) => Math.round((i * (steps - 1)) / 4)))];
        return {
          facts: Object.fromEntries(shown.map((epoch) => [`loss in epoch ${epoch + 1}`, mean(epoch).toFixed(6)])),
        };
      },
    };
  },
};
