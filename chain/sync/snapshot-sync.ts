/**
 * How a node without blocks catches up, as a synchronous machine: events go in, effects come out. It learns which
 * snapshots its peers have, follows the seals from what it trusts, chooses a snapshot that is certified, and fetches it
 * from all peers that have it. Nothing is believed that is not signed by a quorum or proven against what is: peers that
 * lie, vanish or stall cost time, never a false state.
 */
import { assert, type CodedError, isCoded } from "../../base/errors.ts";
import {
  bestCandidate,
  type Candidate,
  type ReadOffer,
  readOffer,
  reasonToSkip,
  type SkipReason,
} from "./choose-offer.ts";
import { syncError } from "./errors.ts";
import type {
  ResumedSync,
  SnapshotSyncOptions,
  SyncEffect,
  SyncEvent,
  SyncOutcome,
  SyncPhase,
  SyncProgress,
} from "./events.ts";
import { NEAR_BLOCKS, SYNC_LIMITS, type SyncLimits } from "./limits.ts";
import type { Offer, Offers, Refused, Seals, SyncAnswer, SyncRequest, WithoutId } from "./messages.ts";
import { OffersWait } from "./offers-wait.ts";
import { isWorking, PeerBook, type SyncPeer } from "./peer-book.ts";
import { PendingRequests } from "./pending-requests.ts";
import { ProgressMeter } from "./progress-meter.ts";
import { SealChain, type SyncTarget } from "./seal-chain.ts";
import { Stall } from "./stall.ts";
import { type FetchJob, TargetFetch } from "./target-fetch.ts";

type Job = { readonly kind: "offers" } | { readonly kind: "seals"; readonly epoch: number } | FetchJob;

export class SnapshotSync {
  readonly #options: SnapshotSyncOptions;
  readonly #limits: SyncLimits;
  readonly #nearBlocks: number;
  readonly #peers: PeerBook;
  readonly #chain: SealChain;
  readonly #pending = new PendingRequests<Job>();
  readonly #storing = new Set<number>();
  readonly #meter = new ProgressMeter();
  readonly #wait: OffersWait;
  readonly #stall: Stall;
  #phase: SyncPhase = "offers";
  #isStarted = false;
  #fetch: TargetFetch | undefined;
  /** What was fetched of the last snapshot, which nobody had any more. It stays until another one is begun. */
  #held: TargetFetch | undefined;
  #effects: SyncEffect[] = [];
  #now = 0;
  #nextId = 1;
  /** A peer has another seal than the checkpoint. */
  #mismatch: CodedError | undefined;

  constructor(options: SnapshotSyncOptions) {
    this.#options = options;
    this.#limits = { ...SYNC_LIMITS, ...options.limits };
    this.#nearBlocks = options.nearBlocks ?? NEAR_BLOCKS;
    this.#peers = new PeerBook(this.#limits);
    this.#wait = new OffersWait(this.#limits);
    this.#stall = new Stall(this.#limits);
    this.#chain = new SealChain(options.trust);
  }

  step(now: number, event: SyncEvent): readonly SyncEffect[] {
    this.#effects = [];
    this.#now = Math.max(now, this.#now);
    if (this.#phase !== "done") {
      this.#handle(event);
      if (this.#isStarted) this.#pump();
    }
    return this.#effects;
  }

  progress(now: number): SyncProgress {
    const { leaves = 0, bytes = 0, share = 0, target } = this.#fetch ?? {};
    const rates = this.#meter.measure(now, bytes, share);
    const peers = this.#fetch === undefined ? this.#peers.all.length : this.#supporters(this.#fetch).length;
    return { phase: this.#phase, height: target?.height, peers, share, leaves, bytes, ...rates };
  }

  #handle(event: SyncEvent): void {
    switch (event.type) {
      case "start":
        this.#start();
        return;
      case "peer":
        if (event.connected) this.#peers.add(event.peer);
        else this.#lose(event.peer);
        return;
      case "message":
        this.#onAnswer(event.from, event.message);
        return;
      case "stored":
        this.#storing.delete(event.ticket);
        return;
      case "imported":
        this.#onImported();
        return;
      case "import-failed":
        this.#fail(syncError("SYNC_IMPORT_FAILED", `the state could not be imported: ${event.reason}`));
        return;
      case "timer":
        // What is late is found below.
        return;
    }
  }

  #start(): void {
    this.#isStarted = true;
    this.#wait.begin(this.#now);
    if (this.#options.hasBlocks) {
      this.#finish({ type: "skipped", reason: "has-blocks" });
      return;
    }
    if (this.#options.resumed !== undefined) this.#resume(this.#options.resumed);
  }

  /** Time has passed: the seals are verified again. What does not hold any longer is fetched anew. */
  #resume({ target: { offer, seals }, ...rest }: ResumedSync): void {
    try {
      for (const seal of seals) this.#chain.add(seal, this.#now);
      const target = this.#chain.checkOffer(offer, this.#now);
      this.#fetch = new TargetFetch(target, this.#limits, rest);
      this.#phase = "state";
      this.#meter.add(this.#now, this.#fetch.bytes, this.#fetch.share);
    } catch (error) {
      if (!isCoded(error)) throw error;
    }
  }

  #pump(): void {
    this.#dropLate();
    if (this.#phase === "offers" || this.#phase === "seals" || this.#phase === "state") this.#askForOffers();
    if (this.#phase === "offers") this.#awaitOffers();
    if (this.#phase === "seals") this.#choose();
    if (this.#phase === "state") this.#fetchMore();
    this.#setTimer();
  }

  // Requests.

  #ask(peer: SyncPeer, job: Job, request: WithoutId<SyncRequest>): void {
    const id = this.#nextId++;
    this.#pending.add(id, { peer, deadline: this.#now + this.#limits.requestTimeout, job });
    this.#effects.push({ type: "send", to: peer.id, message: { ...request, id } });
  }

  #dropLate(): void {
    const late = this.#pending.takeAll(({ deadline }) => deadline <= this.#now);
    for (const { peer, job } of late) this.#giveUp(peer, job);
  }

  /** The peer did not do the job; somebody else may. */
  #giveUp(peer: SyncPeer, job: Job): void {
    this.#peers.failed(peer, this.#now);
    if (job.kind === "seals" && !isWorking(peer)) peer.sealsTried = job.epoch;
    this.#giveBack(job);
  }

  #giveBack(job: Job): void {
    if (job.kind !== "offers" && job.kind !== "seals") this.#fetch?.giveBack(job);
  }

  #lose(id: string): void {
    for (const { job } of this.#pending.takeAll(({ peer }) => peer.id === id)) this.#giveBack(job);
    this.#peers.remove(id);
  }

  #blame(peer: SyncPeer, reason: string): void {
    this.#effects.push({ type: "blame", peer: peer.id, reason });
    this.#lose(peer.id);
    this.#peers.ban(peer.id);
  }

  /** Late answers, and those to nothing that was asked, are of no use and no offence. */
  #onAnswer(from: string, message: SyncAnswer): void {
    const pending = this.#pending.take(message.id, from);
    if (pending === undefined) return;
    const { peer, job } = pending;
    if (message.type === "refused") {
      this.#onRefused(peer, job, message);
      return;
    }
    try {
      this.#accept(peer, job, message);
      // Offers are cheap to make: they do not excuse whoever gives nothing else.
      if (job.kind !== "offers") this.#peers.succeeded(peer);
    } catch (error) {
      this.#giveBack(job);
      if (isCoded(error, "SYNC_INVALID")) this.#blame(peer, error.message);
      else this.#fail(error);
    }
  }

  #onRefused(peer: SyncPeer, job: Job, { reason }: Refused): void {
    if (job.kind === "chunk" && reason === "unknown") {
      this.#peers.lost(peer, this.#theFetch.target.hash);
      this.#giveBack(job);
    } else if (reason === "busy" && this.#peers.busy(peer, this.#now)) this.#giveBack(job);
    else if (job.kind === "seals" && reason === "unknown") peer.sealsTried = job.epoch;
    else this.#giveUp(peer, job);
  }

  #accept(peer: SyncPeer, job: Job, message: Exclude<SyncAnswer, Refused>): void {
    if (job.kind === "offers" && message.type === "offers") this.#onOffers(peer, message);
    else if (job.kind === "seals" && message.type === "seals") this.#onSeals(peer, job.epoch, message);
    else if (job.kind === "headers" && message.type === "headers") {
      const headers = this.#theFetch.takeHeaders(message);
      if (headers !== undefined) this.#store((ticket) => ({ type: "store-headers", ticket, headers }));
    } else if (job.kind === "chunk" && message.type === "chunk") {
      const chunk = this.#theFetch.takeLeaves(job, message, this.#limits.requests);
      this.#store((ticket) => ({ type: "store-chunk", ticket, chunk }));
    } else if (job.kind === "code" && message.type === "code") {
      const codes = this.#theFetch.takeCodes(job, message);
      this.#store((ticket) => ({ type: "store-code", ticket, codes }));
    } else throw syncError("SYNC_INVALID", "an answer is not of the kind that was asked for");
  }

  get #theFetch(): TargetFetch {
    assert(this.#fetch !== undefined, "parts of a snapshot are asked for when there is one");
    return this.#fetch;
  }

  #store(effect: (ticket: number) => SyncEffect): void {
    const ticket = this.#nextId++;
    this.#storing.add(ticket);
    this.#effects.push(effect(ticket));
    if (this.#fetch !== undefined) this.#meter.add(this.#now, this.#fetch.bytes, this.#fetch.share);
  }

  // Offers.

  #askForOffers(): void {
    for (const peer of this.#peers.all) {
      if (peer.offersAt > this.#now || !this.#peers.isReady(peer, this.#now)) continue;
      peer.offersAt = this.#now + this.#limits.offersInterval;
      this.#ask(peer, { kind: "offers" }, { type: "get-offers" });
    }
  }

  #onOffers(peer: SyncPeer, { offers }: Offers): void {
    const read = offers.map(readOffer);
    peer.offers = new Map(read.filter(({ hash }) => hash !== peer.gone).map((each) => [each.hash, each]));
    this.#wait.onAnswer(this.#now);
  }

  #awaitOffers(): void {
    if (!this.#wait.isOver(this.#now, this.#peers.answers, this.#peers.all.length)) return;
    const reason = this.#reasonToSkip();
    if (reason === undefined) this.#beginSeals();
    else this.#endOrWait(reason);
  }

  #reasonToSkip(): SkipReason | undefined {
    const heights = this.#usable().map(({ read }) => read.height);
    return reasonToSkip({ hasBlocks: false, answers: this.#peers.answers, heights, nearBlocks: this.#nearBlocks });
  }

  /** Only now does it matter how old our trust is: a young chain may have a genesis of long ago. */
  #beginSeals(): void {
    try {
      this.#chain.checkAge(this.#now);
      this.#phase = "seals";
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Of blocks before the checkpoint nothing can be verified. */
  #usable(): { readonly peer: string; readonly read: ReadOffer }[] {
    return this.#peers.offers().filter(({ read }) => read.epoch >= this.#chain.firstEpoch);
  }

  // Seals, and the choice.

  /** Goes on until a snapshot is chosen, something has been asked for, or nothing is left to choose from. */
  #choose(): void {
    for (;;) {
      const far = this.#usable().filter(({ read }) => read.height > this.#nearBlocks);
      const candidate = this.#heldCandidate() ?? bestCandidate(far);
      if (candidate === undefined) {
        this.#giveUpChoosing();
        return;
      }
      if (this.#chain.epoch >= candidate.read.neededEpoch) {
        if (this.#try(candidate)) return;
      } else if (this.#askForSeals(candidate)) return;
    }
  }

  /** Newer ones are there perhaps, but of this one there are parts. */
  #heldCandidate(): Candidate | undefined {
    const hash = this.#held?.target.hash;
    return bestCandidate(this.#usable().filter(({ peer, read }) => read.hash === hash && this.#peers.isWorking(peer)));
  }

  #giveUpChoosing(): void {
    if (this.#mismatch !== undefined) this.#fail(this.#mismatch);
    else this.#endOrWait(this.#reasonToSkip() ?? "near");
  }

  /**
   * To do without a snapshot is for ever: the store has genesis then. Not while peers are still to come, and not once a
   * quorum has shown by a snapshot how far the chain is, whatever those say that are here now.
   */
  #endOrWait(reason: SkipReason): void {
    const areToCome = reason === "no-peers" && this.#options.expectsPeers === true;
    if (this.#held !== undefined || areToCome) {
      this.#phase = "offers";
      this.#wait.begin(this.#now);
    } else this.#finish({ type: "skipped", reason });
  }

  /** False when the choice has to be made again, with one liar less. */
  #try({ read, peers: [id = ""] }: Candidate): boolean {
    const peer = this.#peers.get(id);
    const offer = peer?.offers?.get(read.hash)?.offer;
    assert(peer !== undefined && offer !== undefined, "a candidate is offered by somebody");
    try {
      const target = this.#chain.checkOffer(offer, this.#now);
      this.#phase = "state";
      this.#meter.clear();
      this.#fetch = this.#held?.target.hash === target.hash ? this.#held : this.#begin(target, offer);
      this.#held = undefined;
      this.#meter.add(this.#now, this.#fetch.bytes, this.#fetch.share);
      return true;
    } catch (error) {
      if (!isCoded(error, "SYNC_INVALID")) {
        this.#fail(error);
        return true;
      }
      this.#blame(peer, error.message);
      return false;
    }
  }

  #begin(target: SyncTarget, offer: Offer): TargetFetch {
    this.#store((ticket) => ({ type: "begin", ticket, target: { offer, seals: this.#chain.proofs } }));
    return new TargetFetch(target, this.#limits);
  }

  /**
   * Asks one of those that offer the block for the seals that lead to it. False when none of them has them: then the
   * block does not exist, as far as anybody can show.
   */
  #askForSeals({ read, peers }: Candidate): boolean {
    const { epoch } = this.#chain;
    if (this.#pending.has((job) => job.kind === "seals")) return true;
    const able = peers.flatMap((id) => this.#peers.get(id) ?? []).filter(({ sealsTried }) => sealsTried < epoch);
    if (able.length === 0) {
      for (const peer of this.#peers.all) peer.offers?.delete(read.hash);
      return false;
    }
    const peer = this.#peers.readiest(able, this.#now);
    if (peer !== undefined) this.#ask(peer, { kind: "seals", epoch }, { type: "get-seals", epoch });
    return true;
  }

  #onSeals(peer: SyncPeer, epoch: number, { seals }: Seals): void {
    if (seals.length === 0) peer.sealsTried = epoch;
    if (epoch !== this.#chain.epoch) return;
    try {
      for (const seal of seals) this.#chain.add(seal, this.#now);
    } catch (error) {
      if (!isCoded(error, "SYNC_CHECKPOINT_UNKNOWN")) throw error;
      // Either the user's checkpoint is wrong or the peer's chain: its offers are of no use.
      this.#mismatch = error;
      peer.offers?.clear();
    }
  }

  // The state.

  #supporters({ target }: TargetFetch): SyncPeer[] {
    return this.#peers.all.filter(({ offers }) => offers?.has(target.hash));
  }

  #fetchMore(): void {
    const fetch = this.#theFetch;
    if (fetch.isDone) {
      if (this.#storing.size === 0) this.#import(fetch);
      return;
    }
    const supporters = this.#supporters(fetch);
    if (this.#stall.isOver(this.#now, supporters.some(isWorking))) {
      this.#abandon();
      return;
    }
    while (this.#pending.size < this.#limits.requests && this.#storing.size < this.#limits.storing) {
      const peer = this.#peers.readiest(this.#peers.working(supporters), this.#now);
      const job = peer === undefined ? undefined : fetch.take();
      if (peer === undefined || job === undefined) return;
      this.#ask(peer, job, job.request);
    }
  }

  #import({ target }: TargetFetch): void {
    this.#phase = "import";
    this.#effects.push({ type: "import", target, seals: this.#chain.seals });
  }

  /** Nobody has this snapshot any more: another one is looked for, or somebody who has this one again. */
  #abandon(): void {
    for (const { job } of this.#pending.takeAll(({ job }) => job.kind !== "offers")) this.#giveBack(job);
    this.#held = this.#fetch;
    this.#fetch = undefined;
    this.#stall.end();
    this.#phase = "offers";
    this.#wait.begin(this.#now);
    this.#peers.forgetOffers();
    this.#askForOffers();
  }

  // The end.

  #onImported(): void {
    const { hash, height } = this.#theFetch.target;
    this.#finish({ type: "imported", height, hash });
  }

  #fail(error: unknown): void {
    if (!isCoded(error)) throw error;
    this.#finish({ type: "failed", error });
  }

  #finish(outcome: SyncOutcome): void {
    this.#phase = "done";
    this.#pending.takeAll(() => true);
    this.#effects.push({ type: "done", outcome });
  }

  /** The next moment at which something is late, or may be tried again. */
  #setTimer(): void {
    if (this.#phase === "done" || this.#phase === "import") return;
    const times = [...this.#pending.deadlines, ...this.#stall.times];
    for (const { offersAt, pausedUntil } of this.#peers.all) times.push(Math.max(offersAt, pausedUntil), pausedUntil);
    if (this.#phase === "offers") times.push(...this.#wait.times);
    const at = Math.min(...times.filter((time) => time > this.#now));
    if (Number.isFinite(at)) this.#effects.push({ type: "timer", at });
  }
}
