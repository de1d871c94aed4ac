/** The votes of one view: one per validator and kind, weighed, with evidence against whoever sent two that conflict. */
import type { Hex } from "../../base/bytes.ts";
import { offenceOf } from "./evidence.ts";
import type { Evidence, Vote, VoteKind } from "./types.ts";
import { type ValidatorSet, weightAt } from "./validator-set.ts";

export interface AddedVote {
  /** It was new and counts. */
  readonly counted: boolean;
  /** Conflicts with an earlier vote of the same validator. */
  readonly evidence?: Evidence;
}

const KINDS: readonly VoteKind[] = ["PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE"];

export class VoteBox {
  readonly #set: ValidatorSet;
  readonly #votes: Readonly<Record<VoteKind, Map<number, Vote>>> = {
    PROPOSE: new Map(),
    NOTARIZE: new Map(),
    NULLIFY: new Map(),
    FINALIZE: new Map(),
  };
  readonly #weights = new Map<string, bigint>();

  constructor(set: ValidatorSet) {
    this.#set = set;
  }

  /** The first vote of a kind counts. A second one, of another hash, only proves an offence. */
  add(vote: Vote): AddedVote {
    const evidence = this.conflictWith(vote);
    const ofKind = this.#votes[vote.kind];
    if (ofKind.has(vote.validator)) return evidence ? { counted: false, evidence } : { counted: false };
    ofKind.set(vote.validator, vote);
    const key = vote.kind + vote.hash;
    this.#weights.set(key, (this.#weights.get(key) ?? 0n) + weightAt(this.#set, vote.validator));
    return evidence ? { counted: true, evidence } : { counted: true };
  }

  conflictWith(vote: Vote): Evidence | undefined {
    for (const kind of KINDS) {
      const first = this.#votes[kind].get(vote.validator);
      if (first !== undefined && offenceOf(first, vote) !== undefined) return { first, second: vote };
    }
    return undefined;
  }

  weight(kind: VoteKind, hash: Hex): bigint {
    return this.#weights.get(kind + hash) ?? 0n;
  }

  vote(kind: VoteKind, validator: number): Vote | undefined {
    return this.#votes[kind].get(validator);
  }

  votesFor(kind: VoteKind, hash: Hex): Vote[] {
    return [...this.#votes[kind].values()].filter((vote) => vote.hash === hash);
  }
}
