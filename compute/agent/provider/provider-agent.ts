/**
 * The provider: looks at jobs when something happens to them, decides what is to do, and does it. It holds nothing that it
 * could not learn again from the chain and its journal.
 */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { CodedError, isCoded } from "../../../base/errors.ts";
import { fuelOf } from "../../program/draw-place.ts";
import { agentError } from "../errors.ts";
import { PROVIDER_LIMITS } from "../limits.ts";
import type {
  BlobPort,
  ChainAction,
  ChainNotice,
  ChainPort,
  ClockPort,
  JobView,
  JournalPort,
  ProgressPort,
  RoundView,
  SeatOpening,
} from "../ports.ts";
import { JOB_STATUS } from "../ports.ts";
import type { Web } from "../web.ts";
import { ActionSender } from "./action-sender.ts";
import { answerDemand } from "./answer-demand.ts";
import { BidDesk } from "./bid-desk.ts";
import { BidPlaces } from "./bid-places.ts";
import { CheckpointSearch } from "./checkpoint-search.ts";
import { decideJob, type Intent, isOver } from "./decide-job.ts";
import { Defence } from "./defence.ts";
import { JobPrograms } from "./job-programs.ts";
import { dropJob, dropStatesBefore } from "./kept-blobs.ts";
import type { ProviderPolicy, WorkingDevice } from "./policy.ts";
import { ProgressReporter } from "./progress.ts";
import type { ProviderEvent } from "./provider-event.ts";
import { encodeRecord, ProviderMemory, type ProviderRecord, type SegmentRecord } from "./provider-memory.ts";
import type { SegmentRunner, SegmentTask } from "./segment-runner.ts";
import { SourceKeeper } from "./source-keeper.ts";

export interface ProviderPorts {
  readonly chain: ChainPort;
  readonly blobs: BlobPort;
  readonly journal: JournalPort;
  readonly clock: ClockPort;
  readonly progress: ProgressPort;
  readonly runner: SegmentRunner;
  readonly web: Web;
  /** Bytes that nobody can guess. */
  random(bytes: number): Uint8Array;
  tell(event: ProviderEvent): void;
}

export interface ProviderOptions {
  readonly policy: ProviderPolicy;
  readonly device: WorkingDevice;
  /** Base URLs where inputs may be: the node's, the operator's. */
  readonly places: readonly string[];
}

/** Seats that are opened in one transaction. */
const SEATS_AT_A_TIME = 8;
/** Times that an input is looked for before the client is asked for it on chain. */
const TRIES_BEFORE_DEMAND = 5;

interface RunningSegment {
  readonly segment: number;
  readonly attempt: bigint;
  readonly stop: AbortController;
}

export class ProviderAgent {
  readonly #ports: ProviderPorts;
  readonly #options: ProviderOptions;
  readonly #memory: ProviderMemory;
  readonly #reporter: ProgressReporter;
  readonly #checkpoints: CheckpointSearch;
  readonly #sender: ActionSender;
  readonly #sources: SourceKeeper;
  readonly #programs: JobPrograms;
  readonly #running = new Map<bigint, RunningSegment>();
  /** Jobs that are looked at now, and whether to look again. */
  readonly #looking = new Map<bigint, { again: boolean }>();
  /** Jobs to look at with every block: something could not be done yet. */
  readonly #waiting = new Set<bigint>();
  readonly #tries = new Map<bigint, number>();
  readonly #places: BidPlaces;
  readonly #desk: BidDesk;
  readonly #defence: Defence;
  /** Manifests of states that were let go. */
  readonly #dropped = new Set<Hex>();
  #journalled = 0;
  #signal: AbortSignal = new AbortController().signal;

  private constructor(ports: ProviderPorts, options: ProviderOptions, memory: ProviderMemory) {
    this.#ports = ports;
    this.#options = options;
    this.#memory = memory;
    this.#reporter = new ProgressReporter(ports, PROVIDER_LIMITS.progressMilliseconds);
    this.#checkpoints = new CheckpointSearch(ports.chain, options.places, ports.web);
    this.#sender = new ActionSender(ports);
    this.#programs = new JobPrograms(ports);
    this.#places = new BidPlaces(memory, options.policy.jobs);
    this.#defence = new Defence({ ...ports, programs: this.#programs });
    const { blobs, web } = ports;
    this.#desk = new BidDesk(
      {
        ...{ blobs, web, programs: this.#programs, bidPlaces: this.#places, checkpoints: this.#checkpoints },
        ...{ tell: (event) => ports.tell(event), later: (job, milliseconds) => this.#later(job, milliseconds) },
      },
      options,
    );
    this.#sources = new SourceKeeper(ports, options, (program) =>
      this.#programs.get(program).then(({ facts }) => facts),
    );
  }

  /** Reads the journal. Throws JOURNAL_DAMAGED. */
  static async open(ports: ProviderPorts, options: ProviderOptions): Promise<ProviderAgent> {
    const known = ProviderMemory.from(await ports.journal.load());
    if (known !== undefined) return new ProviderAgent(ports, options, known);
    const secret = ports.random(32);
    await ports.journal.append(encodeRecord({ kind: "secret", secret: bytesToHex(secret) }));
    return new ProviderAgent(ports, options, ProviderMemory.withSecret(secret));
  }

  get memory(): ProviderMemory {
    return this.#memory;
  }

  get checkpoints(): CheckpointSearch {
    return this.#checkpoints;
  }

  /** Works until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    this.#signal = AbortSignal.any([signal, stop.signal]);
    try {
      await this.#work(this.#signal);
    } finally {
      // However it ends, nothing of it goes on: another one may take over.
      stop.abort();
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => {
      for (const { stop } of this.#running.values()) stop.abort(signal.reason);
    });
    const { chain } = this.#ports;
    // The watch begins before the survey, so that nothing falls between them.
    const notices = chain.watch(undefined, signal)[Symbol.asyncIterator]();
    const first = notices.next();
    await this.#survey();
    this.#patrol().catch(() => undefined);
    for (let next = await first; !next.done && !signal.aborted; next = await notices.next()) this.#noticed(next.value);
  }

  /** Whatever became of a notice: nothing that is due waits for another one. */
  async #patrol(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#ports.clock.wait(PROVIDER_LIMITS.patrolMilliseconds, this.#signal);
      for (const job of this.#memory.jobs()) {
        this.look(job);
        await this.#ports.clock.wait(PROVIDER_LIMITS.patrolPauseMilliseconds, this.#signal);
      }
    }
  }

  async #survey(): Promise<void> {
    const { chain } = this.#ports;
    for (const job of this.#memory.jobs()) this.look(job);
    await this.#guard(undefined, async () => {
      for (const job of await chain.ownJobs(PROVIDER_LIMITS.jobs)) this.look(job);
      if (this.#options.policy.auctions) for (const job of await chain.auctions(PROVIDER_LIMITS.jobs)) this.look(job);
      await this.#sources.consider(this.#signal);
    });
  }

  #noticed({ jobs, rounds, sources }: ChainNotice): void {
    this.#sender.newBlock();
    for (const job of jobs) this.look(job);
    for (const round of rounds) {
      const job = this.#memory.jobOfRound(round);
      if (job !== undefined) this.look(job);
    }
    for (const job of this.#waiting) this.look(job);
    if (sources.length > 0 || this.#sources.isDue()) {
      this.#guard(undefined, () => this.#sources.consider(this.#signal)).catch(() => undefined);
    }
  }

  /** Looks at a job now, or again when that is being done. */
  look(job: bigint): void {
    const busy = this.#looking.get(job);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const state = { again: true };
    this.#looking.set(job, state);
    const turns = async (): Promise<void> => {
      while (state.again && !this.#signal.aborted) {
        state.again = false;
        await this.#guard(job, () => this.#attend(job));
      }
      this.#looking.delete(job);
    };
    turns().catch(() => undefined);
  }

  /** What fails is told and tried again later; nothing ends the agent but its signal. */
  async #guard(job: bigint | undefined, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#problem(job, error);
      if (job !== undefined) this.#later(job);
    }
  }

  #problem(job: bigint | undefined, error: unknown): void {
    const { code, message } = isCoded(error) ? error : new CodedError("INTERNAL", String(error));
    this.#ports.tell({ kind: "problem", job, code, message });
  }

  #later(job: bigint, milliseconds: number = PROVIDER_LIMITS.retryMilliseconds): void {
    const { clock } = this.#ports;
    clock.wait(milliseconds, this.#signal).then(
      () => this.look(job),
      () => undefined,
    );
  }

  async #attend(id: bigint): Promise<void> {
    const { chain } = this.#ports;
    const seen = await chain.job(id);
    if (seen === undefined) return;
    if (!this.#concerns(seen)) {
      this.#waiting.delete(id);
      return;
    }
    const job = await this.#withProgram(seen);
    if (job === undefined) return;
    if (isOver(job)) this.#places.free(id);
    const situation = {
      ...{ account: chain.account, job, memory: this.#memory, rounds: await this.#rounds(job) },
      launches: isOver(job) ? 0 : (await this.#programs.get(job.program)).facts.launches,
      bid: await this.#desk.bidOn(job, this.#signal),
    };
    await this.#carryOutAll(job, decideJob(situation));
    const records = this.#memory.segmentsOf(id);
    await dropStatesBefore(this.#ports.blobs, records, job.segment, this.#dropped, this.#signal);
  }

  /** As it is once its program is at hand: a new one takes its time, in which another auction may have begun. */
  async #withProgram(job: JobView): Promise<JobView | undefined> {
    if (isOver(job) || this.#programs.has(job.program)) return job;
    await this.#programs.get(job.program);
    return await this.#ports.chain.job(job.id);
  }

  #concerns(job: JobView): boolean {
    const { account } = this.#ports.chain;
    const { id } = job;
    if (this.#running.has(id) || this.#memory.jobs().includes(id)) return true;
    if (isOver(job)) return false;
    if (job.worker === account || job.racers.some(({ worker }) => worker === account)) return true;
    return job.source === 0n && job.status === JOB_STATUS.open;
  }

  async #rounds({ id, round }: JobView): Promise<readonly RoundView[]> {
    const ids = new Set([...this.#memory.roundsOf(id), ...(round === 0n ? [] : [round])]);
    const views: RoundView[] = [];
    for (const one of ids) {
      const view = await this.#ports.chain.round(one);
      if (view !== undefined) views.push(view);
    }
    return views;
  }

  /** One that fails keeps none of the others: a demand that cannot be answered must not hold up a seed. */
  async #carryOutAll(job: JobView, intents: readonly Intent[]): Promise<void> {
    const failures: unknown[] = [];
    let isWaiting = false;
    for (const intent of intents) {
      try {
        if (!(await this.#carryOut(job, intent))) isWaiting = true;
      } catch (error) {
        failures.push(error);
      }
    }
    this.#places.settle(job.id);
    if (isWaiting) this.#waiting.add(job.id);
    else this.#waiting.delete(job.id);
    if (failures.length > 0) throw failures[0];
  }

  /** Whether it is done; otherwise the next block may bring what it waits for. */
  async #carryOut(job: JobView, intent: Intent): Promise<boolean> {
    const { id } = job;
    if (intent.kind === "send") return this.#send(intent.action, id);
    if (intent.kind === "bid") {
      const { attempt, bid, nonce } = intent;
      const { price, seconds, region } = bid;
      const texts = { job: String(id), attempt: String(attempt), price: String(price), seconds: String(seconds) };
      if (this.#memory.bidOf(id, attempt) === undefined) await this.#remember({ kind: "bid", region, ...texts });
      return this.#send({ kind: "bid", job: id, attempt, ...bid, nonce }, id);
    }
    if (intent.kind === "note") {
      const { segment, attempt } = intent.record;
      await this.#remember({ kind: "round", round: String(intent.round), job: String(id), segment, attempt });
      return true;
    }
    if (intent.kind === "open") return this.#open(id, intent);
    if (intent.kind === "answer") return this.#answer(job, intent.demand);
    if (intent.kind === "defend") {
      if (this.#options.policy.defends) await this.#defence.defend(intent.round, intent.record, this.#signal);
      return true;
    }
    if (intent.kind === "run") {
      this.#start(job, intent);
      return true;
    }
    if (intent.kind === "stop") this.#stop(id);
    else await this.#forget(id);
    return true;
  }

  async #send(action: ChainAction, job: bigint): Promise<boolean> {
    if (!(await this.#sender.send(action, job))) return false;
    // The state has moved: there may be more to do at once.
    this.look(job);
    return true;
  }

  async #remember(record: ProviderRecord): Promise<void> {
    await this.#ports.journal.append(encodeRecord(record));
    this.#memory.apply(record);
    if (++this.#journalled < PROVIDER_LIMITS.journalRecords) return;
    this.#journalled = 0;
    await this.#ports.journal.replace(this.#memory.records().map(encodeRecord));
  }

  async #open(job: bigint, { round, record, seats }: Extract<Intent, { kind: "open" }>): Promise<boolean> {
    const openings = await this.#ports.runner.open(record.task, seats, this.#signal);
    const all = seats.map(({ seat }, i): SeatOpening => {
      const opening = openings[i];
      if (opening === undefined) throw agentError("TILE_ABSENT", "the runner opened fewer tiles than it was asked for");
      return { seat, ...opening };
    });
    for (let at = 0; at < all.length; at += SEATS_AT_A_TIME) {
      if (!(await this.#send({ kind: "open", round, seats: all.slice(at, at + SEATS_AT_A_TIME) }, job))) return false;
    }
    return true;
  }

  async #answer(job: JobView, demand: JobView["demands"][number]): Promise<boolean> {
    const known = { blobs: this.#ports.blobs, memory: this.#memory, programs: this.#programs };
    return this.#send(await answerDemand(known, job, demand, this.#signal), job.id);
  }

  #stop(job: bigint): void {
    this.#running.get(job)?.stop.abort(new Error("the job is somebody else's, or over"));
  }

  async #forget(job: bigint): Promise<void> {
    this.#places.forget(job);
    if (!this.#memory.jobs().includes(job)) return;
    const records = this.#memory.segmentsOf(job);
    await this.#remember({ kind: "forget", job: String(job) });
    this.#tries.delete(job);
    for (const manifest of this.#checkpoints.forget(job)) await this.#ports.blobs.drop(manifest);
    await dropJob(this.#ports.blobs, records, this.#signal);
  }

  #start(job: JobView, intent: Extract<Intent, { kind: "run" }>): void {
    const { segment, attempt } = intent;
    const running = this.#running.get(job.id);
    if (running?.segment === segment && running.attempt === attempt) return;
    running?.stop.abort(new Error("another segment is to be computed"));
    const stop = new AbortController();
    const entry = { segment, attempt, stop };
    this.#running.set(job.id, entry);
    const signal = AbortSignal.any([stop.signal, this.#signal]);
    this.#ports.tell({ kind: "running", job: job.id, segment });
    this.#compute(job, intent, signal)
      .then(() => this.#tries.delete(job.id))
      .catch((error: unknown) => this.#failed(job, error, signal))
      .finally(() => {
        if (this.#running.get(job.id) === entry) this.#running.delete(job.id);
        if (!this.#signal.aborted) this.#later(job.id);
      });
  }

  async #compute(job: JobView, intent: Extract<Intent, { kind: "run" }>, signal: AbortSignal): Promise<void> {
    const { facts, checked } = await this.#programs.get(job.program);
    const { segment, attempt, first, end, seed } = intent;
    const places = [...this.#options.places, ...(await this.#checkpoints.endpoints(job))];
    const own = this.#memory.lastSegment(job.id, segment - 1)?.outcome.manifest ?? undefined;
    const checkpoint = await this.#checkpoints.find(job, checked, first, own, this.#ports.blobs, signal);
    const task: SegmentTask = {
      ...{ job: String(job.id), segment, first, end, seed, places, checkpoint },
      ...{ program: job.program, inputs: job.inputs },
    };
    const told = { job: job.id, segment, program: checked.program, launches: facts.launches };
    const outcome = await this.#ports.runner.run(task, (done) => this.#reporter.report({ ...told, done }), signal);
    const record: SegmentRecord = {
      ...{ kind: "segment", job: String(job.id), segment, attempt: String(attempt) },
      ...{ task, outcome },
    };
    await this.#remember(record);
    this.#reporter.report({ ...told, done: end }, true);
    const { milliseconds, device, distrusted } = outcome;
    const units = Number(fuelOf(checked.program, { first, end }));
    this.#desk.learn({ units, seconds: milliseconds / 1_000 });
    this.#ports.tell({ kind: "computed", job: job.id, segment, milliseconds, device, distrusted });
    this.look(job.id);
  }

  /** An input that nobody has is the client's to show. */
  async #failed(job: JobView, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#problem(job.id, error);
    if (!isCoded(error, "BLOB_ABSENT")) return;
    const tries = (this.#tries.get(job.id) ?? 0) + 1;
    this.#tries.set(job.id, tries);
    const input = job.inputs.indexOf(error.data["address"] as Hex);
    if (tries !== TRIES_BEFORE_DEMAND || input < 0) return;
    await this.#guard(job.id, async () => {
      await this.#send({ kind: "demandInput", job: job.id, input, chunk: 0 }, job.id);
    });
  }
}
