/** What runs segments: this process, or workers on other machines through a queue. Everything in it can be sent as JSON. */
import type { Hex } from "../../../base/bytes.ts";
import type { DrawnPlace } from "../../program/draw-place.ts";
import type { Commitment } from "../ports.ts";
import type { PlaceOpening } from "./segment-work.ts";

export interface SegmentTask {
  readonly job: string;
  readonly segment: number;
  /** Launches from `first` up to `end`, which is not one of them. */
  readonly first: number;
  readonly end: number;
  /** Content addresses of the encoded program and of the inputs. */
  readonly program: Hex;
  readonly inputs: readonly Hex[];
  /** The state from which the segment starts: its root, and the manifest's address. Null for the first one. */
  readonly checkpoint: { readonly root: Hex; readonly manifest: Hex } | null;
  readonly seed: Hex;
  /** Base URLs of whoever may have the blobs. */
  readonly places: readonly string[];
}

export interface SegmentOutcome {
  readonly commitment: Commitment;
  /** Of the state after the segment; null after a trap or the last segment. */
  readonly manifest: Hex | null;
  readonly device: string;
  /** Why the device was not believed and the reference ran instead; null when it was. */
  readonly distrusted: string | null;
  readonly milliseconds: number;
}

export interface SegmentRunner {
  /** Rejects with a coded error when it cannot be done here; a trap is a result. */
  run(task: SegmentTask, onProgress: (launches: number) => void, signal: AbortSignal): Promise<SegmentOutcome>;
  open(task: SegmentTask, places: readonly DrawnPlace[], signal: AbortSignal): Promise<readonly PlaceOpening[]>;
  /** Encoded, as it goes to the seat. */
  inputs(task: SegmentTask, place: DrawnPlace, signal: AbortSignal): Promise<Uint8Array>;
}

/** Names a segment of a job of one worker: the seed is of it alone. */
export function taskKey({ job, segment, seed }: SegmentTask): string {
  return `${job}-${segment}-${seed.slice(2, 18)}`;
}
