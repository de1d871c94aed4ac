/** What a provider bids for a job, or why it does not: by its policy, by how fast it has been, and if the inputs are there. */
import { PROVIDER_LIMITS } from "../limits.ts";
import { type BlobPort, JOB_STATUS, type JobView } from "../ports.ts";
import { firstModel, learn, predict, type SpeedModel } from "../router/speed-model.ts";
import type { Web } from "../web.ts";
import type { BidPlaces } from "./bid-places.ts";
import type { CheckpointSearch } from "./checkpoint-search.ts";
import { InputSearch } from "./input-search.ts";
import type { JobPrograms } from "./job-programs.ts";
import { type Bid, bidFor, type ProgramFacts, type ProviderPolicy, type WorkingDevice } from "./policy.ts";
import type { ProviderEvent } from "./provider-event.ts";

interface DeskPorts {
  readonly blobs: BlobPort;
  readonly web: Web;
  readonly programs: JobPrograms;
  readonly bidPlaces: BidPlaces;
  readonly checkpoints: Pick<CheckpointSearch, "endpoints">;
  tell(event: ProviderEvent): void;
  /** Looks at a job again after so many milliseconds. */
  later(job: bigint, milliseconds: number): void;
}

interface DeskOptions {
  readonly policy: ProviderPolicy;
  readonly device: WorkingDevice;
  readonly places: readonly string[];
}

/** Milliseconds between two looks for inputs, at most. */
const LONGEST_PAUSE = 60_000;

export class BidDesk {
  readonly #ports: DeskPorts;
  readonly #options: DeskOptions;
  readonly #inputs: InputSearch;
  /** What was told, so that it is told once. */
  readonly #declined = new Set<string>();
  /** How often inputs of a job were looked for in vain. */
  readonly #misses = new Map<bigint, number>();
  #speed: SpeedModel;

  constructor(ports: DeskPorts, options: DeskOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#inputs = new InputSearch(ports);
    this.#speed = firstModel(options.device.speed);
  }

  /** Whoever gets a bid has a place for the job until it is settled. */
  async bidOn(job: JobView, signal: AbortSignal): Promise<Bid | undefined> {
    const { policy, device } = this.#options;
    if (job.source !== 0n || job.status !== JOB_STATUS.open || job.ownBid !== undefined) return undefined;
    const { facts } = await this.#ports.programs.get(job.program);
    const bid = bidFor(policy, { ...device, speed: this.#speedOf(facts, job.segments) }, job, facts);
    if ("refusal" in bid) {
      this.#decline(`job ${job.id}`, bid.refusal);
      return undefined;
    }
    if (!(await this.#hasInputs(job, signal))) return undefined;
    return this.#ports.bidPlaces.tryTake(job.id) ? bid : undefined;
  }

  /** They may still be on their way: as long as bids are taken it looks again. */
  async #hasInputs(job: JobView, signal: AbortSignal): Promise<boolean> {
    const { programs, checkpoints, later } = this.#ports;
    const { checked } = await programs.get(job.program);
    const places = [...this.#options.places, ...(await checkpoints.endpoints(job))];
    const missing = await this.#inputs.missing(job, checked.program, places, signal);
    if (missing === undefined) return true;
    this.#decline(`job ${job.id}`, missing);
    later(job.id, this.#pauseAfterMiss(job.id));
    return false;
  }

  /** Longer each time: some take bids for days. */
  #pauseAfterMiss(job: bigint): number {
    if (this.#misses.size >= PROVIDER_LIMITS.journalRecords) this.#misses.clear();
    const misses = this.#misses.get(job) ?? 0;
    this.#misses.set(job, misses + 1);
    return Math.min(PROVIDER_LIMITS.retryMilliseconds * 2 ** misses, LONGEST_PAUSE);
  }

  /** What a segment of so many compute units has taken. */
  learn(sample: { readonly units: number; readonly seconds: number }): void {
    this.#speed = learn(this.#speed, sample);
  }

  /** Compute units in a second on a segment of this size, as this machine's own jobs have shown. */
  #speedOf({ computeUnits }: ProgramFacts, segments: number): number {
    const units = Math.max(1, Number(computeUnits) / segments);
    return units / Math.max(predict(this.#speed, units), 1e-3);
  }

  #decline(what: string, reason: string): void {
    const text = `${what}: ${reason}`;
    if (this.#declined.has(text)) return;
    if (this.#declined.size >= PROVIDER_LIMITS.journalRecords) this.#declined.clear();
    this.#declined.add(text);
    this.#ports.tell({ kind: "declined", what, reason });
  }
}
