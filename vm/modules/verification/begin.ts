/** A round begins: the market asks for it, in the account that pays. */
import { assert } from "../../../base/errors.ts";
import { launchAt, launchesIn } from "../../../compute/program/schedule.ts";
import { segmentRange } from "../../../compute/program/segments.ts";
import { tilesOf } from "../../../compute/program/tiles.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import { currentEpoch } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { planGas, programPlan } from "../programs/program-store.ts";
import { MAX_ADDRESSES, MAX_EXCLUDED_PARTIES, MAX_SEATS, ROUND_GAS, SEAT_GAS } from "./limits.ts";
import { enterPhase } from "./phases.ts";
import { keepInputs, writeRound } from "./round-record.ts";
import { PHASE, type RoundRequest } from "./round-types.ts";
import { drawAtBlock } from "./timers.ts";

/**
 * Begins a round and gives its number. `from` is in the account of the market, which pays for all seats at once. Reverts
 * with BadCommitment when the commitment cannot be of that segment; what else is wrong is the market's own mistake.
 */
export function beginRound(from: ModuleCall, request: RoundRequest): bigint {
  const { seats, seatFee, inputs, commitment } = request;
  assert(seats >= 1 && seats <= MAX_SEATS, "a round has seats, and not too many");
  assert(inputs.length <= MAX_ADDRESSES && commitment.outputs.length <= MAX_ADDRESSES, "a program has fewer buffers");
  const excluded = [...new Set([request.client, request.worker, ...request.excluded])];
  assert(excluded.length <= MAX_EXCLUDED_PARTIES, "a job has few parties");
  const own = from.in(VERIFICATION_ADDRESS);
  const { first, end } = committedRange(own, request);
  // Each draw of a seat reads the plan, whatever its length.
  own.charge(ROUND_GAS + (SEAT_GAS + planGas(own, request.program)) * BigInt(seats));
  if (seatFee > 0n) from.pay(VERIFICATION_ADDRESS, BigInt(seats) * seatFee);
  keepInputs(own, request.job, inputs);
  const id = writeRound(own, request, { first, end, epoch: currentEpoch(own) }, excluded);
  const { job, worker, program, segment } = request;
  own.emit(verificationAbi, "RoundBegun", { round: id, job, worker, program, segment, seats });
  enterPhase(own, id, PHASE.sealing, undefined);
  drawAtBlock(own, id, own.environment.number + own.parameters.verification.drawDelay);
  return id;
}

/** The launches that were committed: the segment's, or as far as the trap. */
function committedRange(
  own: ModuleCall,
  { program, segment, segments, commitment: { trap } }: RoundRequest,
): { readonly first: number; readonly end: number } {
  const plan = programPlan(own, program);
  assert(plan !== undefined, "the program is published");
  const { first, end } = segmentRange(launchesIn(plan.steps), segments, segment);
  const refused = revertWith(verificationAbi, "BadCommitment", []);
  if (first >= end) throw refused;
  if (trap === undefined) return { first, end };
  const launch = launchAt(plan, trap.launch)?.launch;
  if (trap.launch < first || trap.launch >= end || launch === undefined) throw refused;
  if (trap.tile < 0 || trap.tile >= tilesOf(launch)) throw refused;
  return { first, end: trap.launch + 1 };
}
