/** Runs the client's machine in a node: files, timer, network and the import into the store. */
import { CodedError } from "../../base/errors.ts";
import { isSealHeader } from "../blocks/header.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ChainStore } from "../store/chain-store.ts";
import { discardImport, importState } from "../store/import-state.ts";
import { syncError } from "./errors.ts";
import type { SyncEffect, SyncEvent, SyncOutcome, SyncProgress } from "./events.ts";
import type { SyncLimits } from "./limits.ts";
import type { SyncAnswer, SyncRequest } from "./messages.ts";
import type { SyncTarget, TrustOptions, VerifiedSeal } from "./seal-chain.ts";
import { SnapshotSync } from "./snapshot-sync.ts";
import type { SyncFiles } from "./sync-files.ts";

/** The files as the runner uses them; the simulator has others. */
export type SyncFolder = Pick<
  SyncFiles,
  "begin" | "writeHeaders" | "writeChunk" | "writeCode" | "load" | "items" | "headers" | "remove"
>;

export interface SyncRunnerOptions {
  /** Opened with `forImport`. */
  readonly store: ChainStore;
  /** What was fetched, over restarts. */
  readonly files: SyncFolder;
  readonly trust: TrustOptions;
  readonly send: (to: string, message: SyncRequest) => void;
  /** The peer sent something that no honest one sends. */
  readonly penalise: (peer: string, reason: string) => void;
  readonly clock: Clock;
  readonly limits?: Partial<SyncLimits>;
  readonly nearBlocks?: number;
  /** As the machine's. */
  readonly expectsPeers?: boolean;
  /** Leaves written to the store so far. */
  readonly onImport?: (leaves: number) => void;
}

export class SyncRunner {
  readonly #options: SyncRunnerOptions;
  readonly #peers = new Set<string>();
  readonly #outcome: Promise<SyncOutcome>;
  #machine: SnapshotSync | undefined;
  #stopTimer: () => void = () => {};
  /** Writes follow each other. */
  #writes: Promise<void> = Promise.resolve();
  /** No event counts any more. */
  #isOver = false;
  /** Nothing is written any more either. */
  #isBroken = false;
  #settle: { resolve(outcome: SyncOutcome): void; reject(error: unknown): void } = { resolve() {}, reject() {} };

  constructor(options: SyncRunnerOptions) {
    this.#options = options;
    this.#outcome = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /**
   * Resolves when there is nothing more to do: the state is in the store, durable, or it was decided to do without.
   * Rejects with what the disk or the store says, and with SYNC_STOPPED; another run over the same files goes on.
   */
  async run(): Promise<SyncOutcome> {
    const { store, trust, limits = {}, nearBlocks, expectsPeers = false } = this.#options;
    const hasBlocks = store.head !== undefined;
    const resumed = hasBlocks ? undefined : await this.#options.files.load();
    const near = nearBlocks === undefined ? {} : { nearBlocks };
    if (!this.#isOver) {
      this.#machine = new SnapshotSync({ trust, hasBlocks, expectsPeers, resumed, limits, ...near });
      for (const peer of this.#peers) this.#step({ type: "peer", peer, connected: true });
      this.#step({ type: "start" });
    }
    return await this.#outcome;
  }

  onPeer(peer: string, connected: boolean): void {
    if (connected) this.#peers.add(peer);
    else this.#peers.delete(peer);
    this.#step({ type: "peer", peer, connected });
  }

  onMessage(from: string, message: SyncAnswer): void {
    this.#step({ type: "message", from, message });
  }

  progress(): SyncProgress | undefined {
    return this.#machine?.progress(this.#options.clock.now());
  }

  /** Ends it, after the write or the import that is under way; what was fetched stays in its files. */
  async stop(): Promise<void> {
    this.#break(syncError("SYNC_STOPPED", "catching up was stopped"));
    await this.#outcome.catch(() => {});
    await this.#writes;
  }

  #step(event: SyncEvent): void {
    if (this.#isOver || this.#machine === undefined) return;
    try {
      for (const effect of this.#machine.step(this.#options.clock.now(), event)) this.#carryOut(effect);
    } catch (error) {
      this.#break(error);
    }
  }

  #carryOut(effect: SyncEffect): void {
    switch (effect.type) {
      case "send":
        this.#options.send(effect.to, effect.message);
        return;
      case "timer":
        this.#setTimer(effect.at);
        return;
      case "blame":
        this.#options.penalise(effect.peer, effect.reason);
        return;
      case "begin":
        this.#write(effect.ticket, () => this.#options.files.begin(effect.target));
        return;
      case "store-headers":
        this.#write(effect.ticket, () => this.#options.files.writeHeaders(effect.headers));
        return;
      case "store-chunk":
        this.#write(effect.ticket, () => this.#options.files.writeChunk(effect.chunk));
        return;
      case "store-code":
        this.#write(effect.ticket, () => this.#options.files.writeCode(effect.codes));
        return;
      case "import":
        this.#after(() => this.#import(effect.target, effect.seals));
        return;
      case "done":
        this.#end();
        this.#after(() => this.#finish(effect.outcome));
        return;
    }
  }

  #setTimer(at: number): void {
    const { clock } = this.#options;
    this.#stopTimer();
    this.#stopTimer = clock.setTimer(Math.max(0, at - clock.now()), () => this.#step({ type: "timer" }));
  }

  #write(ticket: number, write: () => Promise<void>): void {
    this.#after(async () => {
      await write();
      this.#step({ type: "stored", ticket });
    });
  }

  #after(action: () => Promise<void>): void {
    this.#writes = this.#writes
      .then(() => (this.#isBroken ? undefined : action()))
      .catch((error: unknown) => this.#break(error));
  }

  async #import(target: SyncTarget, seals: readonly VerifiedSeal[]): Promise<void> {
    const { store, onImport } = this.#options;
    const { header, offer } = target;
    const before = seals.filter((seal) => seal.header.number < header.number);
    const own = seals.find(({ epoch }) => epoch === header.extra.epoch);
    try {
      await importState(store, {
        items: this.#options.files.items(),
        header,
        certificate: offer.certificate,
        ...(isSealHeader(header) && own !== undefined && { nextValidators: own.nextValidators }),
        seals: before,
        ancestors: await this.#options.files.headers(),
        ...(onImport !== undefined && { onProgress: onImport }),
      });
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== "STORE_IMPORT_INVALID") throw error;
      // Everything was verified when it came, so the disk has changed it since.
      await this.#options.files.remove();
      this.#step({ type: "import-failed", reason: error.message });
      return;
    }
    this.#step({ type: "imported" });
  }

  async #finish(outcome: SyncOutcome): Promise<void> {
    if (outcome.type === "skipped") await discardImport(this.#options.store);
    // That nobody was there says nothing about what was fetched.
    const isOfUse = outcome.type === "failed" || (outcome.type === "skipped" && outcome.reason === "no-peers");
    if (!isOfUse) await this.#options.files.remove();
    this.#settle.resolve(outcome);
  }

  #break(error: unknown): void {
    this.#isBroken = true;
    this.#end();
    this.#settle.reject(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#stopTimer();
  }
}
