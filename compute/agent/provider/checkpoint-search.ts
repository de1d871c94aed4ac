/**
 * Where the state is that a segment starts from: this worker's own, one that was brought here, or one that an earlier worker
 * still serves. Nothing is believed: a state is taken only when it has the root that is on chain.
 */
import { type Hex, hexToBytes } from "../../../base/bytes.ts";
import { eitherSignal } from "../../../base/either-signal.ts";
import { isCoded } from "../../../base/errors.ts";
import { readBody } from "../../../base/read-body.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { baseUrl } from "../blobs/fetch-blob.ts";
import { agentError } from "../errors.ts";
import type { BlobPort, ChainPort, JobView } from "../ports.ts";
import type { Web } from "../web.ts";
import { loadCheckpoint, MAX_MANIFEST_BYTES } from "./answer-demand.ts";
import { checkCheckpoint } from "./checkpoint.ts";
import type { SegmentTask } from "./segment-runner.ts";

/** Manifests that strangers may bring for one job, and jobs for which they may. */
const MAX_BROUGHT = 4;
const MAX_JOBS = 64;
/** Earlier workers that are asked. */
const MAX_ASKED = 4;
const ASK_MILLISECONDS = 10_000;

export class CheckpointSearch {
  readonly #chain: ChainPort;
  readonly #places: readonly string[];
  readonly #web: Web;
  readonly #brought = new Map<bigint, Hex[]>();

  constructor(chain: ChainPort, places: readonly string[], web: Web) {
    this.#chain = chain;
    this.#places = places;
    this.#web = web;
  }

  /** A manifest that somebody brought, by its address in the own blobs. Says which ones have to go for it. */
  bring(job: bigint, manifest: Hex): readonly Hex[] {
    const known = this.#brought.get(job) ?? [];
    if (known.includes(manifest)) return [];
    const all = [...known, manifest];
    this.#brought.set(job, all.slice(-MAX_BROUGHT));
    const [oldest] = this.#brought.keys();
    const others = this.#brought.size > MAX_JOBS && oldest !== undefined ? this.forget(oldest) : [];
    return [...all.slice(0, -MAX_BROUGHT), ...others];
  }

  /** Says which manifests nobody needs any more. */
  forget(job: bigint): readonly Hex[] {
    const known = this.#brought.get(job) ?? [];
    this.#brought.delete(job);
    return known;
  }

  /** Of whoever may have blobs of the job. */
  async endpoints({ earlierWorkers, client }: JobView): Promise<readonly string[]> {
    const found: string[] = [];
    for (const account of [...earlierWorkers.slice(0, MAX_ASKED), client]) {
      const endpoint = await this.#chain.endpoint(account);
      if (endpoint !== undefined && endpoint !== "") found.push(endpoint);
    }
    return found;
  }

  /** Throws CHECKPOINT_WRONG or BLOB_ABSENT when nobody has it. */
  async find(
    job: JobView,
    checked: CheckedProgram,
    launches: number,
    own: Hex | undefined,
    blobs: BlobPort,
    signal: AbortSignal,
  ): Promise<SegmentTask["checkpoint"]> {
    if (job.checkpoint === undefined) return null;
    const root = hexToBytes(job.checkpoint);
    const endpoints = [...(await this.endpoints(job)), ...this.#places];
    const inputs = job.inputs.map(hexToBytes);
    let problem: unknown = agentError("BLOB_ABSENT", `nobody has the checkpoint of job ${job.id}`);
    for await (const manifest of this.#candidates(job, own, endpoints, blobs, signal)) {
      try {
        const state = await loadCheckpoint(blobs, checked, launches, manifest, endpoints, signal);
        checkCheckpoint(checked.program, inputs, state, root);
        return { root: job.checkpoint, manifest };
      } catch (error) {
        if (!isCoded(error, "CHECKPOINT_WRONG", "BLOB_ABSENT", "BLOB_TOO_LARGE")) throw error;
        problem = error;
      }
    }
    throw problem;
  }

  async *#candidates(
    { id, segment }: JobView,
    own: Hex | undefined,
    endpoints: readonly string[],
    blobs: BlobPort,
    signal: AbortSignal,
  ): AsyncGenerator<Hex> {
    if (own !== undefined) yield own;
    for (const manifest of this.#brought.get(id) ?? []) yield manifest;
    for (const endpoint of endpoints) {
      const bytes = await askManifest(endpoint, id, segment - 1, this.#web, signal);
      if (bytes === undefined) continue;
      const manifest = await blobs.put(bytes);
      yield manifest;
      // It was not the one. One that is stays, with what the segment is computed from.
      await blobs.drop(manifest);
    }
  }
}

export function checkpointPath(job: bigint, segment: number): string {
  return `/jobs/${job}/checkpoints/${segment}`;
}

async function askManifest(
  endpoint: string,
  job: bigint,
  segment: number,
  web: Web,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    const limit = eitherSignal(signal, AbortSignal.timeout(ASK_MILLISECONDS));
    const response = await web(`${baseUrl(endpoint)}${checkpointPath(job, segment)}`, { signal: limit });
    return response.status === 200 ? await readBody(response.body, MAX_MANIFEST_BYTES, limit) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    // Somebody who cannot be reached, or is no web address: the next one may have it.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
