/**
 * Tier 1: a disputed tile is put to the vote, one tile after the other. Waves of drawn seats move the lead counter until it
 * decides; where verifiers are few, everybody votes once and two thirds of the stake decide. What neither decides waits for
 * the referee.
 */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { tileDigest } from "../../../compute/program/digest.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { ModuleCall } from "../module-call.ts";
import { snapshotFor, weightAt } from "../verifiers/snapshot.ts";
import { type CounterRules, counterState, countVotes, stakeDecision, waveSize } from "./counter.ts";
import { accept, reject } from "./decide.ts";
import {
  changeDispute,
  type Dispute,
  keepUnits,
  NO_VOTES,
  OUTCOME,
  readDispute,
  settleDigest,
  writeDispute,
} from "./dispute-record.ts";
import { drawHolder, epochOfDraws } from "./draw.ts";
import { freezeSpeakers, noteAnswers } from "./freeze.ts";
import { plurality, sideOf } from "./judge.ts";
import { enterPhase, requirePhase } from "./phases.ts";
import { changeState, excludedOf, type RoundFacts, readState, requireFacts } from "./round-record.ts";
import { GUILTY, PHASE, REASON } from "./round-types.ts";
import { type AnswerInput, keepReveals, keepSeals, type SealInput, type SeatRange } from "./seals.ts";
import { answerOf, openedOf, readSeat, type SeatPlace, writeSeat } from "./seat-record.ts";
import { UNAVAILABLE_DIGEST } from "./settle.ts";
import { drawAtBlock } from "./timers.ts";

function rulesOf(own: ModuleCall): CounterRules {
  const { pollSize, lead, maxDraws } = own.parameters.verification;
  return { pollSize: Number(pollSize), lead: Number(lead), maxDraws: Number(maxDraws) };
}

/** Puts the tiles of these seats of tier 0 to the vote. */
export function beginDisputes(
  own: ModuleCall,
  facts: RoundFacts,
  seats: readonly (SeatPlace & { readonly seat: number })[],
): void {
  seats.forEach(({ seat, launch, tile }, index) => {
    const state = { everybody: false, outcome: OUTCOME.open, ...NO_VOTES };
    writeDispute(own, facts.id, index, { launch, tile, seat, ...state });
  });
  changeState(own, facts.id, { disputes: seats.length, dispute: 0, isFrozen: true, wasVoted: true });
  startDispute(own, facts, 0);
}

/** The next tile that is not settled; the round is accepted when all are. */
export function goOn(own: ModuleCall, facts: RoundFacts, reason: number): void {
  const { disputes } = readState(own, facts.id);
  for (let index = 0; index < disputes; index++) {
    const { outcome } = readDispute(own, facts.id, index);
    if (outcome === OUTCOME.open) {
      startDispute(own, facts, index);
      return;
    }
  }
  accept(own, facts, reason);
}

function startDispute(own: ModuleCall, facts: RoundFacts, index: number): void {
  const snapshot = snapshotFor(own, epochOfDraws(own, facts));
  const everybody = snapshot !== undefined && BigInt(snapshot.size) < own.parameters.verification.smallSet;
  const { launch, tile } = changeDispute(own, facts.id, index, { everybody });
  changeState(own, facts.id, { dispute: index });
  own.emit(verificationAbi, "Disputed", { round: facts.id, launch, tile, everybody });
  if (everybody) callEverybody(own, facts, index);
  else startWave(own, facts, index);
}

/** Everybody in the snapshot but the job's parties has one vote with the weight of its stake. */
function callEverybody(own: ModuleCall, facts: RoundFacts, index: number): void {
  const snapshot = snapshotFor(own, epochOfDraws(own, facts));
  const excluded = new Set(excludedOf(own, facts.id));
  const voters = Array.from({ length: snapshot?.size ?? 0 }, (_, at) => weightAt(own, snapshot as never, at)).filter(
    ({ account }) => !excluded.has(account),
  );
  const { votes } = readState(own, facts.id);
  changeDispute(own, facts.id, index, { first: facts.seats + votes, size: voters.length });
  if (voters.length === 0) {
    waitForReferee(own, facts, index);
    return;
  }
  for (const { account, units } of voters) addVote(own, facts, index, account, units);
  enterPhase(own, facts.id, PHASE.voting, own.parameters.verification.voteSeconds);
}

function startWave(own: ModuleCall, facts: RoundFacts, index: number): void {
  const { lead, draws } = readDispute(own, facts.id, index);
  const { votes } = readState(own, facts.id);
  const size = waveSize({ lead, draws }, rulesOf(own));
  const first = facts.seats + votes;
  changeDispute(own, facts.id, index, { first, size, drawn: 0, sealed: 0, revealed: 0 });
  enterPhase(own, facts.id, PHASE.voting, undefined);
  drawAtBlock(own, facts.id, own.environment.number + 1n);
}

function addVote(own: ModuleCall, facts: RoundFacts, index: number, verifier: Hex, units: bigint): void {
  const { votes } = readState(own, facts.id);
  const seat = facts.seats + votes;
  writeSeat(own, facts.id, seat, { verifier, isSealed: false, isRevealed: false, dispute: index, units });
  changeState(own, facts.id, { votes: votes + 1 });
  const { drawn, launch, tile } = readDispute(own, facts.id, index);
  changeDispute(own, facts.id, index, { drawn: drawn + 1 });
  own.emit(verificationAbi, "VoteDrawn", { round: facts.id, verifier, seat, launch, tile });
}

/** One vote of the wave, by this block's beacon; the next block's draws the next. */
export function drawVote(own: ModuleCall, facts: RoundFacts): void {
  const { dispute: index, votes } = readState(own, facts.id);
  const verifier = drawHolder(own, facts, facts.seats + votes);
  if (verifier === undefined) {
    waitForReferee(own, facts, index);
    return;
  }
  addVote(own, facts, index, verifier, 1n);
  const { drawn, size, sealed } = readDispute(own, facts.id, index);
  if (drawn < size) {
    drawAtBlock(own, facts.id, own.environment.number + 1n);
    return;
  }
  enterPhase(own, facts.id, PHASE.voting, own.parameters.verification.voteSeconds);
  if (sealed === size) startCounting(own, facts);
}

export function waveOf({ first, drawn }: Dispute): SeatRange {
  return { first, end: first + drawn };
}

export function sealVotes(own: ModuleCall, round: bigint, seals: readonly SealInput[]): void {
  const facts = requireFacts(own, round);
  const { dispute: index } = requirePhase(own, round, PHASE.voting);
  const dispute = readDispute(own, round, index);
  keepSeals(own, round, waveOf(dispute), seals);
  const { sealed, size } = changeDispute(own, round, index, { sealed: dispute.sealed + seals.length });
  if (sealed === size) startCounting(own, facts);
}

/** Everybody has sealed, or the time for it is over. */
export function startCounting(own: ModuleCall, facts: RoundFacts): void {
  enterPhase(own, facts.id, PHASE.counting, own.parameters.verification.countSeconds);
  const { sealed } = readDispute(own, facts.id, readState(own, facts.id).dispute);
  if (sealed === 0) countWave(own, facts);
}

export function revealVotes(own: ModuleCall, round: bigint, answers: readonly AnswerInput[]): void {
  const facts = requireFacts(own, round);
  const { dispute: index } = requirePhase(own, round, PHASE.counting);
  const dispute = readDispute(own, round, index);
  keepReveals(own, round, waveOf(dispute), answers);
  const { sealed, revealed } = changeDispute(own, round, index, { revealed: dispute.revealed + answers.length });
  if (revealed === sealed) countWave(own, facts);
}

interface CountedVote {
  readonly said: Hex | undefined;
  readonly units: bigint;
  readonly isSilent: boolean;
}

function votesOf(own: ModuleCall, round: bigint, { first, end }: SeatRange): readonly CountedVote[] {
  return Array.from({ length: end - first }, (_, offset) => {
    const { isRevealed, units } = readSeat(own, round, first + offset);
    return { said: isRevealed ? answerOf(own, round, first + offset) : undefined, units, isSilent: !isRevealed };
  });
}

/** Everybody has revealed, or the time for it is over. */
export function countWave(own: ModuleCall, facts: RoundFacts): void {
  const { dispute: index } = readState(own, facts.id);
  const dispute = readDispute(own, facts.id, index);
  const range = waveOf(dispute);
  const votes = votesOf(own, facts.id, range);
  const seats = votes.map((_, offset) => range.first + offset);
  freezeSpeakers(own, facts, seats);
  noteAnswers(own, facts, seats, (seat) => votes[seat - range.first]?.isSilent === true);
  const opened = openedOf(own, facts.id, dispute.seat) as Hex;
  const outcome = dispute.everybody
    ? countStake(own, facts, index, votes, opened)
    : countSeats(own, facts, index, votes, opened);
  if (outcome === "open") {
    startWave(own, facts, index);
    return;
  }
  if (outcome === "exhausted") {
    waitForReferee(own, facts, index);
    return;
  }
  if (outcome === "true") {
    changeDispute(own, facts.id, index, { outcome: OUTCOME.true });
    settleDigest(own, facts.id, index, opened);
    goOn(own, facts, REASON.votedTrue);
    return;
  }
  changeDispute(own, facts.id, index, { outcome: OUTCOME.false });
  rejectByVote(own, facts, index, opened);
}

function countSeats(
  own: ModuleCall,
  { id }: RoundFacts,
  index: number,
  votes: readonly CountedVote[],
  opened: Hex,
): ReturnType<typeof counterState> {
  const { lead, draws, launch, tile } = readDispute(own, id, index);
  const sides = votes.map(({ said }) => sideOf(said, opened));
  const counter = countVotes({ lead, draws }, sides, rulesOf(own));
  changeDispute(own, id, index, counter);
  own.emit(verificationAbi, "Counted", { round: id, launch, tile, lead: BigInt(counter.lead), drawn: counter.draws });
  return counterState(counter, rulesOf(own));
}

function countStake(
  own: ModuleCall,
  { id }: RoundFacts,
  index: number,
  votes: readonly CountedVote[],
  opened: Hex,
): ReturnType<typeof stakeDecision> {
  const unitsOf = (side: number): bigint =>
    votes.reduce((sum, { said, units }) => (sideOf(said, opened) === side ? sum + units : sum), 0n);
  const [inFavour, against] = [unitsOf(1), unitsOf(-1)];
  keepUnits(own, id, index, inFavour, against);
  const { launch, tile } = changeDispute(own, id, index, { draws: votes.length });
  own.emit(verificationAbi, "Counted", { round: id, launch, tile, lead: inFavour - against, drawn: votes.length });
  return stakeDecision(inFavour, against, inFavour + against + unitsOf(0));
}

/** The tile is false. What it is instead, most of those say who found it false: that it traps convicts the program. */
function rejectByVote(own: ModuleCall, facts: RoundFacts, index: number, opened: Hex): void {
  const { launch, tile } = readDispute(own, facts.id, index);
  const { votes: count } = readState(own, facts.id);
  const all = votesOf(own, facts.id, { first: facts.seats, end: facts.seats + count }).filter(
    (_, vote) => readSeat(own, facts.id, facts.seats + vote).dispute === index,
  );
  const digest = plurality(all, opened);
  settleDigest(own, facts.id, index, digest);
  if (digest === bytesToHex(tileDigest(launch, tile, { kind: "trap" }))) {
    reject(own, facts, REASON.votedTrap, GUILTY.program);
    return;
  }
  const reason = digest === UNAVAILABLE_DIGEST ? REASON.votedUnavailable : REASON.votedFalse;
  reject(own, facts, reason, GUILTY.worker);
}

function waitForReferee(own: ModuleCall, facts: RoundFacts, index: number): void {
  changeDispute(own, facts.id, index, { outcome: OUTCOME.exhausted });
  enterPhase(own, facts.id, PHASE.referee, own.parameters.verification.refereeSeconds);
}
