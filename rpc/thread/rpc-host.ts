/**
 * The RPC as the node sees it: a thread that is started, told of blocks, asked nothing and answered when it asks. When it
 * dies the node goes on, and it is started again.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { CodedError } from "../../base/errors.ts";
import type { BlobExchange } from "../../chain/runtime/blob-exchange.ts";
import type { SeenProgress } from "../../chain/runtime/progress-board.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { NodePort, ProgressPort } from "../chain-view.ts";
import { MAX_PENDING_HASHES, MAX_QUESTIONS } from "../limits.ts";
import type { Monitoring } from "../monitoring.ts";
import { Channel, type Handlers } from "./channel.ts";
import { paced } from "./paced.ts";
import { ownBlobs, peerAnswers } from "./remote-blobs.ts";
import { nodeAnswers, sent } from "./remote-node.ts";
import type { RpcSettings, RpcThreadData } from "./settings.ts";
import { type KnownTaker, SubmissionDesk } from "./submission-desk.ts";
import { fromWire, type WireError } from "./wire-error.ts";

export interface RpcHostLog {
  error(facts: object, text: string): void;
  info(facts: object, text: string): void;
}

export interface RpcHostOptions {
  readonly settings: RpcSettings;
  readonly node: NodePort &
    KnownTaker & {
      onBlock(listener: () => void): () => void;
      /** Called for every transaction that begins to wait. */
      onWaiting(listener: (transaction: RecoveredTransaction) => void): () => void;
      readonly progress: ProgressPort & { onNew(listener: (progress: SeenProgress) => void): () => void };
    };
  /** Blobs of the node's peers, where it has some. */
  readonly blobs?: BlobExchange;
  readonly monitoring: Monitoring;
  readonly log: RpcHostLog;
}

/** Milliseconds before a thread that died is started again: doubled each time, up to the most. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** Monitoring may have a fifth of the node's time: its answers are short. */
const MONITORING_REST = 4;
/** A thread that lived for so long did not die of its start. */
const STABLE = 60_000;
const CLOSE_MILLISECONDS = 10_000;
/** What the thread may take of the heap; beyond, it is ended and started again. */
const HEAP_MB = 1_024;
/** As the node's own thread has: with half of it a transfer takes a tenth more of this thread's time (measured). */
const YOUNG_MB = 48;

interface Running {
  readonly worker: Worker;
  readonly channel: Channel;
  readonly url: string;
  readonly port: number;
}

export class RpcHost {
  readonly #options: RpcHostOptions;
  #running: Running | undefined;
  #isClosing = false;
  readonly #abort = new AbortController();
  #restarting: Promise<void> | undefined;
  #stopBlocks: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;
  #stopProgress: (() => void) | undefined;
  #waiting: RecoveredTransaction[] = [];
  #pause = FIRST_PAUSE;
  #url = "";
  #port = 0;

  private constructor(options: RpcHostOptions) {
    this.#options = options;
  }

  /** Throws RPC_PORT_TAKEN, RPC_CANNOT_LISTEN, and whatever else keeps the server from starting. */
  static async start(options: RpcHostOptions): Promise<RpcHost> {
    const host = new RpcHost(options);
    const running = await host.#start(options.settings.port);
    host.#url = running.url;
    host.#port = running.port;
    host.#stopProgress = options.node.progress.onNew((progress) => host.#running?.channel.tell("progress", progress));
    host.#stopBlocks = options.node.onBlock(() => host.#running?.channel.tell("head", undefined));
    return host;
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return this.#port;
  }

  /** As eth_syncing answers, when that changes. */
  onSyncing(status: unknown): void {
    this.#running?.channel.tell("syncing", status);
  }

  /** Answers what is under way, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#abort.abort();
    this.#stopBlocks?.();
    this.#stopProgress?.();
    this.#watchPending(false);
    await this.#restarting;
    const running = this.#running;
    if (running === undefined) return;
    const exited = once(running.worker, "exit");
    // What is under way ends within the limits on it; what does not is a bug, and must not keep the node from stopping.
    const timer = setTimeout(() => void running.worker.terminate(), CLOSE_MILLISECONDS);
    await running.channel.ask("close", undefined).catch(() => running.worker.terminate());
    await exited;
    clearTimeout(timer);
  }

  /** Ends the thread as a crash would, for tests. */
  async crash(): Promise<void> {
    await this.#running?.worker.terminate();
  }

  async #start(port: number): Promise<Running> {
    const { settings, node, log } = this.#options;
    const desk = new SubmissionDesk({
      node,
      maxTransactionBytes: settings.spec.block.maxTransactionBytes,
      onDeath: (reason) => {
        log.error({ error: reason }, "a thread that recovers senders died; the RPC is started again with it");
        void worker.terminate();
      },
    });
    const { lanes } = desk;
    const worker = new Worker(compiledWorkerUrl(), {
      workerData: { ...settings, port, submissions: lanes } satisfies RpcThreadData,
      transferList: [...lanes.refused],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    let fault: unknown;
    // `exit` follows; without a listener the error would end the process.
    worker.on("error", (error) => {
      fault = error;
    });
    return await new Promise((resolve, reject) => {
      const channel = this.#connect(worker, {
        submitting: (threads: number) => desk.begin(channel, threads),
        listening: (place: { readonly port: number; readonly url: string }) => {
          const running = { worker, channel, ...place };
          this.#running = running;
          const { blobs, settings: used } = this.#options;
          if (blobs !== undefined && used.blobs !== undefined) blobs.source = ownBlobs(channel);
          // Of blocks that came while it said so, nobody has told it.
          channel.tell("head", undefined);
          resolve(running);
        },
        failed: (error: WireError) => reject(fromWire(error)),
      });
      const bornAt = performance.now();
      worker.on("exit", (code) => {
        desk.close();
        channel.close(new CodedError("RPC_STOPPED", "the RPC has stopped"));
        const reason = fault ?? new Error(`the RPC's thread ended with code ${code}`);
        if (this.#running?.worker === worker) this.#onDeath(reason, performance.now() - bornAt);
        else reject(reason);
      });
    });
  }

  #connect(worker: Worker, hears: Handlers): Channel {
    const { node, blobs, monitoring, log } = this.#options;
    return new Channel(worker, {
      maxQuestions: MAX_QUESTIONS,
      answers: {
        ...nodeAnswers(node),
        ...peerAnswers(blobs),
        readiness: paced(() => monitoring.readiness(), { times: MONITORING_REST }),
        metrics: paced(() => monitoring.metrics(), { times: MONITORING_REST }),
      },
      hears: {
        ...hears,
        blamePeer: (peer: string) => blobs?.blame(peer),
        watchPending: (wanted: boolean) => this.#watchPending(wanted),
        bug: ({ method, error }: { readonly method: string; readonly error: WireError }) =>
          log.error({ method, error: fromWire(error) }, "a bug in a method"),
      },
    });
  }

  #onDeath(reason: unknown, lived: number): void {
    this.#running = undefined;
    this.#watchPending(false);
    if (this.#isClosing) return;
    if (lived > STABLE) this.#pause = FIRST_PAUSE;
    this.#options.log.error({ error: reason, pause: this.#pause }, "the RPC's thread died; it is started again");
    this.#restarting = this.#restart();
  }

  async #restart(): Promise<void> {
    while (!this.#isClosing) {
      await delay(this.#pause, undefined, { signal: this.#abort.signal }).catch(() => undefined);
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
      if (this.#isClosing) return;
      try {
        const { url } = await this.#start(this.#port);
        this.#options.log.info({ url }, "the RPC answers again");
        return;
      } catch (error) {
        this.#options.log.error({ error }, "the RPC does not start");
      }
    }
  }

  /** Only while somebody wants to know: most nodes have nobody who does. */
  #watchPending(wanted: boolean): void {
    this.#stopWaiting?.();
    this.#stopWaiting = wanted
      ? this.#options.node.onWaiting((transaction) => this.#onWaiting(transaction))
      : undefined;
  }

  #onWaiting(transaction: RecoveredTransaction): void {
    if (this.#waiting.length >= MAX_PENDING_HASHES) return;
    this.#waiting.push(transaction);
    if (this.#waiting.length > 1) return;
    setImmediate(() => {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#running?.channel.tell("pending", waiting.map(sent));
    });
  }
}

/** Threads run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function compiledWorkerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts") ? new URL("../../dist/rpc/thread/rpc-worker.js", here) : new URL("./rpc-worker.js", here);
}
