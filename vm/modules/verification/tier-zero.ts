/** Tier 0: each seat checks its own tile. All must find what the worker committed; what is in doubt goes to the vote. */
import type { Hex } from "../../../base/bytes.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { accept, isCheckable, rejectForGood, startChallengeWindow } from "./decide.ts";
import { drawHolder, drawTile, planOf } from "./draw.ts";
import { freezeSpeakers, noteAnswers } from "./freeze.ts";
import { disputedSeats } from "./judge.ts";
import { MAX_SEATS } from "./limits.ts";
import { checkOpening, expectedSalts, type SeatOpeningInput } from "./opening.ts";
import { enterPhase, requirePhase } from "./phases.ts";
import {
  addSalts,
  changeState,
  keepSeed,
  type RoundFacts,
  readState,
  requireFacts,
  saltSum,
  seedOf,
} from "./round-record.ts";
import { GUILTY, PHASE, REASON } from "./round-types.ts";
import { type AnswerInput, keepReveals, keepSeals, type SealInput } from "./seals.ts";
import { answerOf, keepOpened, openedOf, placeSeat, readSeat, seatPlace, writeSeat } from "./seat-record.ts";
import { beginDisputes } from "./tier-one.ts";
import { drawAtBlock } from "./timers.ts";

/** One seat, by this block's beacon; the next block's draws the next. */
export function drawSeat(own: ModuleCall, facts: RoundFacts): void {
  const { drawn: seat } = readState(own, facts.id);
  const verifier = drawHolder(own, facts, seat);
  if (verifier === undefined) {
    rejectForGood(own, facts, REASON.noVerifiers, GUILTY.nobody);
    return;
  }
  const { launch, tile } = drawTile(own, facts, seat);
  writeSeat(own, facts.id, seat, { verifier, isSealed: false, isRevealed: false, dispute: 0, units: 1n });
  placeSeat(own, facts.id, seat, { launch, tile });
  const { drawn, sealed } = changeState(own, facts.id, { drawn: seat + 1 });
  own.emit(verificationAbi, "SeatDrawn", { round: facts.id, verifier, seat, launch, tile });
  if (drawn < facts.seats) {
    drawAtBlock(own, facts.id, own.environment.number + 1n);
    return;
  }
  enterPhase(own, facts.id, PHASE.sealing, own.parameters.verification.sealSeconds);
  if (sealed === facts.seats) startOpening(own, facts);
}

export function seal(own: ModuleCall, round: bigint, seals: readonly SealInput[]): void {
  const facts = requireFacts(own, round);
  const state = requirePhase(own, round, PHASE.sealing);
  keepSeals(own, round, { first: 0, end: state.drawn }, seals);
  const { sealed } = changeState(own, round, { sealed: state.sealed + seals.length });
  if (sealed === facts.seats) startOpening(own, facts);
}

/** All have sealed, or their time is over. */
export function startOpening(own: ModuleCall, facts: RoundFacts): void {
  enterPhase(own, facts.id, PHASE.opening, own.parameters.verification.openSeconds);
}

export function open(own: ModuleCall, round: bigint, openings: readonly SeatOpeningInput[]): void {
  if (openings.length > MAX_SEATS) throw revertWith(verificationAbi, "TooMany", [BigInt(MAX_SEATS)]);
  const facts = requireFacts(own, round);
  if (own.message.caller !== facts.worker) throw revertWith(verificationAbi, "NotWorker", [facts.worker]);
  const state = requirePhase(own, round, PHASE.opening);
  const plan = planOf(own, facts);
  let salts = 0n;
  for (const opening of openings) {
    const { seat } = opening;
    if (seat >= facts.seats) throw revertWith(verificationAbi, "NotYourSeat", [seat]);
    if (openedOf(own, round, seat) !== undefined) throw revertWith(verificationAbi, "AlreadyOpened", [seat]);
    const result = checkOpening(facts, plan, seatPlace(own, round, seat), opening);
    if (result.kind === "flawed") throw revertWith(verificationAbi, "BadOpening", [seat, result.flaw]);
    keepOpened(own, round, seat, result.digest);
    salts += result.salts;
    own.emit(verificationAbi, "TileOpened", { round, seat, digest: result.digest });
  }
  addSalts(own, round, salts);
  const { opened } = changeState(own, round, { opened: state.opened + openings.length });
  if (opened === facts.seats) startRevealing(own, facts);
}

function startRevealing(own: ModuleCall, facts: RoundFacts): void {
  enterPhase(own, facts.id, PHASE.revealing, own.parameters.verification.revealSeconds);
  if (readState(own, facts.id).sealed === 0) finishSpot(own, facts);
}

/** The time to open is over, and not every tile is. */
export function failToOpen(own: ModuleCall, facts: RoundFacts): void {
  noteAnswers(own, facts, seatsOf(facts), (seat) => !readSeat(own, facts.id, seat).isSealed);
  rejectForGood(own, facts, REASON.notOpened, GUILTY.worker);
}

export function reveal(own: ModuleCall, round: bigint, answers: readonly AnswerInput[]): void {
  const facts = requireFacts(own, round);
  const state = requirePhase(own, round, PHASE.revealing);
  keepReveals(own, round, { first: 0, end: facts.seats }, answers);
  const { revealed, sealed } = changeState(own, round, { revealed: state.revealed + answers.length });
  if (revealed === sealed) finishSpot(own, facts);
}

function seatsOf({ seats }: RoundFacts): readonly number[] {
  return Array.from({ length: seats }, (_, seat) => seat);
}

/** All that sealed have revealed, or their time is over. */
export function finishSpot(own: ModuleCall, facts: RoundFacts): void {
  const seats = seatsOf(facts).map((seat) => {
    const { isRevealed } = readSeat(own, facts.id, seat);
    const said = isRevealed ? answerOf(own, facts.id, seat) : undefined;
    return { seat, ...seatPlace(own, facts.id, seat), said, opened: openedOf(own, facts.id, seat) as Hex };
  });
  noteAnswers(own, facts, seatsOf(facts), (seat) => seats[seat]?.said === undefined);
  const disputed = disputedSeats(seats, facts.tier);
  if (disputed.length === 0) {
    accept(own, facts, REASON.agreed);
    return;
  }
  freezeSpeakers(own, facts, seatsOf(facts));
  beginDisputes(own, facts, disputed);
}

/** From the opening on, every seat has sealed what it found: the seed gives nothing away any more. */
export function publishSeed(own: ModuleCall, round: bigint, seed: Hex): void {
  const facts = requireFacts(own, round);
  if (own.message.caller !== facts.worker) throw revertWith(verificationAbi, "NotWorker", [facts.worker]);
  const { phase, isFinal, by } = readState(own, round);
  if (isFinal || phase < PHASE.revealing) throw revertWith(verificationAbi, "WrongPhase", [round, phase]);
  const now = protocolTime(own);
  if (phase === PHASE.accepted && now >= by) throw revertWith(verificationAbi, "TooLate", [by, now]);
  if (seedOf(own, round) !== undefined) throw revertWith(verificationAbi, "AlreadyPublished", []);
  const plan = planOf(own, facts);
  const isTrap = (launch: number): boolean => facts.trapTile !== undefined && launch === facts.end - 1;
  const expected = seatsOf(facts)
    .map((seat) => ({ seat, place: seatPlace(own, round, seat) }))
    .filter(({ place }) => !isTrap(place.launch))
    .reduce((sum, { seat, place }) => sum + expectedSalts(plan, place, seat, seed), 0n);
  if (BigInt(seed) === 0n || BigInt.asUintN(256, expected) !== saltSum(own, round)) {
    throw revertWith(verificationAbi, "BadSeed", []);
  }
  const wasCheckable = isCheckable(own, facts);
  keepSeed(own, round, seed);
  own.emit(verificationAbi, "SeedPublished", { round, seed });
  if (phase === PHASE.accepted && !wasCheckable) startChallengeWindow(own, facts);
}
