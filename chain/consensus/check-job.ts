/**
 * Signature checks as data: a job names what must be verified, and `checkJob` turns it into the events that may enter
 * the core. It touches no state, so it can run on another thread.
 */
import { verifyCertificate } from "./certificate.ts";
import type { Crypto } from "./crypto.ts";
import type { Event } from "./events.ts";
import { revealMessage, voteMessage } from "./messages.ts";
import type { Block, Certificate, FinalSegment, PeerId, Proposal, Vote } from "./types.ts";
import { idAt, type ValidatorId, type ValidatorSet } from "./validator-set.ts";

export type CheckJob =
  | { readonly type: "pass"; readonly event: Event }
  /** All of one kind, view and hash; who sent which is not needed any more. */
  | { readonly type: "votes"; readonly set: ValidatorSet; readonly votes: readonly Vote[] }
  | {
      readonly type: "certificate";
      readonly from: PeerId;
      readonly set: ValidatorSet;
      readonly certificate: Certificate;
    }
  | {
      readonly type: "proposal";
      readonly from: PeerId;
      readonly leader: ValidatorId;
      readonly blockLeader: ValidatorId;
      readonly proposal: Proposal;
    }
  | { readonly type: "block"; readonly from: PeerId; readonly blockLeader: ValidatorId; readonly block: Block }
  | {
      readonly type: "finals";
      readonly from: PeerId;
      readonly set: ValidatorSet;
      readonly segments: readonly FinalSegment[];
    };

export function checkJob(job: CheckJob, chainId: bigint, crypto: Crypto): readonly Event[] {
  switch (job.type) {
    case "pass":
      return [job.event];
    case "votes":
      return validVotes(job.votes, job.set, chainId, crypto).map((vote) => ({
        type: "message",
        from: idAt(job.set, vote.validator),
        message: { type: "vote", vote },
      }));
    case "certificate": {
      const { from, certificate } = job;
      if (!verifyCertificate(certificate, job.set, chainId, crypto)) return [];
      return [{ type: "message", from, message: { type: "certificate", certificate } }];
    }
    case "proposal": {
      const { from, leader, blockLeader, proposal } = job;
      const { vote, block } = proposal;
      if (!crypto.verify(leader, voteMessage(chainId, vote), vote.signature)) return [];
      if (!hasReveal(block, blockLeader, chainId, crypto)) return [];
      return [{ type: "message", from, message: { type: "proposal", proposal } }];
    }
    case "block":
      if (!hasReveal(job.block, job.blockLeader, chainId, crypto)) return [];
      return [{ type: "message", from: job.from, message: { type: "block", block: job.block } }];
    case "finals": {
      const segments = job.segments.filter(({ certificate }) =>
        verifyCertificate(certificate, job.set, chainId, crypto),
      );
      return [{ type: "message", from: job.from, message: { type: "finals", segments } }];
    }
  }
}

function hasReveal(block: Block, leader: ValidatorId, chainId: bigint, crypto: Crypto): boolean {
  return crypto.verify(leader, revealMessage(chainId, block.epoch, block.view), block.reveal);
}

/** The valid ones of votes that sign the same message: one aggregate check if all are, halves of halves otherwise. */
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
    const signature = crypto.aggregate(part.map((vote) => vote.signature));
    const ids = part.map((vote) => idAt(set, vote.validator));
    if (signature !== undefined && crypto.verifyAggregate(ids, message, signature)) return part;
    if (part.length <= 1) return [];
    const middle = part.length >> 1;
    return [...search(part.slice(0, middle)), ...search(part.slice(middle))];
  };
  return search(votes);
}
