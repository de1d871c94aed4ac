/** What an accepted segment is worth trusting, in integers. Pure. docs/spec/verification.md, "Assurance". */

/** All of something, in millionths. */
const WHOLE = 1_000_000n;
/** What votes are quoted in: their errors are far below a millionth. */
const VOTE_UNIT = 10n ** 18n;
/** The share of stake, of verifiers and of validators, that is assumed to lie for the worker. */
export const QUOTED_ADVERSARY = 200_000n;
/** The chance of passing at which the quote says how much could have been falsified. */
export const QUOTED_CHANCE = 50_000n;

/**
 * The share of seats that an adversary with the share q of all stake gets when its leaders throw away each beacon that
 * draws somebody else: s = q / (1 - q(1 - q)), because a thrown away draw is made anew. Rounded up.
 */
export function biasedShare(share: bigint): bigint {
  const kept = WHOLE * WHOLE - share * (WHOLE - share);
  return (share * WHOLE * WHOLE + kept - 1n) / kept;
}

/**
 * The largest share f of the compute that passes with at least the chance c when each of m seats catches a false tile with
 * the chance h of being honest: (1 - f h)^m = c. Rounded up.
 */
export function corruptibleShare(seats: number, adversary: bigint, chance: bigint): bigint {
  if (seats === 0) return WHOLE;
  const honest = WHOLE - biasedShare(adversary);
  const share = ((WHOLE - root(chance, seats)) * WHOLE + honest - 1n) / honest;
  return share < WHOLE ? share : WHOLE;
}

/** The largest x with (x / 10^6)^m <= c / 10^6. */
function root(chance: bigint, m: number): bigint {
  const bound = chance * WHOLE ** BigInt(m - 1);
  let low = 0n;
  let high = WHOLE;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** BigInt(m) <= bound) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** The chance that a vote decides for the adversary, at most: 1 / (1 + (h / p)^d). In 10^-18, rounded up. */
export function voteError(lead: number, adversary: bigint): bigint {
  const wrong = biasedShare(adversary) ** BigInt(lead);
  const right = (WHOLE - biasedShare(adversary)) ** BigInt(lead);
  return (wrong * VOTE_UNIT + wrong + right - 1n) / (wrong + right);
}
