/** How many peers a node has, in each direction. So many places are kept for peers that it chose itself. */
import { DEFAULT_MAX_PEERS, DEFAULT_OUTBOUND_PEERS } from "./limits.ts";
import type { PeerSession } from "./peer-session.ts";

export interface PlaceLimits {
  readonly maxPeers?: number;
  readonly outboundPeers?: number;
}

type Direction = PeerSession["connection"]["direction"];

function countOf(sessions: readonly PeerSession[], direction: Direction): number {
  return sessions.filter(({ connection }) => connection.direction === direction).length;
}

/** Whether there is no place besides these peers for one more that connects in that direction. */
export function isFull(others: readonly PeerSession[], direction: Direction, limits: PlaceLimits): boolean {
  const { maxPeers = DEFAULT_MAX_PEERS, outboundPeers = DEFAULT_OUTBOUND_PEERS } = limits;
  if (others.length >= maxPeers) return true;
  return direction === "inbound" && countOf(others, "inbound") >= Math.max(1, maxPeers - outboundPeers);
}

/** How many more peers the node would like to dial. */
export function freePlaces(sessions: readonly PeerSession[], limits: PlaceLimits): number {
  const { maxPeers = DEFAULT_MAX_PEERS, outboundPeers = DEFAULT_OUTBOUND_PEERS } = limits;
  return Math.min(outboundPeers - countOf(sessions, "outbound"), maxPeers - sessions.length);
}
