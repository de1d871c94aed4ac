/** The votes of one view: one per validator and kind, weighed, with evidence against whoever sent two that conflict. */
import type { Hex } from "../../base/bytes.ts";
import type { VoteKind } from "../../base/votes.ts";
import type { Evidence, Vote, VoteSum } from "./types.ts";
import { type ValidatorSet, weightAt } from "./validator-set.ts";

export interface AddedVotes {
  /** How many were new and count. */
  readonly counted: number;
  /** Those that conflict with an earlier vote of the same validator. */
  readonly evidence: readonly Evidence[];
}

/** What is counted for one kind and hash. */
interface Tally {
  weight: bigint;
  /** Everybody who counts is in one of them, and in no other. */
  readonly sums: VoteSum[];
}

/** The kinds of votes of the same view that one of a kind conflicts with, if their hashes differ (`offenceOf`). */
export const CONFLICTING: Readonly<Record<VoteKind, readonly VoteKind[]>> = {
  PROPOSE: ["PROPOSE"],
  NOTARIZE: ["NOTARIZE", "FINALIZE"],
  NULLIFY: ["FINALIZE"],
  FINALIZE: ["NOTARIZE", "NULLIFY", "FINALIZE"],
};

export class VoteBox {
  readonly #set: ValidatorSet;
  readonly #votes: Readonly<Record<VoteKind, Map<number, Vote>>> = {
    PROPOSE: new Map(),
    NOTARIZE: new Map(),
    NULLIFY: new Map(),
    FINALIZE: new Map(),
  };
  readonly #tallies: Readonly<Record<VoteKind, Map<Hex, Tally>>> = {
    PROPOSE: new Map(),
    NOTARIZE: new Map(),
    NULLIFY: new Map(),
    FINALIZE: new Map(),
  };

  constructor(set: ValidatorSet) {
    this.#set = set;
  }

  /**
   * Votes of one kind and hash, and the sum of exactly their signatures. The first vote of a kind counts. A second one,
   * of another hash, only proves an offence.
   */
  add(votes: readonly Vote[], sum: Uint8Array): AddedVotes {
    const fresh: Vote[] = [];
    const evidence: Evidence[] = [];
    for (const vote of votes) {
      const conflict = this.conflictWith(vote);
      if (conflict !== undefined) evidence.push(conflict);
      const ofKind = this.#votes[vote.kind];
      if (ofKind.has(vote.validator)) continue;
      ofKind.set(vote.validator, vote);
      fresh.push(vote);
    }
    this.#count(fresh, fresh.length === votes.length ? sum : undefined);
    return { counted: fresh.length, evidence };
  }

  /** A sum that covers others too is of no use: taking them out again would cost as much as adding these up. */
  #count(votes: readonly Vote[], sum: Uint8Array | undefined): void {
    const [first] = votes;
    if (first === undefined) return;
    const ofKind = this.#tallies[first.kind];
    const tally: Tally = ofKind.get(first.hash) ?? { weight: 0n, sums: [] };
    ofKind.set(first.hash, tally);
    for (const { validator } of votes) tally.weight += weightAt(this.#set, validator);
    if (sum === undefined) tally.sums.push(...votes);
    else tally.sums.push({ ...first, validator: votes.map(({ validator }) => validator), signature: sum });
  }

  conflictWith(vote: Vote): Evidence | undefined {
    for (const kind of CONFLICTING[vote.kind]) {
      const first = this.#votes[kind].get(vote.validator);
      if (first !== undefined && first.hash !== vote.hash) return { first, second: vote };
    }
    return undefined;
  }

  weight(kind: VoteKind, hash: Hex): bigint {
    return this.#tallies[kind].get(hash)?.weight ?? 0n;
  }

  vote(kind: VoteKind, validator: number): Vote | undefined {
    return this.#votes[kind].get(validator);
  }

  /** All that counts for it: of thousands of votes that were checked together, a few sums. */
  sumsOf(kind: VoteKind, hash: Hex): readonly VoteSum[] {
    return this.#tallies[kind].get(hash)?.sums ?? [];
  }
}
