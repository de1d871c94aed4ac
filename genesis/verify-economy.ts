/** What must hold of the economy's parameters: at genesis, and after every change that governance makes. */
import { OGPU } from "../base/units.ts";
import { amountText } from "./amount.ts";
import { type EconomyParameters, PARAMETERS, parameterValue, WHOLE } from "./economy.ts";
import type { Report } from "./shape.ts";

const MAX_QUORUM = (WHOLE * 4n) / 5n;
const MAX_THRESHOLD = (WHOLE * 9n) / 10n;
const MIN_VETO = 100_000n;
const MIN_RESERVED = WHOLE / 10n;
const MAX_RESERVED = WHOLE / 4n;
/** Of a penalty, what may come back to a cheat that is its own client and its own challenger. */
const MAX_RETURNED = (WHOLE * 4n) / 5n;
const MAX_DEPOSIT = 21_000n * OGPU;

/** What the rest of the spec asks of the economy's delays. */
export interface Waits {
  /** How long a light client relies on a header. */
  readonly trustingSeconds: bigint;
  /** The longest that an epoch takes while the chain runs. */
  readonly epochSeconds: bigint;
}

/** Where everybody has the keys, nobody is protected by waiting. */
export const NO_WAITS: Waits = { trustingSeconds: 0n, epochSeconds: 0n };

/**
 *  1. Every parameter is within the bounds of its definition.
 *  2. Unbonding lasts longer than the evidence window and an epoch together (the window begins when the epoch of the
 *     offence ends), or whoever offends could be gone before it is punished, and longer than the trusting period, or a
 *     light client could be deceived by those who have nothing to lose any more.
 *  3. Reporter and treasury together get at most the whole of a slash.
 *  4. A double signature costs something, and more than an absence does.
 *  5. Whoever reports gets at most half: or an offender could report itself and keep nearly everything.
 *  6. A unit of a verifier's stake is at most what it must have.
 *  7. A threshold is at least half: or a proposal and its opposite could both be accepted.
 *  8. A quorum is at most four fifths and a threshold at most nine tenths: or governance could end itself for ever.
 *  9. A veto takes at least a tenth of the votes and a deposit is at most a thousandth of all oGPU, for the same reason:
 *     a wei of stake could refuse everything, or nobody could propose anything again.
 * 10. The treasury's and the burned part of a payment are at most half of it, and the parts of a penalty at most all;
 *     victim and catcher together get at most four fifths: a cheat that is its own client and proves itself wrong still
 *     loses a fifth.
 * 11. A price starts at or above its floor.
 * 12. A demand is answered before the worker's liability ends, or withholding to the end would cost nothing.
 * 13. A vote can be decided: its lead is at most the seats that it may draw.
 * 14. Whoever has a seat is liable until a round that nobody disputes is final, even if it leaves at once. In a disputed
 *     round the stake of those who have spoken is frozen.
 * 15. A canary costs the treasury no more than its budget of an epoch.
 * 16. What is kept of a block for those whose turn it is is nothing, or a tenth to a quarter: less has no room for one of
 *     them, and with more full blocks would hardly make gas dearer.
 */
export function verifyEconomy(economy: EconomyParameters, waits: Waits, report: Report): void {
  for (const parameter of PARAMETERS) {
    const { name, definition } = parameter;
    const value = parameterValue(economy, parameter);
    const { least, most } = definition;
    const text = (bound: bigint): string => (definition.unit === "amount" ? amountText(bound) : String(bound));
    if (value < least || value > most) {
      report(`$.modules.${name}`, `must be from ${text(least)} to ${text(most)}, is ${text(value)}`);
    }
  }
  const { staking, slashing, verifiers, governance, pricing, market } = economy;
  const say = (name: string, message: string): void => report(`$.modules.${name}`, message);
  const { trustingSeconds, epochSeconds } = waits;
  const liable = slashing.evidenceWindowSeconds + epochSeconds;
  if (staking.unbondingSeconds <= liable) {
    say("staking.unbondingSeconds", `must be more than the evidence window and an epoch, ${liable}`);
  }
  if (staking.unbondingSeconds <= trustingSeconds) {
    say("staking.unbondingSeconds", `must be more than the trusting period, ${trustingSeconds}`);
  }
  if (slashing.reporterShare + slashing.treasuryShare > WHOLE) {
    say("slashing.treasuryShare", "is, with the reporter's share, more than the whole slash");
  }
  if (slashing.doubleSignShare <= slashing.downtimeShare) {
    say("slashing.doubleSignShare", "must be more than downtimeShare");
  }
  if (slashing.reporterShare > WHOLE / 2n) say("slashing.reporterShare", `must be at most ${WHOLE / 2n}`);
  if (verifiers.unitStake > verifiers.minStake) say("verifiers.unitStake", "must be at most minStake");
  const { quorumShare, thresholdShare, vetoShare, deposit } = governance;
  if (thresholdShare < WHOLE / 2n) say("governance.thresholdShare", `must be at least ${WHOLE / 2n}`);
  if (thresholdShare > MAX_THRESHOLD) say("governance.thresholdShare", `must be at most ${MAX_THRESHOLD}`);
  if (quorumShare > MAX_QUORUM) say("governance.quorumShare", `must be at most ${MAX_QUORUM}`);
  if (vetoShare < MIN_VETO) say("governance.vetoShare", `must be at least ${MIN_VETO}`);
  if (deposit > MAX_DEPOSIT) say("governance.deposit", `must be at most ${amountText(MAX_DEPOSIT)}`);
  if (market.feeShare + market.burnShare > WHOLE / 2n) say("market.burnShare", "is, with feeShare, more than half");
  const { victimShare, catcherShare, treasuryShare } = market;
  if (victimShare + catcherShare + treasuryShare > WHOLE) {
    say("market.treasuryShare", "is, with victimShare and catcherShare, more than the whole penalty");
  }
  if (victimShare + catcherShare > MAX_RETURNED) {
    say("market.catcherShare", `must be, with victimShare, at most ${MAX_RETURNED}`);
  }
  if (pricing.initialPrice < pricing.minPrice) say("pricing.initialPrice", "must be at least minPrice");
  if (market.liableSeconds < market.answerSeconds) say("market.liableSeconds", "must be at least answerSeconds");
  verifyVerification(economy, say);
}

function verifyVerification(
  { verification, verifiers }: EconomyParameters,
  say: (name: string, message: string) => void,
): void {
  const { lead, maxDraws, canaryPrize, canaryBudget } = verification;
  if (lead > maxDraws) say("verification.lead", `must be at most maxDraws, ${maxDraws}`);
  const { sealSeconds, openSeconds, revealSeconds, publishSeconds, challengeSeconds } = verification;
  const round = sealSeconds + openSeconds + revealSeconds + publishSeconds + challengeSeconds;
  if (verifiers.exitSeconds <= round) {
    say("verifiers.exitSeconds", `must be more than an undisputed round takes at most, ${round}`);
  }
  if (canaryPrize > canaryBudget) say("verification.canaryPrize", "must be at most canaryBudget");
  const { reservedShare } = verification;
  const isUsual = reservedShare >= MIN_RESERVED && reservedShare <= MAX_RESERVED;
  if (reservedShare !== 0n && !isUsual) {
    say("verification.reservedShare", `must be 0, or from ${MIN_RESERVED} to ${MAX_RESERVED}`);
  }
}
