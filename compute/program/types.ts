/** A job program: kernels, buffers and the launches that connect them. docs/spec/job-program.md defines each field. */

/** Numbers along x, y and z. */
export type Extent = readonly [number, number, number];

/** The engine that defines results. It changes only by a scheduled upgrade. */
export const ENGINE_VERSION = 1;

export interface KernelSource {
  readonly ptx: string;
  readonly entry: string;
}

export type BufferKind = "input" | "constant" | "zero" | "scratch";

export interface BufferSpec {
  readonly name: string;
  readonly kind: BufferKind;
  readonly bytes: number;
  /** The content address of a constant. */
  readonly address?: Uint8Array;
}

export type ArgumentSpec =
  | { readonly kind: "scalar"; readonly bytes: Uint8Array }
  | { readonly kind: "buffer"; readonly buffer: number }
  /** start + step * iteration of the loop at `depth` (0 is the outermost), of 4 or 8 bytes. */
  | {
      readonly kind: "counter";
      readonly depth: number;
      readonly width: 4 | 8;
      readonly start: bigint;
      readonly step: bigint;
    }
  /** The buffers in turn, one for each iteration: how loops go back and forth between two states. */
  | { readonly kind: "alternate"; readonly depth: number; readonly buffers: readonly number[] };

/** How a buffer that a launch writes is divided among its blocks. */
export type TileSpec =
  /** All of it belongs to the launch as a whole, which is checked as one tile. */
  | { readonly kind: "whole" }
  /** Block i, counted x first, owns bytes i * bytes to (i + 1) * bytes, cut at the end. */
  | { readonly kind: "run"; readonly bytes: number }
  /**
   * A stack of matrices with rows of `pitch` bytes and `plane` rows each: block (x, y, z) owns columns from x * width and
   * rows from y * rows of matrix z, cut at the edges.
   */
  | {
      readonly kind: "rows";
      readonly pitch: number;
      readonly width: number;
      readonly rows: number;
      readonly plane: number;
    };

export interface TileAssignment {
  /** The parameter behind which the buffer lies. */
  readonly parameter: number;
  readonly tile: TileSpec;
}

export interface LaunchSpec {
  readonly kind: "launch";
  readonly kernel: number;
  readonly grid: Extent;
  readonly block: Extent;
  /** Bytes of `.extern .shared` memory. */
  readonly dynamicShared: number;
  readonly arguments: readonly ArgumentSpec[];
  /** One for each parameter that the kernel writes through, ascending. */
  readonly tiles: readonly TileAssignment[];
  /** What one tile may use. */
  readonly fuel: number;
  /** Bytes of buffers that one tile may touch, counted in whole chunks of 1 KiB. */
  readonly bytes: number;
}

export interface LoopSpec {
  readonly kind: "loop";
  readonly count: number;
  readonly body: readonly StepSpec[];
}

export type StepSpec = LaunchSpec | LoopSpec;

export interface Program {
  readonly engine: number;
  readonly kernels: readonly KernelSource[];
  readonly buffers: readonly BufferSpec[];
  readonly steps: readonly StepSpec[];
  /** Buffers that make up the result, ascending. */
  readonly outputs: readonly number[];
}
