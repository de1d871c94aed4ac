/** What a pool of workers and its members say to each other. */
import type { ScheduledLaunch } from "../../program/schedule.ts";
import type { Program } from "../../program/types.ts";
import type { BlockRange, ProgramTrap } from "../run-program.ts";

/** Given to a worker when it starts. */
export interface WorkerJob {
  readonly program: Program;
  readonly buffers: readonly SharedArrayBuffer[];
}

export interface WorkerOrder {
  readonly scheduled: ScheduledLaunch;
  readonly range: BlockRange;
  readonly versions: readonly number[];
}

export type WorkerAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "trap"; readonly trap: ProgramTrap }
  /** The engine could not be made. */
  | { readonly kind: "failed"; readonly code: string; readonly message: string };
