/**
 * Who has a place. So many are kept for peers that the node chose itself, so that nobody can surround it by dialling it;
 * and when all are taken, a newcomer does not push out anybody, unless it has proved to be a validator.
 */
import { DEFAULT_MAX_PEERS, DEFAULT_OUTBOUND_PEERS, VALIDATOR_MAX_PEERS, VALIDATOR_OUTBOUND_PEERS } from "./limits.ts";

export interface PlaceLimits {
  readonly maxPeers: number;
  readonly outboundPeers: number;
}

/** Those that the options say, or else what fits the node's role. */
export function placeLimits(options: Partial<PlaceLimits> & { readonly validator?: unknown }): PlaceLimits {
  const isValidator = options.validator !== undefined;
  const {
    maxPeers = isValidator ? VALIDATOR_MAX_PEERS : DEFAULT_MAX_PEERS,
    outboundPeers = isValidator ? VALIDATOR_OUTBOUND_PEERS : DEFAULT_OUTBOUND_PEERS,
  } = options;
  return { maxPeers, outboundPeers: Math.min(outboundPeers, maxPeers) };
}

export type Direction = "inbound" | "outbound";

interface Placed {
  readonly connection: { readonly direction: Direction };
}

/** What speaks for a peer that has a place. */
export interface Standing {
  readonly isPersistent: boolean;
  readonly isValidator: boolean;
  /** How much of what it brought by gossip was new and right. */
  readonly useful: number;
  /** Since when it is here. */
  readonly since: number;
}

function countOf(sessions: readonly Placed[], direction: Direction): number {
  return sessions.filter(({ connection }) => connection.direction === direction).length;
}

/** Whether there is no place besides these peers for one more that connects in that direction. */
export function isFull(others: readonly Placed[], direction: Direction, limits: PlaceLimits): boolean {
  const { maxPeers, outboundPeers } = limits;
  if (others.length >= maxPeers) return true;
  return direction === "inbound" && countOf(others, "inbound") >= Math.max(1, maxPeers - outboundPeers);
}

/** How many more peers the node would like to dial. */
export function freePlaces(sessions: readonly Placed[], limits: PlaceLimits): number {
  const { maxPeers, outboundPeers } = limits;
  return Math.min(outboundPeers - countOf(sessions, "outbound"), maxPeers - sessions.length);
}

/** Who gives way to a validator: the inbound peer that was of the least use, and of these the newest. */
export function leastOf<Session extends Placed>(
  sessions: readonly Session[],
  standingOf: (session: Session) => Standing,
): Session | undefined {
  const candidates = sessions
    .filter(({ connection }) => connection.direction === "inbound")
    .map((session) => ({ session, ...standingOf(session) }))
    .filter(({ isPersistent, isValidator }) => !isPersistent && !isValidator)
    .sort((a, b) => a.useful - b.useful || b.since - a.since);
  return candidates[0]?.session;
}
