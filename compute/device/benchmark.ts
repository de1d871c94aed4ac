/**
 * How fast a device is at the few things that most work is made of. A provider registers the result: rates for people and
 * for matching, and a digest that says which programs were run, what they gave, and how fast.
 */
import { bytesToHex, equalBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { Prng } from "../../base/prng.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { type StandardCase, standardProgram } from "../kernels/standard-program.ts";
import { encodeProgram } from "../program/codec.ts";
import { contentAddress } from "../program/merkle.ts";
import { ENGINE_VERSION, type Program } from "../program/types.ts";
import { type CheckedProgram, checkProgram } from "../ptx/check-program.ts";
import type { Device, PreparedProgram } from "./device.ts";
import type { DeviceErrorCode } from "./engine.ts";

export interface BenchmarkTask {
  readonly name: string;
  /** What is counted, for a second. */
  readonly unit: string;
  /** How much of it one run of the program is. */
  readonly work: number;
  readonly program: Program;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
}

export interface BenchmarkRow {
  readonly task: string;
  readonly unit: string;
  /** Whole units in a second. */
  readonly rate: number;
  /** The content addresses of the program and of what it gave. */
  readonly program: string;
  readonly result: string;
}

export interface Benchmark {
  readonly device: string;
  readonly rows: readonly BenchmarkRow[];
  /** Hash of all of it. */
  readonly digest: string;
}

export interface BenchmarkOptions {
  /** Milliseconds that the launches of a task take at least. */
  readonly duration: number;
  readonly signal?: AbortSignal;
  readonly onTask?: (task: string) => void;
}

/** Launches of one program at the most, when one of them is very short. */
const MOST_LAUNCHES = 4_096;
/** How many times as often it is launched until that takes long enough. */
const GROWTH = 4;

/** Floats that go through memory: 128 MiB in and as much out is more than caches hold. */
const MOST_FLOATS: number = 1 << 25;

/** Products of matrices of `side` by `side`, and many more floats than those have through memory. */
export function standardTasks(side: number): readonly BenchmarkTask[] {
  const count = Math.min(32 * side * side, MOST_FLOATS);
  return [
    standardTask("gemm f32", "FLOP/s", 2 * side ** 3, { kernel: "gemm", numbers: gemmNumbers(side) }),
    standardTask("gemm int8", "OP/s", 2 * side ** 3, { kernel: "gemm_int8", numbers: [side, side, side, 1, 1, 0, 0] }),
    // Reads and writes each element once, and does next to nothing with it.
    standardTask("memory", "B/s", 8 * count, { kernel: "negate", numbers: [count] }),
  ];
}

function gemmNumbers(side: number): readonly number[] {
  return [side, side, side, 0, side, 1, 0, side, 1];
}

function standardTask(name: string, unit: string, work: number, chosen: StandardCase): BenchmarkTask {
  const program = standardProgram(chosen);
  const prng = new Prng(`benchmark ${name}`);
  const inputs = program.buffers.flatMap(({ name: buffer, kind, bytes }) => {
    if (kind !== "input") return [];
    // Ordinary numbers of either sign, a thousand of them over and over.
    const some = Float32Array.from({ length: 1_000 }, () => prng.below(20_001) / 10_000 - 1);
    const contents = new Uint8Array(bytes);
    const pattern = new Uint8Array(some.buffer);
    for (let at = 0; at < bytes; at += pattern.length) contents.set(pattern.subarray(0, bytes - at), at);
    return [[buffer, contents] as const];
  });
  return { name, unit, work, program, inputs: new Map(inputs) };
}

/** Rejects with DEVICE_FAILED when a task traps, or gives one result now and another one then. */
export async function benchmark(
  device: Device,
  tasks: readonly BenchmarkTask[],
  options: BenchmarkOptions,
): Promise<Benchmark> {
  const rows: BenchmarkRow[] = [];
  for (const task of tasks) {
    options.onTask?.(task.name);
    rows.push(await measure(device, task, options));
  }
  return { device: device.name, rows, digest: bytesToHex(digestOf(device.name, rows)) };
}

/** The kernels are checked already. */
function repeated(checked: CheckedProgram, count: number): CheckedProgram {
  const { program, fuel } = checked;
  const steps = [{ kind: "loop", count, body: program.steps }] as const;
  return { ...checked, program: { ...program, steps }, fuel: fuel * BigInt(count) };
}

async function measure(device: Device, task: BenchmarkTask, options: BenchmarkOptions): Promise<BenchmarkRow> {
  const { name, unit, work, program, inputs } = task;
  let result: Uint8Array | undefined;
  const time = async (prepared: PreparedProgram): Promise<number> => {
    const start = performance.now();
    const got = await prepared.run(inputs, options.signal === undefined ? {} : { signal: options.signal });
    const taken = performance.now() - start;
    if (got.kind === "trap") throw failed(`${name} traps: ${got.trap.reason}`);
    const address = contentAddress(encodeRlp([...got.outputs.values()]));
    if (result !== undefined && !equalBytes(result, address)) throw failed(`${name} gives other bits each time`);
    result = address;
    return taken;
  };
  const checked = checkProgram(program);
  // The first one only warms up.
  await time(device.prepare(checked, inputs));
  const single = await time(device.prepare(checked, inputs));
  // What one run costs besides its launches (kernels to compile, inputs to copy) is in both times.
  for (let count = GROWTH; ; count *= GROWTH) {
    const longer = (await time(device.prepare(repeated(checked, count), inputs))) - single;
    if (longer < options.duration && count < MOST_LAUNCHES) continue;
    const rate = Math.floor((1_000 * (count - 1) * work) / Math.max(longer, 0.001));
    return {
      ...{ task: name, unit, rate },
      ...{
        program: bytesToHex(contentAddress(encodeProgram(program))),
        result: bytesToHex(result ?? new Uint8Array(32)),
      },
    };
  }
}

function failed(message: string): CodedError<DeviceErrorCode> {
  return new CodedError<DeviceErrorCode>("DEVICE_FAILED", message);
}

function digestOf(device: string, rows: readonly BenchmarkRow[]): Uint8Array {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  return contentAddress(
    encodeRlp([
      rlpOfInteger(BigInt(ENGINE_VERSION)),
      text(device),
      rows.map(({ task, program, rate, result }) => [
        text(task),
        text(program),
        rlpOfInteger(BigInt(rate)),
        text(result),
      ]),
    ]),
  );
}
