/** A job is verified in segments: its launches cut into equal parts. */
import { assert } from "../../base/errors.ts";

/** Launches from `first` up to `end`, which is not one of them. */
export interface LaunchRange {
  readonly first: number;
  readonly end: number;
}

/** Segment `segment` of `segments`, of a program with this many launches; empty where there are more segments than launches. */
export function segmentRange(launches: number, segments: number, segment: number): LaunchRange {
  assert(segments >= 1 && segment >= 0 && segment < segments, "the segment is one of the segments");
  const cut = (at: number): number => Number((BigInt(at) * BigInt(launches)) / BigInt(segments));
  return { first: cut(segment), end: cut(segment + 1) };
}
