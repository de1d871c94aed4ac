/**
 * Signature checks as data: a job names what must be verified, and `checkJob` turns it into the events that may enter
 * the core, and the peers to blame. It touches no state, so it can run on another thread.
 */
import { revealMessage, voteMessage } from "../../base/votes.ts";
import { verifyCertificate } from "./certificate.ts";
import type { Crypto } from "./crypto.ts";
import type { Event } from "./events.ts";
import type { Block, Certificate, FinalSegment, Message, PeerId, Proposal, Vote } from "./types.ts";
import { idAt, type ValidatorSet } from "./validator-set.ts";

/** A vote and the peer that it came from, who answers for it: not always the validator in whose name it is. */
export interface ReceivedVote {
  readonly vote: Vote;
  readonly from: PeerId;
}

export type CheckJob =
  /** Nothing to verify. */
  | { readonly type: "pass"; readonly event: Event }
  /** All of one kind, view and hash. */
  | { readonly type: "votes"; readonly set: ValidatorSet; readonly votes: readonly ReceivedVote[] }
  | {
      readonly type: "certificate";
      readonly from: PeerId;
      readonly set: ValidatorSet;
      readonly certificate: Certificate;
    }
  | {
      readonly type: "proposal";
      readonly from: PeerId;
      readonly set: ValidatorSet;
      readonly proposal: Proposal;
    }
  /** The gate has made sure that the proposer of a block leads its view. */
  | { readonly type: "block"; readonly from: PeerId; readonly set: ValidatorSet; readonly block: Block }
  | {
      readonly type: "finals";
      readonly from: PeerId;
      readonly set: ValidatorSet;
      readonly segments: readonly FinalSegment[];
    };

export interface CheckResult {
  /** For the core. */
  readonly events: readonly Event[];
  /** Peers that sent something with a false signature. */
  readonly blamed: readonly PeerId[];
}

export function checkJob(job: CheckJob, chainId: bigint, crypto: Crypto): CheckResult {
  if (job.type === "pass") return { events: [job.event], blamed: [] };
  if (job.type === "votes") return checkVotes(job.votes, job.set, chainId, crypto);
  const message = checkedMessage(job, chainId, crypto);
  if (message === undefined) return { events: [], blamed: [job.from] };
  return { events: [{ type: "message", from: job.from, message }], blamed: [] };
}

function checkVotes(
  received: readonly ReceivedVote[],
  set: ValidatorSet,
  chainId: bigint,
  crypto: Crypto,
): CheckResult {
  const votes = received.map(({ vote }) => vote);
  const valid = validVotes(votes, set, chainId, crypto);
  const sum = sumOf(valid, crypto);
  if (valid.length === votes.length && sum !== undefined)
    return { events: [{ type: "votes", votes, sum }], blamed: [] };
  const good = new Set(valid);
  const isGood = votes.map((vote) => good.has(vote));
  return votesResult(received, isGood, sum);
}

/** The sum is made here, where a whole group is at hand and nobody waits, so that the core never adds up many votes. */
function sumOf(good: readonly Vote[], crypto: Crypto): Uint8Array | undefined {
  return good.length === 1 ? good[0]?.signature : crypto.aggregate(good.map(({ signature }) => signature));
}

/** What is known of votes once they are checked: which of them are good, and the sum of the signatures of those. */
export function votesResult(
  received: readonly ReceivedVote[],
  isGood: readonly boolean[],
  sum: Uint8Array | undefined,
): CheckResult {
  const votes = received.filter((_, index) => isGood[index]).map(({ vote }) => vote);
  const blamed = received.filter((_, index) => !isGood[index]).map(({ from }) => from);
  return { events: sum === undefined || votes.length === 0 ? [] : [{ type: "votes", votes, sum }], blamed };
}

/** The message of the job if its signatures are right. */
function checkedMessage(
  job: Exclude<CheckJob, { type: "pass" | "votes" }>,
  chainId: bigint,
  crypto: Crypto,
): Exclude<Message, { type: "vote" }> | undefined {
  switch (job.type) {
    case "certificate": {
      const { certificate, set } = job;
      return verifyCertificate(certificate, set, chainId, crypto) ? { type: "certificate", certificate } : undefined;
    }
    case "proposal": {
      const { set, proposal } = job;
      const { vote, block } = proposal;
      const isSigned = crypto.verify(idAt(set, vote.validator), voteMessage(chainId, vote), vote.signature);
      return isSigned && isGenuine(block, set, chainId, crypto) ? { type: "proposal", proposal } : undefined;
    }
    case "block":
      return isGenuine(job.block, job.set, chainId, crypto) ? { type: "block", block: job.block } : undefined;
    case "finals": {
      const { segments, set } = job;
      const areFinal = segments.every(({ certificate }) => verifyCertificate(certificate, set, chainId, crypto));
      return areFinal ? { type: "finals", segments } : undefined;
    }
  }
}

/** The reveal is the proposer's, and the votes for the parent are a quorum's. */
function isGenuine(block: Block, set: ValidatorSet, chainId: bigint, crypto: Crypto): boolean {
  const { epoch, view, proposer, reveal, parentCertificate } = block;
  if (!crypto.verify(idAt(set, proposer), revealMessage(chainId, epoch, view), reveal)) return false;
  if (parentCertificate === undefined) return true;
  return parentCertificate.epoch === epoch && verifyCertificate(parentCertificate, set, chainId, crypto);
}

/**
 * The valid ones of votes that sign the same message: one check if all are, halves of halves otherwise. Each by itself,
 * and not their sum: a certificate may be made of some of them only, and evidence of one.
 */
export function validVotes(
  votes: readonly Vote[],
  set: ValidatorSet,
  chainId: bigint,
  crypto: Crypto,
): readonly Vote[] {
  const [first] = votes;
  if (first === undefined) return [];
  const message = voteMessage(chainId, first);
  const search = (part: readonly Vote[]): readonly Vote[] => {
    const ids = part.map((vote) => idAt(set, vote.validator));
    const signatures = part.map((vote) => vote.signature);
    if (crypto.verifyEach(ids, message, signatures)) return part;
    if (part.length <= 1) return [];
    const middle = part.length >> 1;
    return [...search(part.slice(0, middle)), ...search(part.slice(middle))];
  };
  return search(votes);
}
