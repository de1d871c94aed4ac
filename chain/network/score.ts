/**
 * How peers behave. An offence adds its weight to the peer's score, the score halves with time, and at BAN_SCORE the
 * peer is banned for a while, longer each time. No clock here: the time is an argument.
 */
import { BAN_SCORE, FIRST_BAN, LONGEST_BAN, MAX_SCORES, SCORE_HALF_LIFE } from "./limits.ts";

export type Offence =
  /** Bytes that are not a message, or a message where it has no place. */
  | "malformed"
  /** A well-formed message that no honest node sends: a wrong signature, an impossible block. */
  | "invalid"
  /** A transaction that no honest node passes on. */
  | "invalid-transaction"
  /** More than the rate limits allow. */
  | "flood"
  /** Stopped within a message, did not answer, or did not take what was sent. */
  | "unresponsive"
  /** An answer that does not help, without being provably wrong. */
  | "useless";

/** It takes BAN_SCORE divided by the weight, rounded up. None divides it evenly: the score decays in between. */
export const WEIGHTS: Readonly<Record<Offence, number>> = {
  malformed: 60,
  invalid: 40,
  "invalid-transaction": 11,
  flood: 6,
  unresponsive: 11,
  useless: 3,
};

interface Entry {
  score: number;
  /** When `score` was that. */
  at: number;
  bans: number;
  bannedUntil: number;
}

/** The offence, and what follows from it. */
export type Verdict = "tolerate" | "ban";

export class PeerScores {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;

  constructor(maxEntries: number = MAX_SCORES) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** `share` below 1 counts the offence less: for addresses that several peers may have. */
  offend(peer: string, offence: Offence, now: number, share = 1): Verdict {
    const entry = this.#entry(peer, now);
    entry.score = decayed(entry, now) + WEIGHTS[offence] * share;
    entry.at = now;
    if (entry.score < BAN_SCORE) return "tolerate";
    entry.bannedUntil = now + Math.min(LONGEST_BAN, FIRST_BAN * 2 ** Math.min(entry.bans, 30));
    entry.bans++;
    entry.score = 0;
    return "ban";
  }

  scoreOf(peer: string, now: number): number {
    const entry = this.#entries.get(peer);
    return entry === undefined ? 0 : decayed(entry, now);
  }

  /** When the ban ends, if there is one. */
  bannedUntil(peer: string, now: number): number | undefined {
    const until = this.#entries.get(peer)?.bannedUntil;
    return until !== undefined && until > now ? until : undefined;
  }

  isBanned(peer: string, now: number): boolean {
    return this.bannedUntil(peer, now) !== undefined;
  }

  #entry(peer: string, now: number): Entry {
    const known = this.#entries.get(peer);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#maxEntries) this.#forgetOne(now);
    const entry: Entry = { score: 0, at: now, bans: 0, bannedUntil: Number.NEGATIVE_INFINITY };
    this.#entries.set(peer, entry);
    return entry;
  }

  /** Whoever matters least: not banned and of the lowest score, or else the ban that ends first. */
  #forgetOne(now: number): void {
    let least: string | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [peer, entry] of this.#entries) {
      const weight = entry.bannedUntil > now ? BAN_SCORE + entry.bannedUntil - now : decayed(entry, now);
      if (weight >= lowest) continue;
      least = peer;
      lowest = weight;
    }
    if (least !== undefined) this.#entries.delete(least);
  }
}

function decayed(entry: Entry, now: number): number {
  return entry.score * 2 ** (-Math.max(0, now - entry.at) / SCORE_HALF_LIFE);
}
