/** What people and agents read of rounds, in few calls. */
import type { Hex } from "../../../base/bytes.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { MAX_PAGE, positionsFrom } from "../page.ts";
import { corruptibleShare, QUOTED_ADVERSARY, QUOTED_CHANCE, voteError } from "./assurance.ts";
import { readDispute, unitsCounted } from "./dispute-record.ts";
import { type RoundFacts, type RoundState, readState, requireFacts, roundCount, seedOf } from "./round-record.ts";
import { PHASE } from "./round-types.ts";
import { answerOf, openedOf, readSeat, seatPlace } from "./seat-record.ts";
import { rulingsOf } from "./settle.ts";

const NO_HASH: Hex = `0x${"00".repeat(32)}`;

export function roundView(own: ModuleCall, round: bigint): Record<string, unknown> {
  const facts = requireFacts(own, round);
  const { phase, isFinal, reason, guilty, by } = readState(own, round);
  const { first, end, trapTile, begun, startCheckpoint, ...rest } = facts;
  return {
    ...rest,
    startCheckpoint: startCheckpoint ?? NO_HASH,
    seed: seedOf(own, round) ?? NO_HASH,
    firstLaunch: first,
    endLaunch: end,
    trapped: trapTile !== undefined,
    trapTile: trapTile ?? 0,
    begunBlock: begun,
    phase,
    isFinal,
    reason,
    guilty,
    by,
  };
}

export function phasesOf(own: ModuleCall, first: bigint, count: bigint): readonly number[] {
  requirePage(count);
  const most = roundCount(own);
  return Array.from({ length: Number(count) }, (_, offset) => {
    const round = first + BigInt(offset);
    if (round === 0n || round > most) return PHASE.none;
    const { phase, isFinal } = readState(own, round);
    return isFinal ? PHASE.none : phase;
  });
}

function requirePage(limit: bigint): void {
  if (limit > MAX_PAGE) throw revertWith(verificationAbi, "TooMany", [MAX_PAGE]);
}

export function seatViews(own: ModuleCall, round: bigint): readonly Record<string, unknown>[] {
  const { seats } = requireFacts(own, round);
  return Array.from({ length: seats }, (_, seat) => {
    const { verifier, isSealed, isRevealed } = readSeat(own, round, seat);
    return {
      seat,
      verifier,
      ...seatPlace(own, round, seat),
      isSealed,
      isRevealed,
      opened: openedOf(own, round, seat) ?? NO_HASH,
      answer: isRevealed ? answerOf(own, round, seat) : NO_HASH,
    };
  });
}

function voteView(own: ModuleCall, round: bigint, seat: number): Record<string, unknown> & { verifier: Address } {
  const { verifier, units, isSealed, isRevealed } = readSeat(own, round, seat);
  return { seat, verifier, units, isSealed, isRevealed, answer: isRevealed ? answerOf(own, round, seat) : NO_HASH };
}

const NO_DISPUTE = {
  isOpen: false,
  launch: 0,
  tile: 0,
  opened: NO_HASH,
  everybody: false,
  lead: 0n,
  drawn: 0,
  votes: [],
} as const;

/** Votes of the wave that is drawn now, as far as they are the account's. */
export function disputeView(own: ModuleCall, round: bigint, account: Address): Record<string, unknown> {
  requireFacts(own, round);
  const { phase, dispute: index } = readState(own, round);
  if (phase !== PHASE.voting && phase !== PHASE.counting && phase !== PHASE.referee) return NO_DISPUTE;
  const { launch, tile, seat, everybody, lead, first, drawn, draws } = readDispute(own, round, index);
  const { inFavour, against } = unitsCounted(own, round, index);
  const votes = Array.from({ length: drawn }, (_, offset) => voteView(own, round, first + offset));
  return {
    isOpen: true,
    launch,
    tile,
    opened: openedOf(own, round, seat) ?? NO_HASH,
    everybody,
    lead: everybody ? inFavour - against : BigInt(lead),
    drawn: everybody || phase === PHASE.referee ? draws : draws + drawn,
    votes: votes.filter(({ verifier }) => verifier === account),
  };
}

export function voteViews(
  own: ModuleCall,
  round: bigint,
  start: bigint,
  limit: bigint,
): readonly Record<string, unknown>[] {
  requirePage(limit);
  const { seats } = requireFacts(own, round);
  const { votes } = readState(own, round);
  return positionsFrom(start, limit, votes).map((vote) => voteView(own, round, seats + vote));
}

export interface Assurance {
  readonly seats: number;
  readonly tier: number;
  readonly stakeAtRisk: bigint;
  readonly adversaryShare: bigint;
  readonly corruptibleShare: bigint;
  readonly passChance: bigint;
  readonly voteError: bigint;
}

const NO_ASSURANCE: Assurance = {
  seats: 0,
  tier: 0,
  stakeAtRisk: 0n,
  adversaryShare: 0n,
  corruptibleShare: 0n,
  passChance: 0n,
  voteError: 0n,
};

/** For receipts: takes a call in any account. */
export function assuranceOf(call: ModuleCall, round: bigint): Assurance {
  const own = call.in(VERIFICATION_ADDRESS);
  const facts = requireFacts(own, round);
  const state = readState(own, round);
  return state.phase === PHASE.accepted ? quote(own, facts, state) : NO_ASSURANCE;
}

/** Seats that were right stand behind the tiles they checked; a disputed tile stands whatever its seat said. */
function quote(own: ModuleCall, facts: RoundFacts, state: RoundState): Assurance {
  const { lead, penaltyMultiple } = own.parameters.verification;
  const rulings = rulingsOf(own, facts, state);
  const backers = rulings.filter(({ ruling }) => ruling === "right").length;
  return {
    seats: facts.seats,
    tier: state.wasVoted ? 1 : 0,
    stakeAtRisk: BigInt(backers) * facts.seatFee * penaltyMultiple,
    adversaryShare: QUOTED_ADVERSARY,
    corruptibleShare: corruptibleShare(facts.seats, QUOTED_ADVERSARY, QUOTED_CHANCE),
    passChance: QUOTED_CHANCE,
    voteError: state.wasVoted ? voteError(Number(lead), QUOTED_ADVERSARY) : 0n,
  };
}
