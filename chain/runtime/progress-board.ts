/**
 * How far workers say that they are: the newest word of each about each job. A report is taken when its signer computes
 * that segment by the final state, is newer than what is known, and comes at the worker's pace; then it is handed on.
 */
import type { Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { type Progress, signerOfProgress } from "../../base/progress.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { type WorkingOn, workingOn } from "../../vm/modules/market/worker-of-job.ts";
import type { ChainStore } from "../store/chain-store.ts";
import type { Clock } from "./clock.ts";
import type { BatchJudgement } from "./intake.ts";
import { MAX_PROGRESS_JOBS, MAX_PROGRESS_WORKERS, PROGRESS_RATE, WASTED_PROGRESS } from "./limits.ts";
import type { NodeNetwork } from "./node-network.ts";
import { WasteBudget } from "./waste-budget.ts";

/** Plain values: it crosses threads. */
export interface SeenProgress extends Progress {
  readonly worker: Hex;
}

export interface ProgressBoardHost {
  readonly chainId: bigint;
  /** Milliseconds. */
  now(): number;
  workingOn(job: bigint, segment: number, account: Hex): WorkingOn;
  /** What a client brought goes to the peers. */
  publish(progress: Progress, worker: Hex): void;
  /** A peer makes us work for nothing. */
  onWaste(peer: string): void;
}

interface Entry {
  readonly progress: SeenProgress;
  readonly pace: TokenBucket;
}

/** `false` is what no state makes right; the others may be nobody's fault, since peers are not equally far. */
type Judgement =
  | { readonly kind: "new"; readonly seen: SeenProgress }
  | { readonly kind: "known" | "old" | "idle" | "other" | "too-soon" | "false" };

export class ProgressBoard {
  readonly #host: ProgressBoardHost;
  /** By job, then by worker; those that were told of last are last. */
  readonly #jobs = new Map<bigint, Map<Hex, Entry>>();
  readonly #waste = new WasteBudget(WASTED_PROGRESS);
  readonly #listeners = new Set<(progress: SeenProgress) => void>();

  constructor(host: ProgressBoardHost) {
    this.#host = host;
  }

  /** The newest of each worker. */
  of(job: bigint): readonly SeenProgress[] {
    return [...(this.#jobs.get(job)?.values() ?? [])].map(({ progress }) => progress);
  }

  /** Called for every report that is taken. Answers with what ends it. */
  onNew(listener: (progress: SeenProgress) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** From a client. Throws PROGRESS_FALSE, PROGRESS_IDLE, PROGRESS_OLD or PROGRESS_TOO_SOON. */
  report(progress: Progress): void {
    const judgement = this.#judge(progress);
    if (judgement.kind !== "new") throw refusal(judgement.kind, progress);
    this.#take(judgement.seen);
    this.#host.publish(progress, judgement.seen.worker);
  }

  /**
   * From a peer: its batch is handed on as it is, or not at all. Not with a report that was for nothing here: the next
   * one would count it against us.
   */
  receive(from: string, batch: readonly Progress[]): BatchJudgement {
    const { now, onWaste } = this.#host;
    let isNew = false;
    let isUseful = true;
    for (const progress of batch) {
      if (!this.#waste.take(from, 1, now())) {
        onWaste(from);
        return "ignore";
      }
      const judgement = this.#judge(progress);
      if (judgement.kind === "false") return "reject";
      if (judgement.kind === "new") {
        this.#take(judgement.seen);
        isNew = true;
      }
      if (judgement.kind === "new" || judgement.kind === "known") this.#waste.giveBack(from, 1, now());
      else isUseful = false;
    }
    return isNew && isUseful ? "accept" : "ignore";
  }

  #judge(progress: Progress): Judgement {
    const { chainId, now, workingOn } = this.#host;
    const { job, segment, sequence } = progress;
    const entries = this.#jobs.get(job);
    // A copy by another way costs no recovery.
    if ([...(entries?.values() ?? [])].some((entry) => isSame(entry.progress, progress))) return { kind: "known" };
    const worker = signerOfProgress(chainId, progress);
    if (worker === undefined) return { kind: "false" };
    const known = entries?.get(worker);
    if (known !== undefined && sequence <= known.progress.sequence) return { kind: "old" };
    const working = workingOn(job, segment, worker);
    if (working !== "working") return { kind: working };
    if (known?.pace.take(1, now()) === false) return { kind: "too-soon" };
    // A copy: the signature may be a part of a larger message.
    return { kind: "new", seen: { ...progress, worker, signature: progress.signature.slice() } };
  }

  #take(progress: SeenProgress): void {
    const { job, worker } = progress;
    const entries = this.#jobs.get(job) ?? new Map<Hex, Entry>();
    const pace = entries.get(worker)?.pace ?? new TokenBucket(PROGRESS_RATE, this.#host.now());
    putLast(entries, worker, { progress, pace }, MAX_PROGRESS_WORKERS);
    putLast(this.#jobs, job, entries, MAX_PROGRESS_JOBS);
    for (const listener of this.#listeners) listener(progress);
  }
}

interface ChainParts {
  readonly spec: Pick<ChainSpec, "chainId">;
  readonly store: Pick<ChainStore, "state">;
  readonly clock: Pick<Clock, "now">;
}

/** Judges by the chain's last final state. */
export function progressOfChain(
  { spec, store, clock }: ChainParts,
  network: () => Pick<NodeNetwork, "publishProgress" | "penalise"> | undefined,
): ProgressBoard {
  return new ProgressBoard({
    chainId: spec.chainId,
    now: () => clock.now(),
    workingOn: (job, segment, account) => workingOn(store.state().reader, job, segment, account),
    publish: (progress, worker) => network()?.publishProgress(progress, worker),
    onWaste: (peer) => network()?.penalise(peer, "useless"),
  });
}

function isSame(a: Progress, b: Progress): boolean {
  const isEqual = a.segment === b.segment && a.done === b.done && a.total === b.total && a.sequence === b.sequence;
  return isEqual && Buffer.compare(a.signature, b.signature) === 0;
}

function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

function refusal(kind: Exclude<Judgement["kind"], "new">, { job, segment, sequence }: Progress): CodedError {
  const data = { job: String(job), segment, sequence };
  switch (kind) {
    case "false":
    case "other":
      return new CodedError("PROGRESS_FALSE", "the report is not signed by a worker of the job", data);
    case "idle":
      return new CodedError("PROGRESS_IDLE", `nobody computes segment ${segment} of job ${job} now`, data);
    case "too-soon":
      return new CodedError("PROGRESS_TOO_SOON", "too many reports in a short time: the next one will do", data);
    default:
      return new CodedError("PROGRESS_OLD", "a report with this number, or a greater one, is known", data);
  }
}
