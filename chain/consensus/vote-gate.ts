/**
 * Stands before the core: drops what cannot matter, lets votes wait until a check of them could change something, and
 * says what has to be verified. It reads the core's state and never changes it.
 */

import { equalBytes } from "../../base/bytes.ts";
import { certificateOf } from "./certificates.ts";
import type { CheckJob, ReceivedVote } from "./check-job.ts";
import { offenceOf } from "./evidence.ts";
import { isLinked } from "./final-segment.ts";
import { leaderOf } from "./leader.ts";
import { MAX_FINALS_SENT, MAX_UNCHECKED_PER_SLOT, VIEW_WINDOW } from "./limits.ts";
import { isMoreThanThird, isQuorum } from "./quorum.ts";
import type { ConsensusState, Round } from "./state.ts";
import {
  type Block,
  type Certificate,
  type FinalSegment,
  type Message,
  NO_HASH,
  type PeerId,
  type Proposal,
  type Vote,
} from "./types.ts";
import { idAt, weightAt } from "./validator-set.ts";

/** Votes of one kind and hash. */
interface Group {
  /** By validator: those of the same one differ in their signature only. */
  readonly slots: Map<number, readonly ReceivedVote[]>;
  /** Of these validators together: added up vote by vote, with a thousand validators the sum took longer than all else. */
  weight: bigint;
}

/** By kind and hash. */
type Waiting = Map<string, Group>;

const HASH_LENGTH = 66;

export class VoteGate {
  #epoch = -1;
  readonly #waiting = new Map<number, Waiting>();

  /** The checks that the message makes necessary now. */
  prepare(state: ConsensusState, from: PeerId, message: Message): readonly CheckJob[] {
    this.#forget(state);
    if (!countsOf(message).every((count) => Number.isSafeInteger(count) && count >= 0)) return [];
    switch (message.type) {
      case "vote":
        return this.#prepareVote(state, from, message.vote);
      case "certificate":
        return prepareCertificate(state, from, message.certificate);
      case "proposal":
        return prepareProposal(state, from, message.proposal);
      case "block": {
        const { block } = message;
        if (block.epoch !== state.epoch.number || !state.wanted.has(block.hash)) return [];
        if (block.proposer !== leaderAt(state, block.view, "index")) return [];
        return [{ type: "block", from, set: state.epoch.set, block }];
      }
      case "finals":
        return prepareFinals(state, from, message.segments);
      default:
        return [{ type: "pass", event: { type: "message", from, message } }];
    }
  }

  /**
   * The checks that became necessary because these votes, of one kind, view and hash, were checked: what came meanwhile
   * waits without them, and perhaps nothing else will come.
   */
  prepareWaiting(state: ConsensusState, checked: readonly ReceivedVote[]): readonly CheckJob[] {
    this.#forget(state);
    const [first] = checked;
    const group = first && this.#waiting.get(first.vote.view)?.get(first.vote.kind + first.vote.hash);
    const [slot] = group?.slots.values() ?? [];
    const vote = slot?.[0]?.vote;
    if (group === undefined || vote === undefined) return [];
    return this.#couldMatter(state, vote, group) ? this.#take(state, vote) : [];
  }

  /** Votes that wait, for the test that memory is bounded. */
  get size(): number {
    let size = 0;
    for (const groups of this.#waiting.values()) for (const { slots } of groups.values()) size += slots.size;
    return size;
  }

  #forget({ epoch, finalView }: ConsensusState): void {
    if (epoch.number !== this.#epoch) this.#waiting.clear();
    this.#epoch = epoch.number;
    for (const view of this.#waiting.keys()) if (view <= finalView) this.#waiting.delete(view);
  }

  #prepareVote(state: ConsensusState, from: PeerId, vote: Vote): readonly CheckJob[] {
    if (vote.epoch > state.epoch.number) return [ahead(from)];
    if (vote.kind === "NULLIFY" && isFinal(state, vote)) return [{ type: "pass", event: { type: "lagging", from } }];
    if (!isWellFormed(state, vote)) return [];
    const round = roundAt(state, vote.view);
    // It is faulty, so nobody counts on it, and votes of any number of hashes could be sent in its name.
    if (round?.accused.has(vote.validator)) return [];
    const counted = round?.votes.vote(vote.kind, vote.validator);
    if (counted?.hash === vote.hash) return [];
    const received = { vote, from };
    const conflicts = this.#conflicts(state, received);
    if (conflicts.length > 0) return conflicts.map((one) => ({ type: "votes", set: state.epoch.set, votes: [one] }));
    const certificate = round && vote.kind !== "PROPOSE" ? certificateOf(round, vote.kind) : undefined;
    if (certificate !== undefined) {
      const isUseful = certificate.hash === vote.hash && state.own === leaderAt(state, state.view, "index");
      return isUseful ? [{ type: "votes", set: state.epoch.set, votes: [received] }] : [];
    }
    const group = this.#add(state, received);
    return group !== undefined && this.#couldMatter(state, vote, group) ? this.#take(state, vote) : [];
  }

  /** The vote and a waiting one that conflicts with it, or the vote alone if the other one counts already. */
  #conflicts(state: ConsensusState, received: ReceivedVote): readonly ReceivedVote[] {
    const { vote } = received;
    if (state.rounds.get(vote.view)?.votes.conflictWith(vote) !== undefined) return [received];
    for (const group of this.#waiting.get(vote.view)?.values() ?? []) {
      const other = group.slots.get(vote.validator)?.find((waiting) => offenceOf(waiting.vote, vote) !== undefined);
      if (other !== undefined) {
        group.slots.delete(vote.validator);
        group.weight -= weightAt(state.epoch.set, vote.validator);
        return [other, received];
      }
    }
    return [];
  }

  /** The group that the vote is in, which may have come to matter since; `undefined` when too many stand in its place. */
  #add({ epoch }: ConsensusState, received: ReceivedVote): Group | undefined {
    const { vote } = received;
    const groups: Waiting = this.#waiting.get(vote.view) ?? new Map();
    this.#waiting.set(vote.view, groups);
    const group: Group = groups.get(vote.kind + vote.hash) ?? { slots: new Map(), weight: 0n };
    groups.set(vote.kind + vote.hash, group);
    const slot = group.slots.get(vote.validator) ?? [];
    if (slot.some((waiting) => equalBytes(waiting.vote.signature, vote.signature))) return group;
    if (slot.length >= MAX_UNCHECKED_PER_SLOT) return undefined;
    if (slot.length === 0) group.weight += weightAt(epoch.set, vote.validator);
    group.slots.set(vote.validator, [...slot, received]);
    return group;
  }

  #couldMatter(state: ConsensusState, vote: Vote, group: Group): boolean {
    const { set } = state.epoch;
    // Two signatures in one place: one is false, and whoever sent it must not keep the true one waiting.
    if ((group.slots.get(vote.validator)?.length ?? 0) > 1) return true;
    const checked = state.rounds.get(vote.view)?.votes.weight(vote.kind, vote.hash) ?? 0n;
    const weight = checked + group.weight;
    if (isQuorum(weight, set.total)) return true;
    if (vote.kind !== "NULLIFY") return false;
    if (vote.validator === leaderAt(state, vote.view, "index")) return true;
    return isMoreThanThird(weight, set.total) && !isMoreThanThird(checked, set.total);
  }

  #take(state: ConsensusState, { view, kind, hash }: Vote): readonly CheckJob[] {
    const group = this.#waiting.get(view)?.get(kind + hash);
    this.#waiting.get(view)?.delete(kind + hash);
    const slots = [...(group?.slots.values() ?? [])];
    const { set } = state.epoch;
    const together = slots.filter((slot) => slot.length === 1).flat();
    const alone = slots.filter((slot) => slot.length > 1).flat();
    const jobs: CheckJob[] = alone.map((one) => ({ type: "votes", set, votes: [one] }));
    if (together.length > 0) jobs.push({ type: "votes", set, votes: together });
    return jobs;
  }
}

/** The numbers of a message that are used as numbers here: a decoder may let through what is none. */
function countsOf(message: Message): readonly number[] {
  switch (message.type) {
    case "vote":
      return [message.vote.epoch, message.vote.view, message.vote.validator];
    case "certificate":
      return [message.certificate.epoch, message.certificate.view];
    case "proposal": {
      const { vote, block, parentView } = message.proposal;
      return [vote.epoch, vote.view, vote.validator, parentView, ...blockCounts(block)];
    }
    case "block":
      return blockCounts(message.block);
    case "finals":
      return message.segments.flatMap(({ blocks, certificate }) => [
        certificate.epoch,
        certificate.view,
        ...blocks.flatMap(blockCounts),
      ]);
    case "fetch-certificates":
      return [message.epoch, message.from, message.to];
    case "fetch-finals":
      return [message.height];
    case "fetch-block":
      return [];
  }
}

function blockCounts({ height, epoch, view, time, proposer }: Block): readonly number[] {
  return [height, epoch, view, time, proposer];
}

function ahead(from: PeerId): CheckJob {
  return { type: "pass", event: { type: "ahead", from } };
}

function isFinal({ epoch, finalView }: ConsensusState, vote: Vote): boolean {
  return vote.epoch < epoch.number || (vote.epoch === epoch.number && vote.view <= finalView);
}

function isWellFormed({ epoch, view, finalView, finalRound }: ConsensusState, vote: Vote): boolean {
  if (vote.epoch !== epoch.number || vote.kind === "PROPOSE") return false;
  const isLate = vote.view === finalRound?.view && vote.kind === "FINALIZE";
  if ((vote.view <= finalView && !isLate) || vote.view > view + VIEW_WINDOW) return false;
  if (epoch.set.ids[vote.validator] === undefined) return false;
  return vote.kind === "NULLIFY" ? vote.hash === NO_HASH : vote.hash.length === HASH_LENGTH;
}

/** The last final view is still open for the votes that its certificate lacks: the next leader puts them in its block. */
function roundAt({ rounds, finalRound }: ConsensusState, view: number): Round | undefined {
  return view === finalRound?.view ? finalRound : rounds.get(view);
}

function leaderAt(state: ConsensusState, view: number): PeerId;
function leaderAt(state: ConsensusState, view: number, as: "index"): number;
function leaderAt(state: ConsensusState, view: number, as?: "index"): PeerId | number {
  const { set, seed } = state.epoch;
  const index = state.rounds.get(view)?.leader ?? leaderOf(set, seed, view);
  return as === "index" ? index : idAt(set, index);
}

function prepareCertificate(state: ConsensusState, from: PeerId, certificate: Certificate): readonly CheckJob[] {
  const { number, set } = state.epoch;
  if (certificate.epoch > number) return [ahead(from)];
  if (certificate.epoch < number || certificate.view <= state.finalView) return [];
  const round = state.rounds.get(certificate.view);
  const known = round && certificateOf(round, certificate.kind);
  // One of another hash is checked: it would mean that a third of the weight is faulty.
  if (known !== undefined && known.hash === certificate.hash) return [];
  return [{ type: "certificate", from, set, certificate }];
}

/** Each segment costs a check: what is final here already, comes twice or does not hang together is not worth it. */
function prepareFinals(state: ConsensusState, from: PeerId, segments: readonly FinalSegment[]): readonly CheckJob[] {
  const { number, set } = state.epoch;
  let view = state.finalView;
  let count = 0;
  const useful: FinalSegment[] = [];
  for (const segment of segments) {
    const { certificate, blocks } = segment;
    if (certificate.epoch !== number || certificate.view <= view || !isLinked(segment)) continue;
    view = certificate.view;
    count += blocks.length;
    useful.push(segment);
  }
  return useful.length === 0 || count > MAX_FINALS_SENT ? [] : [{ type: "finals", from, set, segments: useful }];
}

/** A block of an earlier view may only be a seal. Leaders are fixed, so the check needs no vote of the sender. */
function prepareProposal(state: ConsensusState, from: PeerId, proposal: Proposal): readonly CheckJob[] {
  const { vote, block, parentView } = proposal;
  const { number } = state.epoch;
  if (vote.epoch > number) return [ahead(from)];
  if (vote.epoch !== number || vote.kind !== "PROPOSE" || vote.hash !== block.hash || block.epoch !== number) return [];
  if (vote.view <= state.finalView || vote.view > state.view + VIEW_WINDOW) return [];
  if (block.view > vote.view || (block.view < vote.view && block.next === undefined)) return [];
  if (block.view < 1 || parentView >= vote.view) return [];
  if (vote.validator !== leaderAt(state, vote.view, "index")) return [];
  if (state.rounds.get(vote.view)?.votes.vote("PROPOSE", vote.validator)?.hash === vote.hash) return [];
  if (block.proposer !== leaderAt(state, block.view, "index")) return [];
  return [{ type: "proposal", from, set: state.epoch.set, proposal }];
}
