/** What the referee needs of a round, and what its verdict does to it. */
import type { Hex } from "../../../base/bytes.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { closeRound, endChallenges, reject } from "./decide.ts";
import {
  changeDispute,
  NO_VOTES,
  OUTCOME,
  readDispute,
  settleDigest,
  settledDigest,
  writeDispute,
} from "./dispute-record.ts";
import { freezeSpeakers } from "./freeze.ts";
import { MAX_CHALLENGES } from "./limits.ts";
import { changeState, keepCatcher, type RoundFacts, readState, requireFacts } from "./round-record.ts";
import { GUILTY, PHASE, REASON, type RefereeVerdict } from "./round-types.ts";
import { openedOf, seatPlace } from "./seat-record.ts";
import { goOn } from "./tier-one.ts";

/**
 * A challenge begins: the round does not close before its verdict, and nobody who has spoken gets its stake out. Reverts
 * unless the round waits for one: undecided, or decided and within its time. A challenge ends with `onVerdict`, or with
 * another's that proves the tile which both defend.
 */
export function openChallenge(call: ModuleCall, round: bigint): RoundFacts {
  const own = call.in(VERIFICATION_ADDRESS);
  const facts = requireFacts(own, round);
  const state = readState(own, round);
  if (state.isFinal || state.phase < PHASE.referee)
    throw revertWith(verificationAbi, "WrongPhase", [round, state.phase]);
  const now = protocolTime(own);
  if (now >= state.by) throw revertWith(verificationAbi, "TooLate", [state.by, now]);
  if (state.challenges >= MAX_CHALLENGES) throw revertWith(verificationAbi, "TooMany", [BigInt(MAX_CHALLENGES)]);
  changeState(own, round, { challenges: state.challenges + 1, isFrozen: true });
  if (!state.isFrozen)
    freezeSpeakers(
      own,
      facts,
      Array.from({ length: facts.seats }, (_, seat) => seat),
    );
  return facts;
}

/**
 * Whether a challenge of the tile may overturn what the round stands on: the dispute, which counts it until it has its verdict.
 * Reverts with AlreadyProven where nothing is left to find out.
 */
export function noteDefence(call: ModuleCall, { id }: RoundFacts, launch: number, tile: number): number | undefined {
  const own = call.in(VERIFICATION_ADDRESS);
  const index = disputeAt(own, id, readState(own, id).disputes, launch, tile);
  if (index === undefined) return undefined;
  const { outcome, defences } = readDispute(own, id, index);
  if (outcome === OUTCOME.proven) throw revertWith(verificationAbi, "AlreadyProven", [id, launch, tile]);
  if (!isStoodOn(outcome)) return undefined;
  changeDispute(own, id, index, { defences: defences + 1 });
  return index;
}

function isStoodOn(outcome: number): boolean {
  return outcome === OUTCOME.false || outcome === OUTCOME.exhausted;
}

/** What a tile that somebody defends was proven to be meanwhile; `undefined` if it was not. */
export function provenMeanwhile(call: ModuleCall, round: bigint, dispute: number | undefined): Hex | undefined {
  const own = call.in(VERIFICATION_ADDRESS);
  if (dispute === undefined || readDispute(own, round, dispute).outcome !== OUTCOME.proven) return undefined;
  return settledDigest(own, round, dispute);
}

/** What the worker opened of that tile for a seat; `undefined` if no seat had it. */
export function openedAt(call: ModuleCall, { id, seats }: RoundFacts, launch: number, tile: number): Hex | undefined {
  const own = call.in(VERIFICATION_ADDRESS);
  const seat = seatAt(own, id, seats, launch, tile);
  return seat === undefined ? undefined : openedOf(own, id, seat);
}

function seatAt(own: ModuleCall, round: bigint, seats: number, launch: number, tile: number): number | undefined {
  for (let seat = 0; seat < seats; seat++) {
    const place = seatPlace(own, round, seat);
    if (place.launch === launch && place.tile === tile) return seat;
  }
  return undefined;
}

/**
 * A challenge has ended, of the dispute `defends` if it defended one. Says whether it has changed what was decided, so that
 * it was right to call the referee.
 */
export function onVerdict(
  call: ModuleCall,
  verdict: RefereeVerdict,
  challenger: Address,
  defends: number | undefined = undefined,
): boolean {
  const own = call.in(VERIFICATION_ADDRESS);
  const facts = requireFacts(own, verdict.round);
  const { challenges } = readState(own, facts.id);
  changeState(own, facts.id, { challenges: challenges - 1 });
  if (defends !== undefined) {
    changeDispute(own, facts.id, defends, { defences: readDispute(own, facts.id, defends).defences - 1 });
  }
  const isChanged = apply(own, facts, verdict, challenger);
  closeIfOver(own, facts);
  return isChanged;
}

/** What is shown to be false, and by whom. */
interface Proof {
  readonly reason: number;
  readonly guilty: number;
  readonly by: Address;
}

function apply(own: ModuleCall, facts: RoundFacts, verdict: RefereeVerdict, by: Address): boolean {
  if (verdict.verdict === "challenge-failed") return false;
  if (verdict.verdict === "worker-right") return vindicate(own, facts, verdict);
  const isWrong = verdict.verdict === "worker-wrong";
  const found = isWrong
    ? { reason: REASON.refereeFalse, guilty: GUILTY.worker }
    : { reason: REASON.refereeTrap, guilty: GUILTY.program };
  return convict(own, facts, verdict, { ...found, by });
}

/** Proof that a committed output or checkpoint is not what the launches left; no tile is judged by it. */
export function onFalseOutput(call: ModuleCall, round: bigint): void {
  const own = call.in(VERIFICATION_ADDRESS);
  const by = call.message.caller;
  disprove(own, requireFacts(own, round), { reason: REASON.falseOutput, guilty: GUILTY.worker, by });
}

/**
 * Whoever shows what no vote had found has caught the worker; a proof of what was voted already tells nothing new. What is
 * false on purpose stays so: nobody may earn a canary's collateral once it is known to be one.
 */
function disprove(own: ModuleCall, facts: RoundFacts, { reason, guilty, by }: Proof): boolean {
  const before = readState(own, facts.id);
  const isRejected = before.phase === PHASE.rejected;
  if (before.isDisproven || (isRejected && before.reason === REASON.canary)) return false;
  const isKnown = isRejected && before.guilty === GUILTY.worker;
  if (guilty === GUILTY.worker && !isKnown) keepCatcher(own, facts.id, by);
  changeState(own, facts.id, { isDisproven: true });
  reject(own, facts, reason, guilty);
  return true;
}

/** The tile is what the worker said. If the round stood on it, it goes on. */
function vindicate(own: ModuleCall, facts: RoundFacts, { launch, tile, digest }: RefereeVerdict): boolean {
  const { disputes, isDisproven } = readState(own, facts.id);
  const index = disputeAt(own, facts.id, disputes, launch, tile);
  if (index === undefined) return false;
  const { outcome } = readDispute(own, facts.id, index);
  settleProven(own, facts.id, index, digest);
  if (!isStoodOn(outcome) || isDisproven) return false;
  goOn(own, facts, REASON.refereeTrue);
  return true;
}

/**
 * Proof ends everything: what else was in doubt does not matter any more. The tile is kept when a seat is judged by it, so
 * that a round never has more of them than seats and one.
 */
function convict(own: ModuleCall, facts: RoundFacts, { launch, tile, digest }: RefereeVerdict, proof: Proof): boolean {
  const { disputes } = readState(own, facts.id);
  const known = disputeAt(own, facts.id, disputes, launch, tile);
  const seat = seatAt(own, facts.id, facts.seats, launch, tile);
  if (known !== undefined) settleProven(own, facts.id, known, digest);
  else if (seat !== undefined) {
    addProven(own, facts, disputes, { launch, tile, seat });
    settleProven(own, facts.id, disputes, digest);
  }
  return disprove(own, facts, proof);
}

/** Others that defend the tile have their answer: their places are free at once, so that nobody keeps them by waiting. */
function settleProven(own: ModuleCall, round: bigint, index: number, digest: Hex | undefined): void {
  const { defences } = readDispute(own, round, index);
  if (defences > 0) changeState(own, round, { challenges: readState(own, round).challenges - defences });
  changeDispute(own, round, index, { outcome: OUTCOME.proven, defences: 0 });
  settleDigest(own, round, index, digest);
}

function disputeAt(own: ModuleCall, round: bigint, disputes: number, launch: number, tile: number): number | undefined {
  for (let index = 0; index < disputes; index++) {
    const dispute = readDispute(own, round, index);
    if (dispute.launch === launch && dispute.tile === tile) return index;
  }
  return undefined;
}

/** A tile that nobody disputed: seats that had it are judged by it all the same. */
function addProven(
  own: ModuleCall,
  { id }: RoundFacts,
  index: number,
  at: { readonly launch: number; readonly tile: number; readonly seat: number },
): void {
  writeDispute(own, id, index, { ...at, everybody: false, outcome: OUTCOME.proven, ...NO_VOTES });
  changeState(own, id, { disputes: index + 1 });
}

/** Time that ran out while the challenge waited. */
function closeIfOver(own: ModuleCall, facts: RoundFacts): void {
  const { isFinal, by, challenges, phase } = readState(own, facts.id);
  if (isFinal || challenges > 0 || by === 0n || protocolTime(own) < by) return;
  if (phase === PHASE.accepted || phase === PHASE.rejected) endChallenges(own, facts);
  else if (phase === PHASE.referee) endReferee(own, facts);
}

/** Nobody has proven anything about what votes could not decide: nobody is guilty, and nothing is accepted. */
export function endReferee(own: ModuleCall, facts: RoundFacts): void {
  if (readState(own, facts.id).challenges > 0) return;
  changeState(own, facts.id, { phase: PHASE.rejected, reason: REASON.undecided, guilty: GUILTY.nobody });
  closeRound(own, facts);
}
