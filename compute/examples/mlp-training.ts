/**
 * A classifier with one hidden layer, trained by stochastic gradient descent as one program: a loop over epochs around a
 * loop over batches, eight launches each. The loops are in the program, not unrolled, so a thousand epochs take no
 * more text than one; every iteration is a launch of its own that can be committed to and checked tile by tile.
 */
import { existsSync, readFileSync } from "node:fs";
import { assert } from "../../base/errors.ts";
import { type ArgumentSpec, type BufferSpec, ENGINE_VERSION, type LaunchSpec, type Program } from "../program/types.ts";

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

/** From the sources and from `dist`, which lies one folder further down. */
function readPtx(): string {
  const places = ["./mlp-training.ptx", "../../../compute/examples/mlp-training.ptx"];
  const place = places.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  assert(place !== undefined, "the PTX of the example is part of the package");
  return readFileSync(place, "utf8");
}

function int(value: number): ArgumentSpec {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return { kind: "scalar", bytes };
}

function float(value: number): ArgumentSpec {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return { kind: "scalar", bytes };
}

/** `step` times the number of the epoch (depth 0) or the batch (depth 1). */
function counter(depth: number, step: number): ArgumentSpec {
  return { kind: "counter", depth, width: 4, start: 0n, step: BigInt(step) };
}

function buffer(name: BufferName): ArgumentSpec {
  return { kind: "buffer", buffer: BUFFERS.indexOf(name) };
}

export function mlpTrainingProgram(task: MlpTraining): Program {
  assert(task.classes >= 2 && task.classes <= 16, "the kernels hold up to 16 classes");
  const ptx = readPtx();
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
