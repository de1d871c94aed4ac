/** A round closes: everybody who spoke is ruled on, frozen stake is taken or given back, and the money is shared out. */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { UNAVAILABLE } from "../../../compute/program/digest.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { fundTreasury } from "../treasury/treasury.ts";
import { releaseFrozen, takeFrozen } from "../verifiers/stake.ts";
import { canaryOfRound } from "./canary-record.ts";
import { OUTCOME, readDispute, settledDigest } from "./dispute-record.ts";
import { forgetAbsences, noteAbsence } from "./freeze.ts";
import { type Ruling, rule, type TileTruth } from "./judge.ts";
import { changeState, type RoundFacts, type RoundState, readState } from "./round-record.ts";
import { LOSS, PHASE, REASON } from "./round-types.ts";
import { answerOf, frozenOf, keepFrozen, openedOf, readSeat, seatPlace } from "./seat-record.ts";
import { canaryPart, shareOut } from "./share-out.ts";

export const UNAVAILABLE_DIGEST: Hex = bytesToHex(UNAVAILABLE);

export interface RuledAnswer {
  readonly seat: number;
  readonly verifier: Address;
  readonly isVote: boolean;
  readonly ruling: Ruling;
  /** It was right, and not for the worker. */
  readonly caught: boolean;
}

interface TileLookup {
  readonly truths: ReadonlyMap<string, TileTruth>;
  readonly ofDispute: readonly TileTruth[];
}

function truthsOf(own: ModuleCall, { id }: RoundFacts, { disputes }: RoundState): TileLookup {
  const truths = new Map<string, TileTruth>();
  const ofDispute: TileTruth[] = [];
  for (let index = 0; index < disputes; index++) {
    const { launch, tile, seat, outcome } = readDispute(own, id, index);
    const truth = {
      digest: settledDigest(own, id, index),
      opened: openedOf(own, id, seat),
      isProven: outcome === OUTCOME.proven,
    };
    truths.set(`${launch} ${tile}`, truth);
    ofDispute.push(truth);
  }
  return { truths, ofDispute };
}

/** Everybody who had to speak, and what follows for them. */
export function rulingsOf(own: ModuleCall, facts: RoundFacts, state: RoundState): readonly RuledAnswer[] {
  const { truths, ofDispute } = truthsOf(own, facts, state);
  // Where the worker never opened, there was nothing to reveal: a seal is an answer.
  const hadToReveal = state.reason !== REASON.notOpened;
  const count = state.drawn + state.votes;
  return Array.from({ length: count }, (_, index) => {
    const isVote = index >= state.drawn;
    const seat = isVote ? facts.seats + index - state.drawn : index;
    const { verifier, isSealed, isRevealed, dispute } = readSeat(own, facts.id, seat);
    const said = isRevealed || (!hadToReveal && isSealed) ? answerOf(own, facts.id, seat) : undefined;
    const truth = isVote ? ofDispute[dispute] : truths.get(placeName(own, facts.id, seat));
    const settled = truth ?? { digest: undefined, opened: undefined, isProven: false };
    const ruling = rule(said, settled, UNAVAILABLE_DIGEST);
    const caught = ruling === "right" && settled.digest !== undefined && settled.digest !== settled.opened;
    return { seat, verifier, isVote, ruling, caught };
  });
}

function placeName(own: ModuleCall, round: bigint, seat: number): string {
  const { launch, tile } = seatPlace(own, round, seat);
  return `${launch} ${tile}`;
}

/** Pays everybody and ends the round for good. What nobody was drawn for goes back to the client. */
export function settleRound(own: ModuleCall, facts: RoundFacts): RoundState {
  const state = readState(own, facts.id);
  const rulings = rulingsOf(own, facts, state);
  const seats = rulings.map((answer) => ({ ...answer, taken: takeFor(own, facts, answer) }));
  const { earned, toTreasury } = shareOut(seats, facts.seatFee);
  rulings.forEach(({ verifier }, index) => {
    const amount = earned[index] ?? 0n;
    if (amount === 0n) return;
    own.pay(verifier, amount);
    own.emit(verificationAbi, "Earned", { round: facts.id, verifier, amount });
  });
  const unused = BigInt(facts.seats - state.drawn) * facts.seatFee;
  if (unused > 0n) own.pay(facts.client, unused);
  fundTreasury(own, toTreasury, "verification");
  settleCanary(own, facts, state, rulings);
  return changeState(own, facts.id, { isFinal: true, by: 0n });
}

/** What the verifier loses for this seat; the rest of what was frozen is its own again. */
function takeFor(own: ModuleCall, { id, seatFee }: RoundFacts, { seat, verifier, ruling }: RuledAnswer): bigint {
  const frozen = frozenOf(own, id, seat);
  const cost = ruling === "wrong" ? frozen : ruling === "silent" ? smaller(frozen, seatFee) : 0n;
  const { isRevealed } = readSeat(own, id, seat);
  if (ruling === "right") forgetAbsences(own, verifier);
  // Others got what it could not get. Of those who said nothing it is noted already.
  else if (ruling === "silent" && isRevealed) noteAbsence(own, verifier);
  if (frozen === 0n) return 0n;
  keepFrozen(own, id, seat, 0n);
  if (cost > 0n) {
    takeFrozen(own, verifier, cost, ruling === "wrong" ? LOSS.falseVote : LOSS.silence, VERIFICATION_ADDRESS);
  }
  releaseFrozen(own, verifier, frozen - cost);
  return cost;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** What seats that did not catch it leave of the prize is the treasury's again; all of it, if it was no canary after all. */
function settleCanary(
  own: ModuleCall,
  { id, seatFee }: RoundFacts,
  { phase, drawn }: RoundState,
  rulings: readonly RuledAnswer[],
): void {
  const canary = canaryOfRound(own, id);
  if (canary === undefined) return;
  const { sponsor, prize } = canary;
  const each = canaryPart(prize, drawn, seatFee);
  const catchers = phase === PHASE.rejected && each > 0n ? rulings.filter((one) => one.caught && !one.isVote) : [];
  for (const { verifier } of catchers) {
    own.pay(verifier, each);
    own.emit(verificationAbi, "Earned", { round: id, verifier, amount: each });
  }
  const caught = each * BigInt(catchers.length);
  fundTreasury(own, prize - caught, "canary");
  own.emit(verificationAbi, "CanaryRevealed", { round: id, sponsor, caught });
}
