/**
 * The server's side of catching up: states that stay readable for peers that copy them, and everything else that such a
 * peer asks for. A state is pinned at every seal and at the first certified block at or above each multiple of an
 * interval, so that peers have the same ones; and at the start, for a chain that rests.
 */
import { bytesToHex, compareBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { isTreeKey } from "../../vm/tree/keys.ts";
import { encodeRangeProof } from "../../vm/tree/range-proof.ts";
import { type BlockHeader, encodeHeader, isSealHeader } from "../blocks/header.ts";
import { decodeCertificate } from "../consensus/certificate.ts";
import { BUCKETS, bucketKey } from "../store/buckets.ts";
import type { ChainStore } from "../store/chain-store.ts";
import type { PinnedState } from "../store/pinned-state.ts";
import { LeafWriter, MAX_LEAF_BYTES } from "./leaf-codec.ts";
import { ANSWER_BYTES, MAX_CODE_BYTES, MAX_HEADERS, MAX_SEALS, SOURCE_LIMITS, type SourceLimits } from "./limits.ts";
import type {
  GetChunk,
  GetCode,
  GetHeaders,
  GetSeals,
  Offer,
  Refusal,
  SealProof,
  SyncAnswer,
  SyncRequest,
  WithoutId,
} from "./messages.ts";

interface Snapshot {
  readonly state: PinnedState;
  readonly root: Hex;
  readonly offer: Omit<Offer, "bytes">;
  /** An estimate, which comes later than the rest. */
  bytes: number;
  readonly pinnedAt: number;
  readAt: number;
  /** Answers that read it at this moment. */
  readers: number;
}

type Body = WithoutId<SyncAnswer>;

export class SnapshotSource {
  readonly #store: ChainStore;
  readonly #limits: SourceLimits;
  /** The newest last. */
  #snapshots: Snapshot[] = [];
  readonly #answering = new Map<string, number>();
  #answers = 0;
  /** The last block that was looked at. */
  #seen = 0;

  constructor(store: ChainStore, limits: Partial<SourceLimits> = {}) {
    this.#store = store;
    this.#limits = { ...SOURCE_LIMITS, ...limits };
  }

  /** Pins the last block. Times are milliseconds of any clock that does not go back. */
  start(now: number): void {
    const { head } = this.#store;
    if (head === undefined) return;
    this.#seen = head.number;
    this.#pin(head.number, now);
  }

  /** To be called after each commit, before 64 more have happened. */
  onFinal(number: number, now: number): void {
    this.expire(now);
    const { interval } = this.#limits;
    const found = this.#store.header(number);
    if (found === undefined) return;
    const isDue = Math.floor(number / interval) > Math.floor(this.#seen / interval);
    if (!isDue && !isSealHeader(found.header)) {
      this.#seen = Math.max(this.#seen, number);
      return;
    }
    // A block without a certificate of its own became final by a later one, which will be seen next.
    if (this.#pin(number, now)) this.#seen = Math.max(this.#seen, number);
  }

  /** Heights of the states that can be copied. */
  get heights(): readonly number[] {
    return this.#snapshots.map(({ state }) => state.number);
  }

  /** Lets go of what is too old. */
  expire(now: number): void {
    const { keptSnapshots, maxSnapshots, unusedAge, maxAge } = this.#limits;
    const newest = this.#snapshots.length - keptSnapshots;
    const isKept = ({ pinnedAt, readAt, readers }: Snapshot, index: number): boolean => {
      if (index >= newest || readers > 0) return true;
      const isInUse = now - readAt < unusedAge && now - pinnedAt < maxAge;
      return isInUse && index >= this.#snapshots.length - maxSnapshots;
    };
    const kept = this.#snapshots.filter(isKept);
    for (const snapshot of this.#snapshots) if (!kept.includes(snapshot)) void snapshot.state.release();
    this.#snapshots = kept;
  }

  /** Never rejects because of what was asked. */
  async answer(from: string, request: SyncRequest, now: number): Promise<SyncAnswer> {
    const { id } = request;
    const own = this.#answering.get(from) ?? 0;
    if (own >= this.#limits.answersPerPeer || this.#answers >= this.#limits.answers) return refused(id, "busy");
    this.#answering.set(from, own + 1);
    this.#answers++;
    try {
      return { ...(await this.#body(request, now)), id } as SyncAnswer;
    } catch (error) {
      if (isCoded(error, "STORE_CLOSED", "STORE_STATE_EXPIRED")) return refused(id, "unknown");
      throw error;
    } finally {
      this.#answers--;
      const rest = (this.#answering.get(from) ?? 1) - 1;
      if (rest > 0) this.#answering.set(from, rest);
      else this.#answering.delete(from);
    }
  }

  async close(): Promise<void> {
    const snapshots = this.#snapshots;
    this.#snapshots = [];
    await Promise.all(snapshots.map(({ state }) => state.release()));
  }

  #pin(number: number, now: number): boolean {
    if (this.#snapshots.some(({ state }) => state.number === number)) return true;
    const certified = this.#certified(number);
    const state = certified && this.#store.pin(number, this.#limits.cachedPages);
    if (certified === undefined || state === undefined) return false;
    const { header, certificate } = certified;
    const offer = { header: encodeHeader(header), certificate };
    const root = bytesToHex(header.stateRoot);
    const snapshot = { state, root, offer, bytes: 0, pinnedAt: now, readAt: now, readers: 0 };
    this.#snapshots.push(snapshot);
    this.#snapshots.sort((a, b) => a.state.number - b.state.number);
    this.expire(now);
    void this.#estimate(snapshot);
    return true;
  }

  /** A block with a certificate of its own: the store may have that of a later block, committed together with it. */
  #certified(number: number): { readonly header: BlockHeader; readonly certificate: Uint8Array } | undefined {
    const certificate = this.#store.certificate(number);
    const found = this.#store.header(number);
    if (certificate === undefined || found === undefined) return undefined;
    const isOwn = decodeCertificate(certificate).hash === bytesToHex(found.hash);
    return isOwn ? { header: found.header, certificate } : undefined;
  }

  async #estimate(snapshot: Snapshot): Promise<void> {
    const { database } = this.#store;
    try {
      snapshot.bytes = (await database.bytesOf(BUCKETS.accounts)) + (await database.bytesOf(BUCKETS.slots));
    } catch {
      // The database is being closed; nobody will ask.
    }
  }

  async #body(request: SyncRequest, now: number): Promise<Body> {
    switch (request.type) {
      case "get-offers":
        return {
          type: "offers",
          height: this.#store.head?.number ?? 0,
          offers: this.#snapshots.map(({ offer, bytes }) => ({ ...offer, bytes })),
        };
      case "get-seals":
        return this.#seals(request);
      case "get-headers":
        return this.#headers(request);
      case "get-code":
        return this.#codes(request);
      case "get-chunk":
        return await this.#chunk(request, now);
    }
  }

  #seals({ epoch }: GetSeals): Body {
    const seals: SealProof[] = [];
    let bytes = 0;
    for (let next = epoch; seals.length < MAX_SEALS; next++) {
      const proof = this.#seal(next);
      bytes += proof === undefined ? 0 : proof.header.length + proof.nextValidators.length * 64;
      if (proof === undefined || (seals.length > 0 && bytes > ANSWER_BYTES)) break;
      seals.push(proof);
    }
    return seals.length === 0 ? { type: "refused", reason: "unknown" } : { type: "seals", seals };
  }

  #seal(epoch: number): SealProof | undefined {
    const seal = this.#store.seal(epoch);
    const certified = seal && this.#certified(seal.number);
    if (seal === undefined || certified === undefined) return undefined;
    const { header, certificate } = certified;
    return { header: encodeHeader(header), certificate, nextValidators: seal.nextValidators };
  }

  #headers({ height, count }: GetHeaders): Body {
    const headers: Uint8Array[] = [];
    for (let number = height; number >= 0 && headers.length < Math.min(count, MAX_HEADERS); number--) {
      const found = this.#store.header(number);
      if (found === undefined) break;
      headers.push(encodeHeader(found.header));
    }
    return headers.length === 0 ? { type: "refused", reason: "unknown" } : { type: "headers", headers };
  }

  #codes({ hashes }: GetCode): Body {
    const codes: Uint8Array[] = [];
    let bytes = 0;
    for (const hash of hashes) {
      const code = this.#store.database.get(bucketKey(BUCKETS.code, hexToBytes(hash)));
      bytes += code?.length ?? 0;
      if (code === undefined || (codes.length > 0 && bytes > MAX_CODE_BYTES)) break;
      codes.push(code);
    }
    return codes.length === 0 ? { type: "refused", reason: "unknown" } : { type: "code", codes };
  }

  async #chunk(request: GetChunk, now: number): Promise<Body> {
    const { root, first, last, limit } = request;
    const isRange = isTreeKey(first) && isTreeKey(last) && compareBytes(first, last) <= 0;
    if (!isRange || limit < 2 * MAX_LEAF_BYTES) return { type: "refused", reason: "invalid" };
    const snapshot = this.#snapshots.find((each) => each.root === root);
    if (snapshot === undefined) return { type: "refused", reason: "unknown" };
    snapshot.readAt = now;
    snapshot.readers++;
    try {
      return await readChunk(snapshot.state, request);
    } finally {
      snapshot.readers--;
    }
  }
}

/** Reads in groups: between them other work of the process has its turn. */
async function readChunk(state: PinnedState, { first, last, limit }: GetChunk): Promise<Body> {
  const writer = new LeafWriter(limit);
  let end = last;
  reading: for await (const group of state.records(first)) {
    for (const record of group) {
      if (compareBytes(record.key, last) > 0) break reading;
      if (!writer.add(record)) {
        // The limit has room for two leaves at least.
        end = writer.last ?? first;
        break reading;
      }
    }
  }
  const proof = encodeRangeProof(state.prove({ first, last: end }));
  return { type: "chunk", end, leaves: writer.finish(), proof };
}

function refused(id: number, reason: Refusal): SyncAnswer {
  return { type: "refused", id, reason };
}
