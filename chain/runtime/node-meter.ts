/** What a node counts. chain/observe turns it into metrics; tests pass nothing. */
import type { VoteKind } from "../../base/votes.ts";
import type { Message } from "../consensus/types.ts";

export interface NodeGauges {
  readonly peers: number;
  readonly transactions: number;
  readonly bytes: number;
}

export interface NodeMeter {
  /** A durable block. */
  block(height: number, transactions: number): void;
  /** Seconds from a block's own time to the moment when it was final and durable here. */
  finality(seconds: number): void;
  /** After every step of consensus. */
  view(epoch: number, view: number, finalHeight: number): void;
  vote(kind: VoteKind, direction: "sent" | "received"): void;
  evidence(): void;
  alarm(): void;
  gauges(gauges: NodeGauges): void;
}

/** A proposal is its leader's PROPOSE vote. */
export function countVote(meter: NodeMeter, message: Message, direction: "sent" | "received"): void {
  if (message.type === "vote") meter.vote(message.vote.kind, direction);
  else if (message.type === "proposal") meter.vote(message.proposal.vote.kind, direction);
}

const nothing = (): void => undefined;

export const noMeter: NodeMeter = {
  block: nothing,
  finality: nothing,
  view: nothing,
  vote: nothing,
  evidence: nothing,
  alarm: nothing,
  gauges: nothing,
};
