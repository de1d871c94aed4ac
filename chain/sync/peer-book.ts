/** The peers that a node which catches up can ask, and how well each of them answers. */
import type { Hex } from "../../base/bytes.ts";
import type { ReadOffer } from "./choose-offer.ts";
import type { SyncLimits } from "./limits.ts";

export interface SyncPeer {
  readonly id: string;
  /** By the hash of the block; `undefined` until it answered. */
  offers: Map<Hex, ReadOffer> | undefined;
  /** When offers are to be asked for again. */
  offersAt: number;
  /** Requests under way. */
  requests: number;
  /** Failures since it last gave anything that was of use. */
  failures: number;
  pausedUntil: number;
  /** Since when it has given nothing of use and said that it is busy. */
  busySince: number | undefined;
  /** The last snapshot that it offered and then did not have. */
  gone: Hex | undefined;
  /** It has no seal of this epoch, or did not give it. */
  sealsTried: number;
}

/** So many are remembered for what they did. */
const MAX_BANNED = 4_096;

/** A pause doubles with every failure up to this power of two. */
const MAX_DOUBLINGS = 5;

const MAX_FAILURES = 3;

export function isWorking({ failures }: SyncPeer): boolean {
  return failures < MAX_FAILURES;
}

export class PeerBook {
  readonly #limits: SyncLimits;
  readonly #peers = new Map<string, SyncPeer>();
  readonly #banned = new Set<string>();

  constructor(limits: SyncLimits) {
    this.#limits = limits;
  }

  get all(): readonly SyncPeer[] {
    return [...this.#peers.values()];
  }

  get(id: string): SyncPeer | undefined {
    return this.#peers.get(id);
  }

  add(id: string): void {
    if (this.#peers.has(id) || this.#banned.has(id)) return;
    if (this.#peers.size >= this.#limits.peers) this.#evict();
    if (this.#peers.size >= this.#limits.peers) return;
    this.#peers.set(id, {
      id,
      offers: undefined,
      offersAt: 0,
      requests: 0,
      failures: 0,
      pausedUntil: 0,
      busySince: undefined,
      gone: undefined,
      sealsTried: -1,
    });
  }

  remove(id: string): void {
    this.#peers.delete(id);
  }

  ban(id: string): void {
    this.#peers.delete(id);
    if (this.#banned.size >= MAX_BANNED) this.#banned.clear();
    this.#banned.add(id);
  }

  /** Whoever gives nothing makes room for others. */
  #evict(): void {
    for (const { id, failures, requests } of this.#peers.values()) {
      if (failures < MAX_FAILURES || requests > 0) continue;
      this.#peers.delete(id);
      return;
    }
  }

  /** Those that do not fail all the time, or all of them when there is no other. */
  working(peers: readonly SyncPeer[]): readonly SyncPeer[] {
    const working = peers.filter(isWorking);
    return working.length > 0 ? working : peers;
  }

  isWorking(id: string): boolean {
    const peer = this.#peers.get(id);
    return peer !== undefined && isWorking(peer);
  }

  /** How many said what they have. */
  get answers(): number {
    return this.all.filter(({ offers }) => offers !== undefined).length;
  }

  /** Of those that work. */
  offers(): readonly { readonly peer: string; readonly read: ReadOffer }[] {
    const answered = this.all.filter(({ offers }) => offers !== undefined);
    return this.working(answered).flatMap(({ id, offers = new Map<Hex, ReadOffer>() }) =>
      [...offers.values()].map((read) => ({ peer: id, read })),
    );
  }

  /** All are asked again, and for seals too. */
  forgetOffers(): void {
    for (const peer of this.#peers.values()) {
      peer.offersAt = 0;
      peer.offers = undefined;
      peer.sealsTried = -1;
    }
  }

  succeeded(peer: SyncPeer): void {
    peer.failures = 0;
    peer.busySince = undefined;
  }

  /** Whether it may be asked again soon. One that is busy for as long as a snapshot is held on to gives nothing at all. */
  busy(peer: SyncPeer, now: number): boolean {
    peer.busySince ??= now;
    if (now >= peer.busySince + this.#limits.stallWait) return false;
    peer.pausedUntil = now + this.#limits.busyPause;
    return true;
  }

  /**
   * It has not got the snapshot that it offered. It may have a newer one, but who has none of those that it offers, one
   * after the other, only takes our time.
   */
  lost(peer: SyncPeer, snapshot: Hex): void {
    peer.offers?.delete(snapshot);
    if (peer.gone === snapshot) return;
    peer.gone = snapshot;
    peer.failures++;
  }

  /** It is left alone for a while, longer each time. */
  failed(peer: SyncPeer, now: number): void {
    peer.pausedUntil = now + this.#limits.pause * 2 ** Math.min(peer.failures, MAX_DOUBLINGS);
    peer.failures++;
  }

  isReady(peer: SyncPeer, now: number): boolean {
    return peer.pausedUntil <= now && peer.requests < this.#limits.requestsPerPeer;
  }

  /** The one with the fewest requests under way, of those that can be asked now: who answers fast is asked more. */
  readiest(peers: readonly SyncPeer[], now: number): SyncPeer | undefined {
    let best: SyncPeer | undefined;
    for (const peer of peers) {
      if (this.isReady(peer, now) && (best === undefined || peer.requests < best.requests)) best = peer;
    }
    return best;
  }
}
