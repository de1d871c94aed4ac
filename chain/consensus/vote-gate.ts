/**
 * Stands before the core: drops what cannot matter, lets votes wait until a check of them could change something, and
 * says what has to be verified. It reads the core's state and never changes it.
 */

import { NO_HASH } from "../../base/votes.ts";
import { certificateOf } from "./certificates.ts";
import type { CheckJob, ReceivedVote } from "./check-job.ts";
import { isLinked } from "./final-segment.ts";
import { leaderOf } from "./leader.ts";
import { MAX_FINALS_SENT, VIEW_WINDOW } from "./limits.ts";
import { isMoreThanThird, isQuorum } from "./quorum.ts";
import type { ConsensusState, Round } from "./state.ts";
import type { Block, Certificate, FinalSegment, Message, PeerId, Proposal, Vote } from "./types.ts";
import { type VoteGroup, WaitingVotes } from "./waiting-votes.ts";

const HASH_LENGTH = 66;

export class VoteGate {
  #epoch = -1;
  #finalView = -1;
  readonly #waiting = new WaitingVotes();

  /** The checks that the message makes necessary now. */
  prepare(state: ConsensusState, from: PeerId, message: Message): readonly CheckJob[] {
    this.#forget(state);
    // Of all messages most are votes, by far.
    if (message.type === "vote") return isCounted(message.vote) ? this.#prepareVote(state, from, message.vote) : [];
    if (!countsOf(message).every(isCount)) return [];
    switch (message.type) {
      case "certificate":
        return prepareCertificate(state, from, message.certificate);
      case "proposal":
        return this.#prepareProposal(state, from, message.proposal);
      case "block": {
        const { block } = message;
        if (block.epoch !== state.epoch.number || !state.wanted.has(block.hash)) return [];
        if (block.proposer !== leaderAt(state, block.view)) return [];
        return [{ type: "block", from, set: state.epoch.set, block }];
      }
      case "finals":
        return prepareFinals(state, from, message.segments);
      default:
        return [{ type: "pass", event: { type: "message", from, message } }];
    }
  }

  /**
   * The check of these votes, of one kind, view and hash, has ended, well or not. Gives the checks that are necessary
   * now: what came meanwhile waits without them, and perhaps nothing else will come.
   */
  settle(state: ConsensusState, checked: readonly ReceivedVote[]): readonly CheckJob[] {
    this.#waiting.endCheck(checked);
    this.#forget(state);
    const [first] = checked;
    return first === undefined ? [] : this.#takeIfUseful(state, first.vote);
  }

  /** What the peer said is not worth a check any more: it has sent something false. */
  dropPeer({ epoch }: ConsensusState, peer: PeerId): void {
    this.#waiting.dropPeer(epoch.set, peer);
  }

  /** Votes that wait, for the test that memory is bounded. */
  get size(): number {
    return this.#waiting.size;
  }

  #forget({ epoch, finalView, finalRound }: ConsensusState): void {
    if (epoch.number === this.#epoch && finalView === this.#finalView) return;
    if (epoch.number !== this.#epoch) this.#waiting.clear();
    this.#epoch = epoch.number;
    this.#finalView = finalView;
    this.#waiting.keepOnly((view) => view > finalView || view === finalRound?.view);
  }

  /**
   * A leader may sign any number of blocks for one view, and each takes signature checks and a body to read. After the
   * first only the vote is looked at, until that has shown that there are two; but the block of a quorum is wanted.
   */
  #prepareProposal(state: ConsensusState, from: PeerId, proposal: Proposal): readonly CheckJob[] {
    const { vote } = proposal;
    if (vote.epoch > state.epoch.number) return [ahead(from)];
    if (!isProposable(state, proposal)) return [];
    const round = state.rounds.get(vote.view);
    if (round?.votes.vote("PROPOSE", vote.validator)?.hash === vote.hash) return [];
    const isLacking = round?.notarization?.hash === vote.hash && !state.blocks.has(vote.hash);
    if (round?.candidate !== undefined && !isLacking) return this.#prepareVote(state, from, vote);
    return [{ type: "proposal", from, set: state.epoch.set, proposal }];
  }

  #prepareVote(state: ConsensusState, from: PeerId, vote: Vote): readonly CheckJob[] {
    if (vote.epoch > state.epoch.number) return [ahead(from)];
    if (vote.kind === "NULLIFY" && isFinal(state, vote)) return [lagging(from)];
    if (!isWellFormed(state, vote)) return [];
    const jobs = this.#prepareCounting(state, from, vote);
    const isLacking = vote.kind === "NULLIFY" && state.rounds.get(vote.view)?.notarization !== undefined;
    return isLacking ? [lagging(from, vote.view), ...jobs] : jobs;
  }

  #prepareCounting(state: ConsensusState, from: PeerId, vote: Vote): readonly CheckJob[] {
    const round = roundAt(state, vote.view);
    // It is faulty, so nobody counts on it, and votes of any number of hashes could be sent in its name.
    if (round?.accused.has(vote.validator)) return [];
    if (round?.votes.vote(vote.kind, vote.validator)?.hash === vote.hash) return [];
    const received = { vote, from };
    // One that is sent again may find that the others have come to matter since.
    if (this.#waiting.refuses(received)) return this.#takeIfUseful(state, vote);
    const evidence = this.#prepareEvidence(state, received);
    if (evidence.length > 0 || !isCountable(state, round, vote)) return evidence;
    return this.#takeIfUseful(state, vote, this.#waiting.add(state.epoch.set, received));
  }

  /** The vote and a waiting one that conflicts with it; the vote alone if the other counts already or is being checked. */
  #prepareEvidence(state: ConsensusState, received: ReceivedVote): readonly CheckJob[] {
    const { vote } = received;
    const { set } = state.epoch;
    const isCounted = state.rounds.get(vote.view)?.votes.conflictWith(vote) !== undefined;
    const other = isCounted ? undefined : this.#waiting.conflictWith(vote);
    if (!isCounted && other === undefined) return [];
    const checked: ReceivedVote[] = [];
    if (other?.isWaiting && this.#waiting.checkWaiting(set, other.received)) checked.push(other.received);
    if (this.#waiting.beginCheck(received)) checked.push(received);
    return checked.map((one) => ({ type: "votes", set, votes: [one] }));
  }

  /** One check of a group at a time: what comes meanwhile is checked together, when that has ended. */
  #takeIfUseful(state: ConsensusState, vote: Vote, group = this.#waiting.group(vote)): readonly CheckJob[] {
    if (group === undefined || group.waiting.first.size === 0 || group.isBeingChecked) return [];
    return couldMatter(state, group) ? checksOf(state, group) : [];
  }
}

/** Those that are contested each by itself, all others together. */
function checksOf({ epoch: { set } }: ConsensusState, group: VoteGroup): readonly CheckJob[] {
  const { first, second } = group.beginCheck();
  const isContested = ({ vote }: ReceivedVote): boolean => second.has(vote.validator);
  const all = [...first.values()];
  if (second.size === 0) return [{ type: "votes", set, votes: all }];
  const together = all.filter((one) => !isContested(one));
  const alone = [...all.filter(isContested), ...second.values()];
  const groups = together.length > 0 ? [together, ...alone.map((one) => [one])] : alone.map((one) => [one]);
  return groups.map((votes) => ({ type: "votes", set, votes }));
}

/** Whether a vote that conflicts with none is of any use. */
function isCountable(state: ConsensusState, round: Round | undefined, { kind, hash }: Vote): boolean {
  if (kind === "PROPOSE") return false;
  const certificate = round && certificateOf(round, kind);
  return certificate === undefined || (certificate.hash === hash && isLeading(state));
}

function isLeading(state: ConsensusState): boolean {
  return state.own === leaderAt(state, state.view);
}

function couldMatter(state: ConsensusState, group: VoteGroup): boolean {
  const { kind, view, hash, weight, waiting } = group;
  // Two signatures in one place: one is false, and whoever sent it must not keep the true one waiting.
  if (group.isContested) return true;
  const round = roundAt(state, view);
  const certificate = round && kind !== "PROPOSE" ? certificateOf(round, kind) : undefined;
  if (certificate !== undefined) return certificate.hash === hash && isLeading(state);
  const { total } = state.epoch.set;
  const checked = round?.votes.weight(kind, hash) ?? 0n;
  if (isQuorum(checked + weight, total)) return true;
  if (kind !== "NULLIFY") return false;
  if (waiting.first.has(leaderAt(state, view))) return true;
  return isMoreThanThird(checked + weight, total) && !isMoreThanThird(checked, total);
}

/** A decoder may let through what is no number of anything. */
function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0;
}

function isCounted({ epoch, view, validator }: Vote): boolean {
  return isCount(epoch) && isCount(view) && isCount(validator);
}

/** The numbers of a message that are used as numbers here. */
function countsOf(message: Exclude<Message, { type: "vote" }>): readonly number[] {
  switch (message.type) {
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

function lagging(from: PeerId, view?: number): CheckJob {
  return { type: "pass", event: { type: "lagging", from, view } };
}

function isFinal({ epoch, finalView }: ConsensusState, vote: Vote): boolean {
  return vote.epoch < epoch.number || (vote.epoch === epoch.number && vote.view <= finalView);
}

/** A PROPOSE alone, without its block, can only show that a leader proposed two. */
function isWellFormed(state: ConsensusState, vote: Vote): boolean {
  const { epoch, view, finalView, finalRound } = state;
  if (vote.epoch !== epoch.number) return false;
  const isLate = vote.view === finalRound?.view && vote.kind === "FINALIZE";
  if ((vote.view <= finalView && !isLate) || vote.view > view + VIEW_WINDOW) return false;
  if (epoch.set.ids[vote.validator] === undefined) return false;
  if (vote.kind === "PROPOSE" && vote.validator !== leaderAt(state, vote.view)) return false;
  return vote.kind === "NULLIFY" ? vote.hash === NO_HASH : vote.hash.length === HASH_LENGTH;
}

/** The last final view is still open for the votes that its certificate lacks: the next leader puts them in its block. */
function roundAt({ rounds, finalRound }: ConsensusState, view: number): Round | undefined {
  return view === finalRound?.view ? finalRound : rounds.get(view);
}

function leaderAt({ rounds, epoch }: ConsensusState, view: number): number {
  return rounds.get(view)?.leader ?? leaderOf(epoch.set, epoch.seed, view);
}

function prepareCertificate(state: ConsensusState, from: PeerId, certificate: Certificate): readonly CheckJob[] {
  const { number, set } = state.epoch;
  if (certificate.epoch > number) return [ahead(from)];
  if (certificate.epoch < number || certificate.view <= state.finalView) {
    return isOutdated(state, certificate) ? [lagging(from)] : [];
  }
  const round = state.rounds.get(certificate.view);
  const known = round && certificateOf(round, certificate.kind);
  // One of another hash is checked: it would mean that a third of the weight is faulty.
  if (known !== undefined && known.hash === certificate.hash) return [];
  return [{ type: "certificate", from, set, certificate }];
}

/**
 * Whoever sends it again has nothing better, and we have. Not the like of it: two nodes would answer each other for ever
 * with the seal that both begin their epoch with.
 */
function isOutdated({ finalCertificate: own }: ConsensusState, { kind, epoch, view }: Certificate): boolean {
  if (kind !== "FINALIZE" || own === undefined) return false;
  return epoch < own.epoch || (epoch === own.epoch && view < own.view);
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
function isProposable(state: ConsensusState, { vote, block, parentView }: Proposal): boolean {
  const { number } = state.epoch;
  if (vote.epoch !== number || vote.kind !== "PROPOSE" || vote.hash !== block.hash || block.epoch !== number)
    return false;
  if (vote.view <= state.finalView || vote.view > state.view + VIEW_WINDOW) return false;
  if (block.view > vote.view || (block.view < vote.view && block.next === undefined)) return false;
  if (block.view < 1 || parentView >= vote.view) return false;
  return vote.validator === leaderAt(state, vote.view) && block.proposer === leaderAt(state, block.view);
}
