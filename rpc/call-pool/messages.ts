/** What the RPC's thread and a call worker say to each other. Several at a time: waking a thread costs more than most jobs. */
import type { JobName } from "../calls/jobs.ts";
import type { ViewSettings } from "../thread/settings.ts";
import type { WireError } from "../thread/wire-error.ts";

export interface CallWorkerSettings extends ViewSettings {
  /** Shared: how many jobs the worker has done, also those whose outcomes it has not told yet. */
  readonly done: Int32Array;
  /** Shared: by the number of the job, counted round, 1 when nobody wants its result any more. */
  readonly unwanted: Int32Array;
}

export interface JobMessage {
  readonly name: JobName;
  readonly request: unknown;
}

/** An empty list says that there is a new block. */
export type ToCallWorker = readonly JobMessage[];

/** In the order of the jobs; an empty list says that the worker is ready. */
export type FromCallWorker = readonly JobOutcome[];

export type JobOutcome = {
  readonly milliseconds: number;
  /** It ran on a later block than it was asked to. */
  readonly isLater?: boolean;
} & ({ readonly result: unknown } | { readonly error: WireError });
