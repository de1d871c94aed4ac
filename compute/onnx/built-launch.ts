/** A launch as lowering collects it: over stores, which become buffers when the program is put together. */
import type { Extent, KernelSource, TileSpec } from "../program/types.ts";

export interface BuiltLaunch {
  readonly kernel: KernelSource;
  readonly grid: Extent;
  readonly block: Extent;
  readonly arguments: readonly (Uint8Array | { readonly store: number; readonly written: boolean })[];
  /** How each store that is written is divided among blocks. */
  readonly tiles: ReadonlyMap<number, TileSpec>;
  /** What one block may use; all of its buffers when no bytes are said. */
  readonly fuel: number;
  readonly bytes: number | undefined;
}
