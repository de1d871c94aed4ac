/** Whose turn it is in a round: docs/spec/verification.md, "Duties". */
import { dueOf } from "../agenda/schedule.ts";
import type { DutyArguments, DutyCheck } from "../duties/duty-check.ts";
import type { ModuleCall } from "../module-call.ts";
import { isCheckable } from "./decide.ts";
import { readDispute } from "./dispute-record.ts";
import { MAX_DUTY_SEATS, MAX_DUTY_STAGES } from "./limits.ts";
import { requirePhase } from "./phases.ts";
import { refereeEntry, requireOwn } from "./referee.ts";
import { requireFacts } from "./round-record.ts";
import { PHASE } from "./round-types.ts";
import { type AnswerInput, requireSeat, type SealInput, type SeatRange, sealOf } from "./seals.ts";
import { answerOf, openedOf } from "./seat-record.ts";
import { waveOf } from "./tier-one.ts";

/** Every one of them once, and not none. */
function areDue<Item extends { readonly seat: number }>(
  items: readonly Item[],
  isDue: (item: Item) => boolean,
): boolean {
  if (items.length === 0 || items.length > MAX_DUTY_SEATS) return false;
  return new Set(items.map(({ seat }) => seat)).size === items.length && items.every(isDue);
}

/** Call data of so many seats' answers: anybody can send more than that, and nobody's turn it is. */
const MAX_ANSWERS_BYTES: number = 4 + 32 * (3 + 3 * MAX_DUTY_SEATS);

/** Seals or answers, which come second. */
function itemsIn<Item>(args: DutyArguments): readonly Item[] {
  return args.data.length > MAX_ANSWERS_BYTES ? [] : (args.decoded()[1] as readonly Item[]);
}

function sealsAreDue(own: ModuleCall, args: DutyArguments, range: SeatRange): boolean {
  const round = roundIn(args);
  return areDue(itemsIn<SealInput>(args), ({ seat }) => !requireSeat(own, round, range, seat).isSealed);
}

function revealsAreDue(own: ModuleCall, args: DutyArguments, range: SeatRange): boolean {
  const round = roundIn(args);
  return areDue(itemsIn<AnswerInput>(args), (answer) => {
    const { verifier, isSealed, isRevealed } = requireSeat(own, round, range, answer.seat);
    return isSealed && !isRevealed && sealOf(verifier, round, answer) === answerOf(own, round, answer.seat);
  });
}

function roundIn(args: DutyArguments): bigint {
  return args.integer(0, 256);
}

/** The wave of votes that is drawn now. */
function presentWave(own: ModuleCall, round: bigint, phase: number): SeatRange {
  const { dispute } = requirePhase(own, round, phase);
  return waveOf(readDispute(own, round, dispute));
}

function isWorker(own: ModuleCall, round: bigint): boolean {
  return requireFacts(own, round).worker === own.message.caller;
}

/** The caller's challenge of the tile that the call names. */
function ownChallenge(own: ModuleCall, args: DutyArguments): ReturnType<typeof requireOwn> {
  return requireOwn(own, roundIn(args), Number(args.integer(1, 48)), Number(args.integer(2, 32)));
}

export const VERIFICATION_DUTIES: Readonly<Record<string, DutyCheck>> = {
  seal: (own, args) => {
    const { drawn } = requirePhase(own, roundIn(args), PHASE.sealing);
    return sealsAreDue(own, args, { first: 0, end: drawn });
  },
  open: (own, args) => {
    const round = roundIn(args);
    if (!isWorker(own, round)) return false;
    requirePhase(own, round, PHASE.opening);
    const { seats } = requireFacts(own, round);
    const isDue = ({ seat }: { readonly seat: number }): boolean =>
      seat < seats && openedOf(own, round, seat) === undefined;
    return areDue(args.decoded()[1] as readonly { readonly seat: number }[], isDue);
  },
  reveal: (own, args) => {
    requirePhase(own, roundIn(args), PHASE.revealing);
    const { seats } = requireFacts(own, roundIn(args));
    return revealsAreDue(own, args, { first: 0, end: seats });
  },
  publishSeed: (own, args) => {
    const round = roundIn(args);
    if (!isWorker(own, round)) return false;
    const { isFinal } = requirePhase(own, round, PHASE.accepted);
    return !isFinal && !isCheckable(own, requireFacts(own, round));
  },
  sealVotes: (own, args) => sealsAreDue(own, args, presentWave(own, roundIn(args), PHASE.voting)),
  revealVotes: (own, args) => revealsAreDue(own, args, presentWave(own, roundIn(args), PHASE.counting)),
  openChallenged: (own, args) => ownChallenge(own, args).opened === undefined,
  stage: (own, args) => ownChallenge(own, args).stages < MAX_DUTY_STAGES,
  judge: (own, args) => {
    const { id, opened } = ownChallenge(own, args);
    const due = dueOf(own, refereeEntry(id));
    return opened !== undefined && due !== undefined && "time" in due;
  },
};
