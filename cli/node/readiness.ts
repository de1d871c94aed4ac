/** Whether a node can be relied on: it has caught up with its peers, or needs none. */

export interface NodeSituation {
  readonly height: number;
  /** The last final blocks of the peers, as they say. */
  readonly peerHeights: readonly number[];
  /** False until the checkpoint has come on which all trust rests. */
  readonly isTrusted: boolean;
  /** It finalises blocks without anybody else. */
  readonly isAlone: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not. */
  readonly reason: "no-peers" | "behind" | "checkpoint-to-come" | undefined;
  readonly height: number;
  readonly peers: number;
}

/** Blocks that a peer may be ahead: it may have finalised them just now. */
const NEAR = 2;

/** Peers can lie about their height, so it takes more than half of them to say that we are behind. */
export function readinessOf({ height, peerHeights, isTrusted, isAlone }: NodeSituation): Readiness {
  const peers = peerHeights.length;
  const ahead = peerHeights.filter((other) => other > height + NEAR).length;
  const isBehind = 2 * ahead > peers;
  const reason =
    peers === 0 && !isAlone ? "no-peers" : isBehind ? "behind" : isTrusted ? undefined : "checkpoint-to-come";
  return { ready: reason === undefined, reason, height, peers };
}

/** How much of the chain is here, from 0 to 1, where most of the peers have `target`: all of it unless the node is behind. */
export function chainShare(height: number, target: number): number {
  return target > height + NEAR ? height / target : 1;
}
