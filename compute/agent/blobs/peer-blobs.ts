/**
 * Looks for a blob among the node's peers and brings it into the own store. Every part is checked against the address
 * before it is kept; so parts of several peers make one blob, it goes on with others where one stops, and who sends a
 * false part is known at once.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Hex, hexToBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { TokenBucket } from "../../../base/token-bucket.ts";
import { verifyRun } from "../../program/chunk-run.ts";
import { PEER_LIMITS } from "../limits.ts";
import { type BlobPart, PART_BYTES, runOfPart } from "./blob-parts.ts";
import type { BlobStore } from "./blob-store.ts";
import type { BlobUpload } from "./blob-upload.ts";

/** Whose quota it counts to what peers brought: one for all of them, and a stranger's. */
export const PEERS = "peers";

/** The peers of a node. */
export interface BlobPeers {
  peers(): Promise<readonly string[]>;
  /** How long the peer says that it is, if it has it. */
  find(peer: string, address: Hex): Promise<number | undefined>;
  part(peer: string, address: Hex, part: number): Promise<BlobPart | "busy" | undefined>;
  /** It sent what does not belong to the blob. */
  blame(peer: string): void;
}

interface Holder {
  readonly peer: string;
  readonly length: number;
}

/** A part that is checked. */
interface Proof {
  readonly part: number;
  readonly bytes: Uint8Array;
}

export class PeerBlobs {
  readonly #store: BlobStore;
  readonly #peers: BlobPeers;
  readonly #now: () => number;
  readonly #rate: TokenBucket;
  /** One search for all who ask for the same. */
  readonly #underWay = new Map<Hex, Promise<boolean>>();
  /** When nobody had it, the oldest first: who asks again and again does not make all peers look each time. */
  readonly #absent = new Map<Hex, number>();

  constructor(store: BlobStore, peers: BlobPeers, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#peers = peers;
    this.#now = now;
    this.#rate = new TokenBucket(PEER_LIMITS.searches, now());
  }

  /** Whether it is here afterwards; not when there are too many searches already. Rejects with BLOB_QUOTA or BLOB_BUSY. */
  search(address: Hex): Promise<boolean> {
    const running = this.#underWay.get(address);
    if (running !== undefined) return running;
    const absentAt = this.#absent.get(address) ?? Number.NEGATIVE_INFINITY;
    const isKnownAbsent = this.#now() - absentAt < PEER_LIMITS.absentMilliseconds;
    // Each may become an upload of the one owner that all peers are.
    const isBusy = this.#underWay.size >= this.#store.limits.ownerUploads;
    if (isKnownAbsent || isBusy || !this.#rate.take(1, this.#now())) return Promise.resolve(false);
    const searching = this.#search(address).finally(() => this.#underWay.delete(address));
    this.#underWay.set(address, searching);
    return searching;
  }

  async #search(address: Hex): Promise<boolean> {
    const holders = await this.#holders(address);
    for (const length of new Set(holders.map((holder) => holder.length))) {
      const same = holders.filter((holder) => holder.length === length).map(({ peer }) => peer);
      const proof = await this.#prove(address, length, same);
      if (proof !== undefined && (await this.#fetch(address, length, proof, same))) return true;
    }
    this.#absent.delete(address);
    this.#absent.set(address, this.#now());
    const [oldest] = this.#absent.keys();
    if (this.#absent.size > PEER_LIMITS.absent && oldest !== undefined) this.#absent.delete(oldest);
    return false;
  }

  async #holders(address: Hex): Promise<readonly Holder[]> {
    const some = shuffled(await this.#peers.peers()).slice(0, PEER_LIMITS.asked);
    const found = await Promise.all(
      some.map(async (peer) => ({ peer, length: await this.#peers.find(peer, address) })),
    );
    const most = this.#store.limits.blobBytes;
    return found.flatMap(({ peer, length }) => (length === undefined || length > most ? [] : [{ peer, length }]));
  }

  /**
   * The first part that is missing, from the first of the peers that has it; those that fail are taken out. A part that
   * holds proves the length too. Only then is room made for it: a false length would push other blobs out, or cut off what
   * is there of this one.
   */
  async #prove(address: Hex, length: number, peers: string[]): Promise<Proof | undefined> {
    if (length === 0) {
      const nothing = { bytes: new Uint8Array(0), siblings: [] };
      if (verifyRun(hexToBytes(address), 0, runOfPart(0, nothing))) return { part: 0, bytes: nothing.bytes };
      for (const peer of peers) this.#peers.blame(peer);
      return undefined;
    }
    const here = await this.#store.partial(address, PEERS);
    const part = Math.min(Math.floor(here / PART_BYTES), Math.ceil(length / PART_BYTES) - 1);
    for (let peer = peers[0]; peer !== undefined; peer = peers[0]) {
      const bytes = await this.#checked(peer, address, length, part);
      if (bytes !== undefined) return { part, bytes };
      peers.shift();
    }
    return undefined;
  }

  /** No other length can be proven: what the store refuses now, it refuses whoever has the blob. */
  async #fetch(address: Hex, length: number, proof: Proof, peers: string[]): Promise<boolean> {
    const upload = await this.#store.upload(address, length, PEERS);
    try {
      const from = upload.offset - proof.part * PART_BYTES;
      // Making room may have removed what was there; then it begins anew.
      if (from >= 0) await upload.write(proof.bytes.subarray(from));
      while (!upload.isComplete && peers.length > 0) await this.#more(upload, peers);
      if (!upload.isComplete) {
        await upload.suspend();
        return false;
      }
      await upload.finish();
      return true;
    } catch (error) {
      await upload.suspend();
      // What an earlier attempt left was damaged on disk, and is gone now.
      if (isCoded(error, "BLOB_MISMATCH")) return false;
      throw error;
    }
  }

  /** The next few parts at a time, each from another peer; those that fail are not asked again. */
  async #more(upload: BlobUpload, peers: string[]): Promise<void> {
    const { address, bytes: length } = upload;
    const first = Math.floor(upload.offset / PART_BYTES);
    const count = Math.min(PEER_LIMITS.parts, Math.ceil(length / PART_BYTES) - first);
    const asked = Array.from({ length: count }, (_, at) => ({
      part: first + at,
      peer: peers[at % peers.length] as string,
    }));
    const answers = await Promise.all(asked.map(({ peer, part }) => this.#checked(peer, address, length, part)));
    for (const [at, { peer }] of asked.entries()) {
      if (answers[at] === undefined && peers.includes(peer)) peers.splice(peers.indexOf(peer), 1);
    }
    for (const [at, { part }] of asked.entries()) {
      const bytes = answers[at];
      if (bytes === undefined) return;
      // A kill may have left a part of one.
      await upload.write(bytes.subarray(upload.offset - part * PART_BYTES));
    }
  }

  async #checked(peer: string, address: Hex, length: number, part: number): Promise<Uint8Array | undefined> {
    let answer = await this.#peers.part(peer, address, part);
    for (let waits = 0; answer === "busy" && waits < PEER_LIMITS.waits; waits++) {
      await delay(PEER_LIMITS.waitMilliseconds);
      answer = await this.#peers.part(peer, address, part);
    }
    if (answer === undefined || answer === "busy") return undefined;
    const isFull = answer.bytes.length === Math.min(PART_BYTES, length - part * PART_BYTES);
    if (isFull && verifyRun(hexToBytes(address), length, runOfPart(part, answer))) return answer.bytes;
    this.#peers.blame(peer);
    return undefined;
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other] as Item, all[at] as Item];
  }
  return all;
}
