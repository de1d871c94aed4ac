/** Whether to fetch a snapshot at all, and which one. Nothing here is verified yet; lies only cost time. */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeHeader, isSealHeader } from "../blocks/header.ts";
import { invalid } from "./errors.ts";
import type { Offer } from "./messages.ts";

/** An offer as far as it can be read. */
export interface ReadOffer {
  readonly offer: Offer;
  readonly hash: Hex;
  readonly height: number;
  /** The validators of this epoch have to be known to import it: those of the next block. */
  readonly neededEpoch: number;
  /** Those of this one have signed it. */
  readonly epoch: number;
}

/** Throws SYNC_INVALID. */
export function readOffer(offer: Offer): ReadOffer {
  try {
    const header = decodeHeader(offer.header);
    const { epoch } = header.extra;
    return {
      offer,
      hash: bytesToHex(keccak256(offer.header)),
      height: Number(header.number),
      neededEpoch: isSealHeader(header) ? epoch + 1 : epoch,
      epoch,
    };
  } catch (error) {
    if (isCoded(error)) throw invalid(`an offer is malformed: ${error.message}`);
    throw error;
  }
}

export type SkipReason =
  /** There are blocks already: they are where to go on. */
  | "has-blocks"
  /** Nobody answered, or nobody is left of those that did. */
  | "no-peers"
  /** Nobody has a snapshot that could be used. */
  | "no-offers"
  /** All snapshots are so early that executing the blocks takes no longer. */
  | "near";

export interface SyncSituation {
  /** Whether the store has a block. */
  readonly hasBlocks: boolean;
  /** Peers that said what they have. */
  readonly answers: number;
  /** The heights of the snapshots that they have, and that may be used. */
  readonly heights: readonly number[];
  /** A network that is so many blocks ahead is near. */
  readonly nearBlocks: number;
}

/** Why not to fetch a snapshot; `undefined` to fetch one. */
export function reasonToSkip({ hasBlocks, answers, heights, nearBlocks }: SyncSituation): SkipReason | undefined {
  if (hasBlocks) return "has-blocks";
  if (answers === 0) return "no-peers";
  if (heights.length === 0) return "no-offers";
  return Math.max(...heights) <= nearBlocks ? "near" : undefined;
}

export interface Candidate {
  readonly read: ReadOffer;
  readonly peers: readonly string[];
}

/**
 * The highest snapshot among those that at least half as many peers have as the most common one: newer is better, since
 * peers drop the old ones and fewer blocks remain to be fetched, but one that a single peer has is slow.
 */
export function bestCandidate(
  offers: readonly { readonly peer: string; readonly read: ReadOffer }[],
): Candidate | undefined {
  const byHash = new Map<Hex, { read: ReadOffer; peers: string[] }>();
  for (const { peer, read } of offers) {
    const known = byHash.get(read.hash);
    if (known === undefined) byHash.set(read.hash, { read, peers: [peer] });
    else known.peers.push(peer);
  }
  const candidates = [...byHash.values()];
  const most = Math.max(0, ...candidates.map(({ peers }) => peers.length));
  const common = candidates.filter(({ peers }) => 2 * peers.length >= most);
  // The hash decides between forks, so that the order of answers does not.
  common.sort(
    (a, b) => b.read.height - a.read.height || b.peers.length - a.peers.length || (a.read.hash < b.read.hash ? -1 : 1),
  );
  return common[0];
}
