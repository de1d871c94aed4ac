/**
 * Threads that run calls, and answer batches of reads. They are started when calls wait, and stay: an idle node does without their memory. A call that
 * takes too long is stopped with its thread, and a new thread takes its place; calls that only waited behind it are run
 * again. Addresses take turns.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { CodedError } from "../../base/errors.ts";
import type { JobCaller } from "../calls/job-caller.ts";
import type { JobName, JobRequest, JobResult } from "../calls/jobs.ts";
import { IN_HAND_MILLISECONDS, MAX_JOBS_IN_HAND, READS_IN_HAND_MILLISECONDS } from "../limits.ts";
import type { ViewSettings } from "../thread/settings.ts";
import { fromWire } from "../thread/wire-error.ts";
import { CallQueue, isWanted } from "./call-queue.ts";
import type { CallWorkerSettings, FromCallWorker, JobMessage, ToCallWorker } from "./messages.ts";

export type CallErrorCode = "CALL_TIMEOUT" | "CALL_WORKER_DIED" | "CALLS_CLOSED" | "RPC_BUSY";

interface Call extends JobMessage {
  readonly caller: JobCaller;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Member {
  readonly worker: Worker;
  /** In the order in which it answers. */
  readonly inHand: Call[];
  /** Given in this turn, and not yet sent. */
  outgoing: Call[];
  /** How many jobs it has done, and of how many it has told: what it did last may never be told. */
  readonly done: Int32Array;
  told: number;
  /** By the number of the job, counted round. */
  readonly unwanted: Int32Array;
  given: number;
  /** Milliseconds of one job, lately: it goes up at once and down slowly. */
  pace: number;
  timer: NodeJS.Timeout | undefined;
  /** It has loaded its program. */
  isReady: boolean;
  isLate: boolean;
  fault?: unknown;
}

/** What a thread may take of the heap; beyond, it is ended. */
const HEAP_MB = 512;
const YOUNG_MB = 12;
/** Until something is known of a thread's jobs. */
const FIRST_PACE = IN_HAND_MILLISECONDS / 2;
/** Of the pace, what stays when a job was faster. */
const PACE_KEPT = 0.8;
/** Milliseconds between two looks through a full queue. */
const DROP_INTERVAL = 50;
/** A thread that takes jobs has loaded its program by then. */
const START_MILLISECONDS = 20_000;

export interface CallPoolOptions extends ViewSettings {
  /** The thread's program, for tests of crashes. */
  readonly workerUrl?: URL;
  /** A call has seen a block that may be later than the caller's last: called before its result is told. */
  readonly onLater?: () => void;
}

export class CallPool {
  readonly #options: CallPoolOptions;
  readonly #size: number;
  readonly #members = new Set<Member>();
  readonly #queue: CallQueue<Call>;
  /** The last one that was started did not come to life: reads do without, and calls try again. */
  #hasFailed = false;
  #droppedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: CallPoolOptions) {
    this.#options = options;
    this.#size = options.limits.callWorkers || Math.max(1, availableParallelism() - 1);
    this.#queue = new CallQueue(options.limits.callsWaiting);
  }

  get workers(): number {
    return this.#members.size;
  }

  /** Calls that wait or run. */
  get waiting(): number {
    let inHand = 0;
    for (const member of this.#members) inHand += member.inHand.length;
    return this.#queue.size + inHand;
  }

  /** Rejects with what the job or the caller's check throws, with CALL_TIMEOUT, CALL_WORKER_DIED, RPC_BUSY or CALLS_CLOSED. */
  run<Name extends JobName>(name: Name, request: JobRequest<Name>, caller: JobCaller): Promise<JobResult<Name>> {
    if (this.#isClosed) return Promise.reject(closed());
    if (!this.#hasRoom(caller.address)) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      this.#queue.push({ name, request, caller, resolve: resolve as (result: never) => void, reject });
      this.#dispatch();
    });
  }

  /** A batch of reads, if a thread is free for it: whoever asks can answer it as well, and should not wait behind calls. */
  read(request: JobRequest<"reads">, caller: JobCaller): Promise<JobResult<"reads">> | undefined {
    if (this.#isClosed || this.#queue.size > 0) return undefined;
    const members = [...this.#members];
    const free = members.find(isFreeForReads);
    if (free === undefined) {
      const isWorthAnother = !this.#hasFailed && members.every(({ isReady }) => isReady);
      if (isWorthAnother && members.length < this.#size) this.#hire();
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.#give(free, { name: "reads", request, caller, resolve: resolve as (result: never) => void, reject });
      // The next turn may be milliseconds away, with batches that this thread answers itself until then.
      this.#send(free);
    });
  }

  /** There is a new block. */
  onHead(): void {
    for (const { worker } of this.#members) worker.postMessage([] satisfies ToCallWorker);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.rejectAll(closed());
    const members = [...this.#members];
    for (const { inHand, timer } of members) {
      clearTimeout(timer);
      for (const call of inHand.splice(0)) call.reject(closed());
    }
    await Promise.all(members.map(({ worker }) => worker.terminate()));
  }

  #hasRoom(address: string): boolean {
    if (this.#queue.hasRoom(address)) return true;
    const now = performance.now();
    if (now - this.#droppedAt < DROP_INTERVAL) return false;
    this.#droppedAt = now;
    this.#queue.dropUnwanted();
    return this.#queue.hasRoom(address);
  }

  #dispatch(): void {
    while (this.#queue.size > 0) {
      const member = this.#freeMember();
      const call = member && this.#queue.shift();
      if (member === undefined || call === undefined) return;
      this.#give(member, call);
    }
  }

  /** An idle worker, a new one, or the one with the least in hand. */
  #freeMember(): Member | undefined {
    let least: Member | undefined;
    for (const member of this.#members) {
      if (!member.isLate && (least === undefined || member.inHand.length < least.inHand.length)) least = member;
    }
    if (least?.inHand.length === 0) return least;
    if (this.#members.size < this.#size) return this.#hire();
    return least !== undefined && least.inHand.length < mostInHand(least) ? least : undefined;
  }

  #give(member: Member, call: Call): void {
    Atomics.store(member.unwanted, member.given++ % MAX_JOBS_IN_HAND, 0);
    member.inHand.push(call);
    member.outgoing.push(call);
    if (member.timer === undefined) this.#watch(member);
    if (member.outgoing.length > 1) return;
    setImmediate(() => this.#send(member));
  }

  #send(member: Member): void {
    const calls = member.outgoing;
    member.outgoing = [];
    const jobs: ToCallWorker = calls.map(({ name, request }) => ({ name, request }));
    if (jobs.length > 0) member.worker.postMessage(jobs);
  }

  /** From the last sign of life on: outcomes are told soon after they come, so it is one call that takes so long. */
  #watch(member: Member): void {
    clearTimeout(member.timer);
    const milliseconds = member.isReady ? this.#options.limits.callMilliseconds : START_MILLISECONDS;
    member.timer = setTimeout(() => {
      member.isLate = true;
      void member.worker.terminate();
    }, milliseconds);
  }

  #hire(): Member {
    const { spec, directory, limits, workerUrl = compiledWorkerUrl() } = this.#options;
    const done = sharedIntegers(1);
    const unwanted = sharedIntegers(MAX_JOBS_IN_HAND);
    const worker = new Worker(workerUrl, {
      workerData: { spec, directory, limits, done, unwanted } satisfies CallWorkerSettings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const counts = { told: 0, given: 0, pace: FIRST_PACE };
    const idle = { inHand: [], outgoing: [], timer: undefined, isReady: false, isLate: false };
    const member: Member = { worker, done, unwanted, ...counts, ...idle };
    this.#members.add(member);
    worker.on("message", (outcomes: FromCallWorker) => this.#onOutcomes(member, outcomes));
    // `exit` follows and does the rest; without a listener the error would end the process.
    worker.on("error", (error) => {
      member.fault = error;
    });
    worker.on("exit", () => this.#bury(member));
    return member;
  }

  #onOutcomes(member: Member, outcomes: FromCallWorker): void {
    for (const outcome of outcomes) {
      const call = member.inHand.shift();
      call?.caller.spend(outcome.milliseconds);
      member.pace = paceAfter(member.pace, outcome.milliseconds);
      if (outcome.isLater === true) this.#options.onLater?.();
      if ("error" in outcome) call?.reject(fromWire(outcome.error));
      else call?.resolve(outcome.result as never);
    }
    member.told += outcomes.length;
    clearTimeout(member.timer);
    member.timer = undefined;
    member.isReady = true;
    this.#hasFailed = false;
    if (member.inHand.length > 0) this.#watch(member);
    this.#dropInHand(member);
    this.#dispatch();
  }

  /** Those that it has not begun are not worth beginning when nobody waits for them. */
  #dropInHand({ inHand, unwanted, told }: Member): void {
    for (const [index, call] of inHand.entries()) {
      if (!isWanted(call)) Atomics.store(unwanted, (told + index) % MAX_JOBS_IN_HAND, 1);
    }
  }

  /** One call was its end; the others did it no harm, and are run again. */
  #bury(member: Member): void {
    clearTimeout(member.timer);
    this.#members.delete(member);
    member.outgoing = [];
    const calls = member.inHand.splice(0);
    if (this.#isClosed) return;
    const [last] = calls.splice(lastBegun(member, calls.length), 1);
    // Whoever asked for reads does them itself.
    for (const call of calls) if (call.name === "reads") call.reject(died(member.fault));
    this.#queue.putBack(calls.filter(({ name }) => name !== "reads"));
    // Where none comes to life, nobody need wait for the next.
    this.#hasFailed = !member.isReady;
    if (!member.isReady && this.#members.size === 0) this.#queue.rejectAll(died(member.fault));
    if (last?.name !== "reads") last?.caller.spend(this.#options.limits.callMilliseconds);
    last?.reject(member.isLate ? late(this.#options.limits.callMilliseconds) : died(member.fault));
    if (this.#members.size === 0 && member.isReady) this.#hire();
    this.#dispatch();
  }
}

/** Some may wait for each other, so that the thread need not. What it has done counts before it is told. */
function isFreeForReads({ isReady, isLate, inHand, done, told, pace }: Member): boolean {
  const left = inHand.length - ((Atomics.load(done, 0) - told) | 0);
  const most = Math.max(2, Math.floor(READS_IN_HAND_MILLISECONDS / pace));
  if (!isReady || isLate || left >= most || inHand.length >= MAX_JOBS_IN_HAND) return false;
  return inHand.every(({ name }) => name === "reads");
}

/** How many jobs it may have, by how long they take. */
function mostInHand({ pace }: Member): number {
  return Math.max(1, Math.min(MAX_JOBS_IN_HAND, Math.floor(IN_HAND_MILLISECONDS / pace)));
}

/** One that was dropped says nothing. */
function paceAfter(pace: number, milliseconds: number): number {
  if (milliseconds === 0) return pace;
  return Math.max(milliseconds, PACE_KEPT * pace + (1 - PACE_KEPT) * milliseconds);
}

function sharedIntegers(count: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
}

/** The place, among those in hand, of the call that it worked on. There is one even if all are done: telling ended it. */
function lastBegun({ done, told }: Member, inHand: number): number {
  return Math.max(0, Math.min((Atomics.load(done, 0) - told) | 0, inHand - 1));
}

/** Threads run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function compiledWorkerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts")
    ? new URL("../../dist/rpc/call-pool/call-worker.js", here)
    : new URL("./call-worker.js", here);
}

function busy(): CodedError<CallErrorCode> {
  return new CodedError("RPC_BUSY", "too many calls wait: try again later");
}

function late(milliseconds: number): CodedError<CallErrorCode> {
  return new CodedError("CALL_TIMEOUT", `execution timeout: a call gets ${milliseconds} ms`, { milliseconds });
}

function died(cause: unknown): CodedError<CallErrorCode> {
  const reason = cause instanceof Error ? cause.message : "no reason given";
  return new CodedError("CALL_WORKER_DIED", "the thread that ran the call died: it asked for too much", { reason });
}

function closed(): CodedError<CallErrorCode> {
  return new CodedError("CALLS_CLOSED", "the node is stopping");
}
