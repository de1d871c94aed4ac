/** What a warp operation gives each of its lanes, from what they brought (PTX ISA, shfl.sync, vote.sync, match.sync). */
import type { Instruction } from "../ir.ts";
import * as at from "./layout.ts";

/** A view of the frames of one warp; lane -> index of its frame in 32-bit words. */
export interface WarpFrames {
  readonly words: Int32Array;
  wordOf(lane: number): number;
}

/** `members` are the lanes that take part: all that wait at this operation with the same mask. */
export function runWarpOperation(frames: WarpFrames, wait: Instruction, members: number): void {
  if (wait.op === "shfl") {
    shuffle(frames, wait.mode, members);
    return;
  }
  if (wait.op === "vote") {
    vote(frames, wait.mode, members);
    return;
  }
  if (wait.op === "match") match(frames, wait, members);
}

function has(members: number, lane: number): boolean {
  return ((members >>> lane) & 1) !== 0;
}

function give({ words, wordOf }: WarpFrames, lane: number, value: number, predicate: number): void {
  words[wordOf(lane) + (at.FRAME_OUT_VALUE >> 2)] = value;
  words[wordOf(lane) + (at.FRAME_OUT_PREDICATE >> 2)] = predicate;
}

function brought({ words, wordOf }: WarpFrames, lane: number, place: number): number {
  return words[wordOf(lane) + (place >> 2)] as number;
}

/**
 * The lane that is read lies in the reader's segment, or the reader keeps its own value. The caller has made sure that
 * every lane that is read takes part.
 */
function shuffle(frames: WarpFrames, mode: string, members: number): void {
  for (let lane = 0; lane < 32; lane++) {
    if (!has(members, lane)) continue;
    const [source, inRange] = shuffleSource(mode, lane, frames);
    const from = inRange ? source : lane;
    give(frames, lane, brought(frames, from, at.FRAME_IN_VALUE), inRange ? 1 : 0);
  }
}

/** Whether no lane reads one that is not there. */
export function readsOnlyMembers(frames: WarpFrames, mode: string, members: number): boolean {
  for (let lane = 0; lane < 32; lane++) {
    if (!has(members, lane)) continue;
    const [source, inRange] = shuffleSource(mode, lane, frames);
    if (inRange && !has(members, source)) return false;
  }
  return true;
}

function shuffleSource(mode: string, lane: number, frames: WarpFrames): readonly [number, boolean] {
  const offset = brought(frames, lane, at.FRAME_IN_LANE) & 31;
  const control = brought(frames, lane, at.FRAME_IN_CLAMP);
  const clamp = control & 31;
  const segment = (control >>> 8) & 31;
  const maximum = (lane & segment) | (clamp & ~segment & 31);
  const minimum = lane & segment;
  if (mode === "up") return [lane - offset, lane - offset >= maximum];
  if (mode === "down") return [lane + offset, lane + offset <= maximum];
  if (mode === "bfly") return [lane ^ offset, (lane ^ offset) <= maximum];
  const target = minimum | (offset & ~segment & 31);
  return [target, target <= maximum];
}

function vote(frames: WarpFrames, mode: string, members: number): void {
  let yes = 0;
  for (let lane = 0; lane < 32; lane++) {
    if (has(members, lane) && brought(frames, lane, at.FRAME_IN_VALUE) !== 0) yes |= 1 << lane;
  }
  const all = yes === members;
  const outcomes: Readonly<Record<string, number>> = {
    ballot: yes,
    all: all ? 1 : 0,
    any: yes !== 0 ? 1 : 0,
    uni: all || yes === 0 ? 1 : 0,
  };
  for (let lane = 0; lane < 32; lane++) if (has(members, lane)) give(frames, lane, outcomes[mode] as number, 0);
}

function match(frames: WarpFrames, { type, mode }: Instruction, members: number): void {
  const wide = type === "b64";
  const same = (a: number, b: number): boolean =>
    brought(frames, a, at.FRAME_IN_VALUE) === brought(frames, b, at.FRAME_IN_VALUE) &&
    (!wide || brought(frames, a, at.FRAME_IN_VALUE + 4) === brought(frames, b, at.FRAME_IN_VALUE + 4));
  for (let lane = 0; lane < 32; lane++) {
    if (!has(members, lane)) continue;
    let equal = 0;
    for (let other = 0; other < 32; other++) if (has(members, other) && same(lane, other)) equal |= 1 << other;
    const everybody = equal === members;
    if (mode === "any") give(frames, lane, equal, 0);
    else give(frames, lane, everybody ? members : 0, everybody ? 1 : 0);
  }
}
