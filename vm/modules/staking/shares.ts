/**
 * The arithmetic of shares: a fund of tokens, and how many shares of it there are. A share is never worth more than one
 * wei (it starts there, and slashes lower it), and every rounding leaves something to those who stay.
 */

import { WORTHLESS_BITS } from "./limits.ts";
import { type PackedWord, packedWord } from "./packed-word.ts";

export interface Fund {
  readonly tokens: bigint;
  readonly shares: bigint;
}

/** Tokens are at most the supply, below 2^85; shares at most 2^32 times as many. */
export const fundWord: PackedWord<"shares" | "tokens"> = packedWord({ shares: 128, tokens: 88 });

/** What the shares are worth, rounded down. */
export function worth({ tokens, shares }: Fund, part: bigint): bigint {
  return shares === 0n ? 0n : (part * tokens) / shares;
}

/** Whether so little is left for so many shares that no more can be made. */
export function isWorthless({ tokens, shares }: Fund): boolean {
  return tokens << WORTHLESS_BITS < shares;
}

/** The shares that `amount` gets, rounded down: at least as many as it has wei. */
export function sharesFor({ tokens, shares }: Fund, amount: bigint): bigint {
  return shares === 0n ? amount : (amount * shares) / tokens;
}

/** The shares that are given up for `amount`, rounded up. */
export function sharesOf({ tokens, shares }: Fund, amount: bigint): bigint {
  return ceilDiv(amount * shares, tokens);
}

export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
