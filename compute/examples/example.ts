/** What every example has: a program made for a size, its inputs, and something to look at when it has run. */
import { existsSync, readFileSync } from "node:fs";
import { assert } from "../../base/errors.ts";
import type { ArgumentSpec, BufferSpec, LaunchSpec, Program } from "../program/types.ts";

/** Red, green, blue and alpha of each pixel, rows from the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export interface ExampleResult {
  readonly facts: Readonly<Record<string, string | number>>;
  readonly picture?: Picture;
}

export interface ExampleRun {
  readonly program: Program;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  /** `outputs`: the buffers that make up the result, by name. */
  show(outputs: ReadonlyMap<string, Uint8Array>): ExampleResult;
}

/** A number that a user may choose. */
export interface ExampleNumber {
  readonly means: string;
  readonly usual: number;
  readonly most: number;
}

export interface ExampleChoice {
  readonly size: number;
  readonly steps: number;
  readonly picture: Picture | undefined;
  /** Of those that the example has; the first when not given. */
  readonly variant: string | undefined;
}

export interface Example {
  readonly name: string;
  readonly summary: string;
  readonly size: ExampleNumber;
  readonly steps: ExampleNumber;
  readonly variants: readonly string[];
  make(choice: ExampleChoice): ExampleRun;
}

/** From the sources and from `dist`, which lies one folder further down. */
export function examplePtx(name: string): string {
  const places = [`./${name}.ptx`, `../../../compute/examples/${name}.ptx`];
  const place = places.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  assert(place !== undefined, "the PTX of an example is part of the package");
  return readFileSync(place, "utf8");
}

export function int(value: number): ArgumentSpec {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return { kind: "scalar", bytes };
}

export function long(value: bigint): ArgumentSpec {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return { kind: "scalar", bytes };
}

export function float(value: number): ArgumentSpec {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return { kind: "scalar", bytes };
}

export function onBuffer(buffer: number): ArgumentSpec {
  return { kind: "buffer", buffer };
}

/** The two buffers in turn, by the iteration of the outermost loop. */
export function turns(first: number, second: number): ArgumentSpec {
  return { kind: "alternate", depth: 0, buffers: [first, second] };
}

/** Bytes of all buffers in whole chunks: the most that a tile can touch. */
export function bytesOfAll(buffers: readonly BufferSpec[]): number {
  return buffers.reduce((sum, { bytes }) => sum + (Math.ceil(bytes / 1024) + 1) * 1024, 0);
}

/** A launch of one block for each 16 by 16 points of a matrix that it writes behind `parameter`. */
export function squareLaunch(
  width: number,
  height: number,
  bytesEach: number,
  values: readonly ArgumentSpec[],
  budget: { readonly fuel: number; readonly bytes: number },
): LaunchSpec {
  const tile = { kind: "rows", pitch: bytesEach * width, width: 16 * bytesEach, rows: 16, plane: height } as const;
  return {
    ...{ kind: "launch", kernel: 0, dynamicShared: 0, arguments: values, ...budget },
    ...{ grid: [Math.ceil(width / 16), Math.ceil(height / 16), 1], block: [16, 16, 1] },
    tiles: [{ parameter: values.length - 1, tile }],
  };
}

export function outputOf(outputs: ReadonlyMap<string, Uint8Array>, name: string): DataView {
  const bytes = outputs.get(name);
  assert(bytes !== undefined, "the program has that output");
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
