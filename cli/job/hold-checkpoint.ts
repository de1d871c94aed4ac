/**
 * The client's part in never losing a job: it takes a copy of the state after each accepted segment, attests on chain that
 * it holds it, so that the next segment begins at once, and brings it to whoever goes on when a worker has died. It
 * believes nobody: a state counts only if it has the root that the worker committed and verifiers checked.
 */
import { type Hex, hexToBytes } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { readBody } from "../../base/read-body.ts";
import { type CheckpointBuffer, checkCheckpoint, decodeManifest } from "../../compute/agent/provider/checkpoint.ts";
import { checkpointPath } from "../../compute/agent/provider/checkpoint-search.ts";
import { decodeProgram } from "../../compute/program/codec.ts";
import { launchesIn } from "../../compute/program/schedule.ts";
import { segmentRange } from "../../compute/program/segments.ts";
import type { Program } from "../../compute/program/types.ts";
import { type MarketJob, statusName } from "../../rpc/client/market-answers.ts";
import { bringBlobs, fetchBlob } from "./bring-blobs.ts";
import type { MarketSession } from "./market-session.ts";

const PATIENCE = 60_000;
/** Bytes of a manifest: some for each of 256 buffers. */
const MAX_MANIFEST_BYTES = 65_536;

interface Held {
  /** The segment after which it is the state. */
  readonly segment: number;
  readonly root: Hex;
  readonly manifest: Uint8Array;
  /** Who has it already. */
  readonly workers: Set<Hex>;
}

/** A state that the job went, or goes, through: after which segment, and with which root. */
type Wanted = Pick<Held, "segment" | "root">;

export class CheckpointHolder {
  readonly #session: MarketSession;
  readonly #progress: (text: string) => void;
  #program: Program | undefined;
  #held: Held | undefined;
  /** The round about which it has attested. */
  #attested = 0n;
  /** The newest that nobody has looked at. */
  #next: MarketJob | undefined;
  #isLooking = false;

  constructor(session: MarketSession, progress: (text: string) => void) {
    this.#session = session;
    this.#progress = progress;
  }

  /** To be told of every change. What cannot be done now is tried with the next one. */
  onJob(job: MarketJob): void {
    if (job.source !== 0n) return;
    this.#next = job;
    if (!this.#isLooking) void this.#lookAll();
  }

  async #lookAll(): Promise<void> {
    this.#isLooking = true;
    for (let job = this.#next; job !== undefined; job = this.#next) {
      this.#next = undefined;
      await this.#look(job).catch(() => undefined);
    }
    this.#isLooking = false;
  }

  async #look(job: MarketJob): Promise<void> {
    const wanted = await this.#wantedOf(job);
    const endpoint = wanted && (await this.#endpointOf(job.worker));
    if (wanted === undefined || endpoint === undefined) return;
    const isHeld = this.#held?.segment === wanted.segment && this.#held.root === wanted.root;
    if (!isHeld) await this.#take(job, wanted, endpoint);
    const held = this.#held;
    if (held?.segment !== wanted.segment || held.root !== wanted.root) return;
    if (statusName(job.status) === "accepted") await this.#attest(job, held);
    else if (!held.workers.has(job.worker)) await this.#bring(job, endpoint, held);
  }

  /** While a segment is computed the state before it, and once it is accepted the one after it. */
  async #wantedOf({ status, segment, segments, checkpoint, round, traps }: MarketJob): Promise<Wanted | undefined> {
    const name = statusName(status);
    if (name === "assigned") return segment === 0 ? undefined : { segment: segment - 1, root: checkpoint };
    if (name !== "accepted" || traps || segment + 1 === segments) return undefined;
    const { link } = this.#session;
    const { checkpointRoot } = await link.readModule({
      ...{ module: "verification", functionName: "roundOf", args: [round] },
    });
    return { segment, root: checkpointRoot };
  }

  async #take(job: MarketJob, { segment, root }: Wanted, endpoint: string): Promise<void> {
    const { id, segments, worker, inputs } = job;
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await this.#session.web(`${endpoint}${checkpointPath(id, segment)}`, { signal });
    const manifest = response.ok ? await readBody(response.body, MAX_MANIFEST_BYTES, signal) : undefined;
    if (manifest === undefined) return;
    this.#program ??= await this.#load(job.program);
    const program = this.#program;
    const { end } = segmentRange(launchesIn(program.steps), segments, segment);
    try {
      const entries = decodeManifest(program, end, manifest);
      const state = new Map<number, CheckpointBuffer>();
      for (const { buffer, launch, key, address } of entries) {
        state.set(buffer, { launch, key, contents: await fetchBlob(address, [endpoint], this.#session.web) });
      }
      checkCheckpoint(program, inputs.map(hexToBytes), state, hexToBytes(root));
      const blobs = entries.map(({ buffer, address }) => {
        const contents = state.get(buffer)?.contents ?? new Uint8Array();
        return { name: program.buffers[buffer]?.name ?? "", address, contents };
      });
      await bringBlobs(blobs, [this.#session.link.url], this.#session.web, () => undefined);
    } catch (error) {
      if (!isCoded(error)) throw error;
      this.#progress(`the state after segment ${segment + 1} cannot be had: ${error.message}`);
      return;
    }
    this.#held = { segment, root, manifest, workers: new Set([worker]) };
    this.#progress(`the state after segment ${segment + 1} is kept here too`);
  }

  /** Only the client is believed, and whom it named; others may watch. */
  async #attest({ id, client, round }: MarketJob, { segment }: Held): Promise<void> {
    const { account } = this.#session;
    if (this.#attested === round || account === undefined) return;
    try {
      await this.#session.send({ module: "market", name: "attestCheckpoint", args: [id, segment] });
    } catch (error) {
      // Nobody but the market knows whom the client named. It says so before anything is paid for.
      const isOther = account.toLowerCase() !== client.toLowerCase() && isCoded(error, "CHAIN_REFUSED");
      if (!isOther || error.data["error"] !== "NotClient") throw error;
      this.#attested = round;
      return;
    }
    this.#attested = round;
    this.#progress(`attested that the state after segment ${segment + 1} is held`);
  }

  async #bring({ id, worker }: MarketJob, endpoint: string, { segment, manifest, workers }: Held): Promise<void> {
    const url = `${endpoint}${checkpointPath(id, segment)}`;
    const answer = await this.#session.web(url, {
      ...{ method: "PUT", body: manifest, signal: AbortSignal.timeout(PATIENCE) },
    });
    await answer.body?.cancel();
    if (!answer.ok) return;
    workers.add(worker);
    this.#progress(`brought the state after segment ${segment + 1} to the new worker`);
  }

  async #load(program: Hex): Promise<Program> {
    const args = [program] as const;
    const { link } = this.#session;
    return decodeProgram(hexToBytes(await link.readModule({ module: "programs", functionName: "encodingOf", args })));
  }

  async #endpointOf(worker: Hex): Promise<string | undefined> {
    const { link } = this.#session;
    const { endpoint } = await link.readModule({ module: "providers", functionName: "providerOf", args: [worker] });
    return endpoint.startsWith("http") ? endpoint.replace(/\/+$/, "") : undefined;
  }
}
