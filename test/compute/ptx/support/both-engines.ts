/** Runs a kernel on the compiler and on the interpreter, which must leave the same bits everywhere. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { checkKernel } from "../../../../compute/ptx/check.ts";
import { type InterpretedOutcome, interpretBlock } from "../../../../compute/ptx/interpreter/interpret.ts";
import { type CompileOptions, compileKernel } from "../../../../compute/ptx/wasm/compile.ts";
import {
  type Argument,
  type BlockOutcome,
  Machine,
  scratchBytes,
  type TileWindow,
  type Triple,
} from "../../../../compute/ptx/wasm/machine.ts";

export interface Job {
  readonly text: string;
  readonly entry: string;
  readonly grid: Triple;
  readonly block: Triple;
  readonly dynamicShared?: number;
  readonly arguments: readonly Argument[];
  readonly buffers: readonly Uint8Array[];
  /** Parameter -> window of a block; the whole buffer when not given. */
  readonly windows?: (block: Triple) => ReadonlyMap<number, TileWindow>;
  readonly fuel?: number;
}

export interface Outcome {
  readonly outcomes: readonly BlockOutcome[];
  readonly buffers: readonly Uint8Array[];
}

function blocksOf([x, y, z]: Triple): readonly Triple[] {
  return Array.from({ length: x * y * z }, (_, i) => [i % x, Math.floor(i / x) % y, Math.floor(i / (x * y))] as const);
}

export function runCompiled(job: Job, options: CompileOptions = {}): Outcome {
  const compiled = compileKernel(checkKernel(job.text, job.entry), options);
  const [x, y, z] = job.block;
  const lengths = job.buffers.map(({ length }) => length);
  const machine = new Machine(scratchBytes(compiled, x * y * z), lengths);
  job.buffers.forEach((bytes, index) => {
    machine.buffer(index).set(bytes);
  });
  const loaded = machine.load(compiled);
  const { grid, block, dynamicShared = 0, arguments: values } = job;
  loaded.begin({ grid, block, dynamicShared, arguments: values });
  const outcomes = blocksOf(grid).map((at) => {
    for (const [parameter, window] of job.windows?.(at) ?? []) loaded.setTile(parameter, window);
    return loaded.runBlock(at, job.fuel ?? 1e9);
  });
  return { outcomes, buffers: job.buffers.map((_, index) => machine.buffer(index).slice()) };
}

/** `shuffle` puts blocks and threads in another order. */
export function runInterpreted(
  job: Job,
  shuffle?: (items: number[]) => readonly number[],
): { readonly outcomes: readonly InterpretedOutcome[] } & Outcome {
  const checked = checkKernel(job.text, job.entry);
  const buffers = job.buffers.map((bytes) => bytes.slice());
  const { grid, block, dynamicShared = 0, arguments: values, fuel = 1e9 } = job;
  const shape = { grid, block, dynamicShared, arguments: values };
  const blocks = blocksOf(grid);
  const inOrder = (count: number): readonly number[] => {
    const ascending = Array.from({ length: count }, (_, i) => i);
    return shuffle?.(ascending) ?? ascending;
  };
  const outcomes = inOrder(blocks.length).map((index) => {
    const at = blocks[index] as Triple;
    const order = inOrder(block[0] * block[1] * block[2]);
    return interpretBlock({ checked, shape, buffers, windows: job.windows?.(at) ?? new Map(), block: at, fuel, order });
  });
  return { outcomes: outcomes as readonly BlockOutcome[], buffers };
}

/** The compiled engine in checking mode. */
export function runChecked(job: Job): Outcome {
  return runCompiled(job, { findRaces: true });
}

/** Runs on both, expects the same, and gives the buffers. */
export function runBoth(job: Job): Outcome {
  const compiled = runCompiled(job);
  const interpreted = runInterpreted(job);
  expect(compiled.outcomes).toEqual(interpreted.outcomes);
  // Checking finds nothing more here, and changes nothing.
  expect(runChecked(job)).toEqual(compiled);
  // What a block that trapped left behind is nobody's result.
  if (compiled.outcomes.some(({ kind }) => kind === "trap")) return compiled;
  compiled.buffers.forEach((bytes, index) => {
    expect(Buffer.from(bytes).equals(Buffer.from(interpreted.buffers[index] as Uint8Array)), `buffer ${index}`).toBe(
      true,
    );
  });
  return compiled;
}

export function kernelText(name: string): string {
  return readFileSync(new URL(`../kernels/${name}.ptx`, import.meta.url), "utf8");
}

export function int32(value: number): Argument {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return { kind: "bytes", bytes };
}

export function uint64(value: bigint): Argument {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return { kind: "bytes", bytes };
}

export function float32(value: number): Argument {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return { kind: "bytes", bytes };
}

export function buffer(index: number): Argument {
  return { kind: "buffer", buffer: index };
}
