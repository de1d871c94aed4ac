/** What passes between a verifier and the thread that recomputes for it. */
import type { TileQuestion } from "../tiles/check-tile-inputs.ts";
import type { RecomputedTile } from "./recompute-tile.ts";

export interface TileOrder {
  readonly id: number;
  /** Encoded. */
  readonly program: Uint8Array;
  readonly question: Omit<TileQuestion, "checked">;
  /** As the worker of the job sent them. */
  readonly inputs: Uint8Array;
}

export type TileAnswer =
  | { readonly id: number; readonly kind: "found"; readonly found: RecomputedTile }
  /** What was sent does not hold, or is not all. */
  | { readonly id: number; readonly kind: "failed"; readonly code: string; readonly message: string };
