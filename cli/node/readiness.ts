/** Whether a node can be relied on: it has caught up with its peers, or needs none. */

export interface NodeSituation {
  readonly height: number;
  /** The last final blocks of the peers, as they say. */
  readonly peerHeights: readonly number[];
  /** It finalises blocks without anybody else. */
  readonly isAlone: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not. */
  readonly reason: "no-peers" | "behind" | undefined;
  readonly height: number;
  readonly peers: number;
}

/** Blocks that a peer may be ahead: it may have finalised them just now. */
const NEAR = 2;

/** Peers can lie about their height, so it takes more than half of them to say that we are behind. */
export function readinessOf({ height, peerHeights, isAlone }: NodeSituation): Readiness {
  const peers = peerHeights.length;
  const ahead = peerHeights.filter((other) => other > height + NEAR).length;
  const reason = peers === 0 && !isAlone ? "no-peers" : 2 * ahead > peers ? "behind" : undefined;
  return { ready: reason === undefined, reason, height, peers };
}
