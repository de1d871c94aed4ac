/** What a node counts. chain/observe turns it into metrics; tests pass nothing. */
import type { VoteKind } from "../../base/votes.ts";
import type { Message } from "../consensus/types.ts";

export interface NodeGauges {
  readonly peers: number;
  readonly transactions: number;
  readonly bytes: number;
}

export interface NodeMeter {
  /** Once, with the last block that is there at the start. */
  opened(height: number): void;
  /** A durable block. */
  block(height: number, transactions: number): void;
  /** Seconds from a block's own time to the moment when it was final and durable here, unless it was caught up with. */
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
  opened: nothing,
  block: nothing,
  finality: nothing,
  view: nothing,
  vote: nothing,
  evidence: nothing,
  alarm: nothing,
  gauges: nothing,
};

/** Peers may be told of a block before we are: one that is so far behind is caught up with. */
const NEAR = 2;

/** Whether more than half of the peers were further: the block is old, and says nothing of how fast blocks become final. */
export function isBehind(height: number, peerHeights: readonly number[]): boolean {
  return 2 * peerHeights.filter((each) => each > height + NEAR).length > peerHeights.length;
}
