/**
 * A node that catches up among peers, in virtual time: the machine, a disk that takes a moment, and peers that answer
 * as their behaviour says. Everything follows from its inputs.
 */
import { bytesToHex, compareBytes, type Hex } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { decodeAccount } from "../../../../chain/store/account-record.ts";
import { addLeaves, type StateLeaf } from "../../../../chain/store/state-leaves.ts";
import type {
  FetchedChunk,
  SnapshotSyncOptions,
  SyncEffect,
  SyncEvent,
  SyncOutcome,
  SyncProgress,
  TargetRecord,
} from "../../../../chain/sync/events.ts";
import { placeOf } from "../../../../chain/sync/key-space.ts";
import { decodeLeaves } from "../../../../chain/sync/leaf-codec.ts";
import type { SyncAnswer, SyncRequest } from "../../../../chain/sync/messages.ts";
import { areComplete } from "../../../../chain/sync/range-board.ts";
import type { SyncTarget, VerifiedSeal } from "../../../../chain/sync/seal-chain.ts";
import { SnapshotSync } from "../../../../chain/sync/snapshot-sync.ts";
import { codeHashesOf } from "../../../../chain/sync/verify-chunk.ts";
import { TreeBuilder } from "../../../../vm/tree/bulk.ts";

export interface SyncPeerModel {
  readonly id: string;
  /** `undefined`: it says nothing. The time is how long the answer takes, in milliseconds. */
  answer(
    request: SyncRequest,
    count: number,
  ): Promise<{ readonly answer: SyncAnswer; readonly after: number } | undefined>;
  /** Milliseconds from the start. */
  readonly joinsAt?: number;
  readonly leavesAt?: number;
}

export interface SyncResult {
  readonly outcome: SyncOutcome;
  readonly blamed: readonly string[];
  /** What the node would have imported. */
  readonly imported: ImportedModel | undefined;
  readonly messages: number;
  /** Milliseconds that it took. */
  readonly time: number;
}

export interface ImportedModel {
  readonly target: SyncTarget;
  readonly seals: readonly VerifiedSeal[];
  /** Computed from the leaves that were stored. */
  readonly root: Hex;
  readonly isComplete: boolean;
  readonly headers: readonly Uint8Array[];
}

interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly event: SyncEvent;
}

const DISK_MILLISECONDS = 3;
const MAX_EVENTS = 50_000;

export class SyncNetwork {
  readonly #machine: SnapshotSync;
  readonly #peers: ReadonlyMap<string, SyncPeerModel>;
  readonly #counts = new Map<string, number>();
  readonly #connected = new Set<string>();
  #queue: Scheduled[] = [];
  #order = 0;
  #timerAt: number | undefined;
  #now: number;
  readonly #start: number;
  readonly #blamed: string[] = [];
  #messages = 0;
  /** How often a snapshot was begun with nothing. */
  begins = 0;
  #outcome: SyncOutcome | undefined;
  #chunks: FetchedChunk[] = [];
  #codes = new Set<Hex>();
  #headers: readonly Uint8Array[] = [];
  #target: TargetRecord | undefined;
  #imported: ImportedModel | undefined;

  constructor(options: SnapshotSyncOptions, start: number, peers: readonly SyncPeerModel[]) {
    this.#machine = new SnapshotSync(options);
    this.#peers = new Map(peers.map((peer) => [peer.id, peer]));
    this.#now = start;
    this.#start = start;
  }

  /** What is on the disk, as a restart finds it. */
  get stored(): { target: TargetRecord | undefined; chunks: readonly FetchedChunk[]; headers: readonly Uint8Array[] } {
    return { target: this.#target, chunks: this.#chunks, headers: this.#headers };
  }

  progress(): SyncProgress {
    return this.#machine.progress(this.#now);
  }

  /** Runs to the end, or until `until` milliseconds have passed. */
  async run(until = 3_600_000): Promise<SyncResult | undefined> {
    this.#schedule(0, { type: "start" });
    for (const { id, joinsAt = 0, leavesAt } of this.#peers.values()) {
      this.#schedule(joinsAt, { type: "peer", peer: id, connected: true });
      if (leavesAt !== undefined) this.#schedule(leavesAt, { type: "peer", peer: id, connected: false });
    }
    for (let events = 0; events < MAX_EVENTS && this.#outcome === undefined; events++) {
      const event = this.#next();
      if (event === undefined || this.#now > this.#start + until) return undefined;
      for (const effect of this.#machine.step(this.#now, event)) await this.#carryOut(effect);
    }
    if (this.#outcome === undefined) return undefined;
    const { blamed, messages } = { blamed: this.#blamed, messages: this.#messages };
    return { outcome: this.#outcome, blamed, imported: this.#imported, messages, time: this.#now - this.#start };
  }

  #schedule(after: number, event: SyncEvent): void {
    this.#queue.push({ at: this.#now + after, order: this.#order++, event });
  }

  #next(): SyncEvent | undefined {
    this.#queue.sort((a, b) => a.at - b.at || a.order - b.order);
    const first = this.#queue[0];
    if (this.#timerAt !== undefined && (first === undefined || this.#timerAt < first.at)) {
      this.#now = Math.max(this.#now, this.#timerAt);
      this.#timerAt = undefined;
      return { type: "timer" };
    }
    if (first === undefined) return undefined;
    this.#queue.shift();
    this.#now = first.at;
    if (first.event.type === "peer") {
      if (first.event.connected) this.#connected.add(first.event.peer);
      else this.#connected.delete(first.event.peer);
    }
    // Whoever is gone says nothing more.
    if (first.event.type === "message" && !this.#connected.has(first.event.from)) return { type: "timer" };
    return first.event;
  }

  async #carryOut(effect: SyncEffect): Promise<void> {
    switch (effect.type) {
      case "send":
        await this.#send(effect.to, effect.message);
        return;
      case "timer":
        this.#timerAt = effect.at;
        return;
      case "blame":
        this.#blamed.push(effect.peer);
        return;
      case "begin":
        this.begins++;
        this.#target = effect.target;
        this.#chunks = [];
        this.#codes.clear();
        this.#headers = [];
        this.#schedule(DISK_MILLISECONDS, { type: "stored", ticket: effect.ticket });
        return;
      case "store-chunk":
        this.#chunks.push(effect.chunk);
        this.#schedule(DISK_MILLISECONDS, { type: "stored", ticket: effect.ticket });
        return;
      case "store-code":
        for (const code of effect.codes) this.#codes.add(bytesToHex(keccak256(code)));
        this.#schedule(DISK_MILLISECONDS, { type: "stored", ticket: effect.ticket });
        return;
      case "store-headers":
        this.#headers = [...effect.headers];
        this.#schedule(DISK_MILLISECONDS, { type: "stored", ticket: effect.ticket });
        return;
      case "import":
        this.#imported = this.#import(effect.target, effect.seals);
        this.#schedule(DISK_MILLISECONDS, { type: "imported" });
        return;
      case "done":
        this.#outcome = effect.outcome;
        return;
    }
  }

  async #send(to: string, request: SyncRequest): Promise<void> {
    this.#messages++;
    const count = this.#counts.get(to) ?? 0;
    this.#counts.set(to, count + 1);
    const answered = await this.#peers.get(to)?.answer(request, count);
    if (answered === undefined || !this.#connected.has(to)) return;
    this.#schedule(answered.after, { type: "message", from: to, message: answered.answer });
  }

  #import(target: SyncTarget, seals: readonly VerifiedSeal[]): ImportedModel {
    const chunks = [...this.#chunks].sort((a, b) => compareBytes(a.first, b.first));
    const spans = chunks.map(({ first, end }) => ({ first: placeOf(first), last: placeOf(end) }));
    const builder = new TreeBuilder(() => {});
    let hasCode = true;
    for (const { leaves } of chunks) {
      const records = decodeLeaves(leaves);
      hasCode &&= codeHashesOf(records).every((hash) => this.#codes.has(hash));
      addLeaves(builder, records.map(leafOf));
    }
    const root = bytesToHex(builder.finish().root);
    return { target, seals, root, isComplete: areComplete(spans) && hasCode, headers: this.#headers };
  }
}

function leafOf({ key, value }: { readonly key: Uint8Array; readonly value: Uint8Array }): StateLeaf {
  return key.length === 32 ? { kind: "account", key, account: decodeAccount(value) } : { kind: "slot", key, value };
}
