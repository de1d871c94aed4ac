/** Draws by a block's beacon: who gets a seat, and which tile it checks. Each seat has a beacon of its own. */
import { bytes32, bytesToBigint, concatBytes, utf8 } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { sha256 } from "../../../base/sha256.ts";
import { type DrawnPlace, drawPlace } from "../../../compute/program/draw-place.ts";
import type { Program } from "../../../compute/program/types.ts";
import type { Address } from "../../state/account.ts";
import { currentEpoch } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { programPlan } from "../programs/program-store.ts";
import { drawVerifier, snapshotFor } from "../verifiers/snapshot.ts";
import { excludedOf, type RoundFacts } from "./round-record.ts";

const SEAT_TAG = utf8("OpenGPU/SEAT");
const PLACE_TAG = utf8("OpenGPU/PLACE");

/** The program without its kernels' text. It was there when the round began, and stays. */
export function planOf(own: ModuleCall, { program }: RoundFacts): Program {
  const plan = programPlan(own, program);
  assert(plan !== undefined, "the round's program is published");
  return plan;
}

/**
 * Draws go by the stake from before the commitment. Were that snapshot gone, because the set changed so often since, those
 * of now are better than none.
 */
export function epochOfDraws(own: ModuleCall, { epoch }: RoundFacts): bigint {
  return snapshotFor(own, epoch) === undefined ? currentEpoch(own) : epoch;
}

/** `undefined` if there is nobody who is no party of the job. */
export function drawHolder(own: ModuleCall, facts: RoundFacts, seat: number): Address | undefined {
  const seed = concatBytes(SEAT_TAG, own.environment.prevRandao, bytes32(facts.id));
  return drawVerifier(own, epochOfDraws(own, facts), seed, seat, excludedOf(own, facts.id));
}

/**
 * A tile of the segment, weighted by the compute units that it may use. Of a segment that ends with a trap, every other seat,
 * the first among them, checks the trap: it is the whole result, and one liar on it must not be enough. The others check
 * what led there, or the trap too if nothing did.
 */
export function drawTile(own: ModuleCall, facts: RoundFacts, seat: number): DrawnPlace {
  const { first, end, trapTile } = facts;
  if (trapTile !== undefined && (seat % 2 === 0 || end - 1 === first)) return { launch: end - 1, tile: trapTile };
  const number = sha256(concatBytes(PLACE_TAG, own.environment.prevRandao, bytes32(facts.id), bytes32(BigInt(seat))));
  return drawPlace(planOf(own, facts), { first, end: trapTile === undefined ? end : end - 1 }, bytesToBigint(number));
}
