/**
 * Who was absent for an epoch, and whom of them the set can do without. Votes that a block carries say who signed, so
 * the chain finds this by itself.
 */

import { compareBytes, hexToBytes } from "../../../base/bytes.ts";
import { cappedWeights } from "../../../base/capped-weights.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import type { Address } from "../../state/account.ts";

export interface Attendance {
  readonly operator: Address;
  /** As the epoch began, before the cap. */
  readonly stake: bigint;
  readonly signed: bigint;
  /** It leaves at the end of this epoch in any case: out for good, jailed already, or by its operator's own wish. */
  readonly isLeaving: boolean;
  /** It is jailed or out for good, and that is enough. */
  readonly isPunished: boolean;
}

export interface Absentees {
  readonly jailed: readonly Attendance[];
  /** As absent, but the rest would weigh too little without them. */
  readonly spared: readonly Attendance[];
}

/**
 * Those who signed less than `minShare` of `counted`, the worst first, as long as what remains of the set has more than
 * two thirds of its weight: a quorum as it was. So one epoch, be it that of a broken network or of a false count, can
 * never hand the chain to a few. What would go beyond waits for the next epoch.
 */
export function chooseAbsentees(
  set: readonly Attendance[],
  counted: bigint,
  minShare: bigint,
  capDivisor: number,
): Absentees {
  const weighed = weigh(set, capDivisor);
  const total = sum(weighed.map(({ weight }) => weight));
  let gone = sum(weighed.filter(({ isLeaving }) => isLeaving).map(({ weight }) => weight));
  const absent = weighed
    .filter(({ isPunished, signed }) => !isPunished && signed * WHOLE < counted * minShare)
    .sort((a, b) => compare(a.signed, b.signed) || compareBytes(hexToBytes(a.operator), hexToBytes(b.operator)));
  const jailed: Attendance[] = [];
  const spared: Attendance[] = [];
  for (const one of absent) {
    const weight = one.isLeaving ? 0n : one.weight;
    const fits = weight === 0n || 3n * (total - gone - weight) > 2n * total;
    if (fits) gone += weight;
    (fits ? jailed : spared).push(one);
  }
  return { jailed, spared };
}

/** As consensus weighs them. Nobody in a set is without stake; if so, it is nobody to punish. */
function weigh(set: readonly Attendance[], capDivisor: number): readonly (Attendance & { readonly weight: bigint })[] {
  const staked = set.filter(({ stake }) => stake > 0n);
  const weights = cappedWeights(
    staked.map(({ stake }) => stake),
    BigInt(capDivisor),
  );
  return staked.map((one, index) => ({ ...one, weight: weights[index] ?? 0n }));
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
