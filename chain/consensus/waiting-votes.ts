/**
 * Votes that came and are not checked: those that wait until a check of them could change something, and those that are
 * being checked. Each peer has a few places in each view, no more than an honest one needs: or else one peer could take
 * the places of all validators with votes in their names.
 */
import { equalBytes, type Hex } from "../../base/bytes.ts";
import type { VoteKind } from "../../base/votes.ts";
import type { ReceivedVote } from "./check-job.ts";
import { MAX_UNCHECKED_PER_PEER } from "./limits.ts";
import type { PeerId, Vote } from "./types.ts";
import { type ValidatorSet, weightAt } from "./validator-set.ts";
import { CONFLICTING } from "./vote-box.ts";

/** By validator. Of each at most two votes, whose signatures differ: one of them is false. */
class Slots {
  readonly first: Map<number, ReceivedVote> = new Map();
  /** Of those who have a first. */
  readonly second: Map<number, ReceivedVote> = new Map();

  has({ validator, signature }: Vote): boolean {
    const first = this.first.get(validator);
    if (first === undefined) return false;
    if (equalBytes(first.vote.signature, signature)) return true;
    const second = this.second.get(validator);
    return second !== undefined && equalBytes(second.vote.signature, signature);
  }

  /** False when there is no place. */
  add(received: ReceivedVote): boolean {
    const { validator } = received.vote;
    if (!this.first.has(validator)) this.first.set(validator, received);
    else if (!this.second.has(validator)) this.second.set(validator, received);
    else return false;
    return true;
  }

  /** False when it was not here. */
  remove(received: ReceivedVote): boolean {
    const { validator } = received.vote;
    const second = this.second.get(validator);
    if (second === received) return this.second.delete(validator);
    if (this.first.get(validator) !== received) return false;
    this.first.delete(validator);
    this.second.delete(validator);
    if (second !== undefined) this.first.set(validator, second);
    return true;
  }
}

/** Votes of one kind, view and hash. */
export class VoteGroup {
  readonly kind: VoteKind;
  readonly view: number;
  readonly hash: Hex;
  waiting: Slots = new Slots();
  checking: Slots = new Slots();
  /** Of the validators whose votes wait: added up anew for every vote, with a thousand, it took longer than all else. */
  weight = 0n;

  constructor({ kind, view, hash }: Vote) {
    this.kind = kind;
    this.view = view;
    this.hash = hash;
  }

  /** Whether somebody has two votes that wait. */
  get isContested(): boolean {
    return this.waiting.second.size > 0;
  }

  get isBeingChecked(): boolean {
    return this.checking.first.size > 0;
  }

  has(vote: Vote): boolean {
    return this.waiting.has(vote) || this.checking.has(vote);
  }

  /** False when there is no place. */
  add(set: ValidatorSet, received: ReceivedVote): boolean {
    const { validator } = received.vote;
    if (!this.waiting.first.has(validator)) this.weight += weightAt(set, validator);
    return this.waiting.add(received);
  }

  /** False when it did not wait. */
  remove(set: ValidatorSet, received: ReceivedVote): boolean {
    if (!this.waiting.remove(received)) return false;
    const { validator } = received.vote;
    if (!this.waiting.first.has(validator)) this.weight -= weightAt(set, validator);
    return true;
  }

  /** All that wait are being checked from now on. Nothing was before. */
  beginCheck(): Slots {
    this.checking = this.waiting;
    this.waiting = new Slots();
    this.weight = 0n;
    return this.checking;
  }
}

class View {
  readonly groups: Readonly<Record<VoteKind, Map<Hex, VoteGroup>>> = {
    PROPOSE: new Map(),
    NOTARIZE: new Map(),
    NULLIFY: new Map(),
    FINALIZE: new Map(),
  };
  /** How many of each peer are not checked. */
  readonly perPeer: Map<PeerId, number> = new Map();

  *all(): Generator<VoteGroup> {
    for (const groups of Object.values(this.groups)) yield* groups.values();
  }

  group({ kind, hash }: Vote): VoteGroup | undefined {
    return this.groups[kind].get(hash);
  }

  groupFor(vote: Vote): VoteGroup {
    const known = this.group(vote);
    if (known !== undefined) return known;
    const made = new VoteGroup(vote);
    this.groups[vote.kind].set(vote.hash, made);
    return made;
  }

  count({ from }: ReceivedVote, change: 1 | -1): void {
    const left = (this.perPeer.get(from) ?? 0) + change;
    if (left > 0) this.perPeer.set(from, left);
    else this.perPeer.delete(from);
  }
}

export interface Conflict {
  readonly received: ReceivedVote;
  readonly isWaiting: boolean;
}

export class WaitingVotes {
  readonly #views = new Map<number, View>();

  get size(): number {
    let size = 0;
    for (const view of this.#views.values()) for (const { waiting } of view.all()) size += waiting.first.size;
    return size;
  }

  clear(): void {
    this.#views.clear();
  }

  /** All views that are not needed any more. */
  keepOnly(isNeeded: (view: number) => boolean): void {
    for (const view of this.#views.keys()) if (!isNeeded(view)) this.#views.delete(view);
  }

  group(vote: Vote): VoteGroup | undefined {
    return this.#views.get(vote.view)?.group(vote);
  }

  /** Whether the vote is here already, or its sender has no more place in that view. */
  refuses({ vote, from }: ReceivedVote): boolean {
    const view = this.#views.get(vote.view);
    if (view === undefined) return false;
    if ((view.perPeer.get(from) ?? 0) >= MAX_UNCHECKED_PER_PEER) return true;
    return view.group(vote)?.has(vote) ?? false;
  }

  /** Lets it wait, unless two wait in its place. Gives its group. */
  add(set: ValidatorSet, received: ReceivedVote): VoteGroup {
    const view = this.#viewFor(received.vote);
    const group = view.groupFor(received.vote);
    if (group.add(set, received)) view.count(received, 1);
    return group;
  }

  /** A vote that is checked at once, without waiting; not if two are being checked in its place. */
  beginCheck(received: ReceivedVote): boolean {
    const view = this.#viewFor(received.vote);
    if (!view.groupFor(received.vote).checking.add(received)) return false;
    view.count(received, 1);
    return true;
  }

  /** They were checked, or will not be. */
  endCheck(checked: readonly ReceivedVote[]): void {
    for (const received of checked) {
      const view = this.#views.get(received.vote.view);
      if (view?.group(received.vote)?.checking.remove(received)) view.count(received, -1);
    }
  }

  /** A vote of the same validator that conflicts with this one, and whether it waits or is being checked. */
  conflictWith({ kind, view, hash, validator }: Vote): Conflict | undefined {
    const held = this.#views.get(view);
    if (held === undefined) return undefined;
    for (const other of CONFLICTING[kind]) {
      for (const group of held.groups[other].values()) {
        if (group.hash === hash) continue;
        const checked = group.checking.first.get(validator);
        if (checked !== undefined) return { received: checked, isWaiting: false };
        const waiting = group.waiting.first.get(validator);
        if (waiting !== undefined) return { received: waiting, isWaiting: true };
      }
    }
    return undefined;
  }

  /** It waits no longer; it is being checked, unless two are in its place. */
  checkWaiting(set: ValidatorSet, received: ReceivedVote): boolean {
    const view = this.#viewFor(received.vote);
    const group = view.groupFor(received.vote);
    if (!group.remove(set, received)) return false;
    if (group.checking.add(received)) return true;
    view.count(received, -1);
    return false;
  }

  /** Those that a peer sent are not worth a check any more. */
  dropPeer(set: ValidatorSet, peer: PeerId): void {
    for (const view of this.#views.values()) {
      if (!view.perPeer.has(peer)) continue;
      for (const group of view.all()) {
        const sent = [...group.waiting.first.values(), ...group.waiting.second.values()];
        for (const received of sent) {
          if (received.from === peer && group.remove(set, received)) view.count(received, -1);
        }
      }
    }
  }

  #viewFor({ view }: Vote): View {
    const known = this.#views.get(view);
    if (known !== undefined) return known;
    const made = new View();
    this.#views.set(view, made);
    return made;
  }
}
