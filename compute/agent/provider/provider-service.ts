/**
 * What a provider answers over HTTP besides blobs: inputs of tiles to those whose turn it is to check them, and manifests
 * of checkpoints that were accepted. docs/blobs.md.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { BlobService } from "../blobs/blob-service.ts";
import { answerError, leaveBody, OPEN_HEADERS, Pace, sendPieces } from "../blobs/http-answers.ts";
import { agentError } from "../errors.ts";
import { BLOB_LIMITS, TILE_LIMITS } from "../limits.ts";
import { type BlobPort, type ChainPort, JOB_STATUS, type JobView, type RoundView } from "../ports.ts";
import { SIGNATURE_HEADER, signerOf, tileRequestDigest } from "../tiles/ask-tile.ts";
import { MAX_MANIFEST_BYTES } from "./answer-demand.ts";
import type { ProviderAgent } from "./provider-agent.ts";
import type { ProviderMemory } from "./provider-memory.ts";
import type { SegmentRunner } from "./segment-runner.ts";

const TILE = /^\/rounds\/(\d{1,18})\/tiles\/(\d{1,13})-(\d{1,8})$/;
const CHECKPOINT = /^\/jobs\/(\d{1,18})\/checkpoints\/(\d{1,10})$/;

export interface ServicePorts {
  readonly chain: ChainPort;
  readonly blobs: BlobPort;
  readonly runner: SegmentRunner;
  readonly agent: Pick<ProviderAgent, "memory" | "checkpoints" | "look">;
  readonly signal: AbortSignal;
  /** For the log: what went wrong that was not the asker's fault. */
  onFailure?(error: unknown): void;
}

interface TileAsked {
  readonly round: bigint;
  readonly launch: number;
  readonly tile: number;
}

export class ProviderService {
  readonly #ports: ServicePorts;
  /** Answers by round and place; those used last are last. */
  readonly #answers = new Map<string, Uint8Array>();
  #answerBytes = 0;
  readonly #underWay = new Map<string, Promise<Uint8Array>>();

  constructor(ports: ServicePorts) {
    this.#ports = ports;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (BlobService.isFor(request)) {
      this.#ports.blobs.serve(request, response);
      return;
    }
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    this.#answer(request, response).catch((error: unknown) => {
      answerError(response, error);
      if (!isCoded(error)) this.#ports.onFailure?.(error);
    });
  }

  get #memory(): ProviderMemory {
    return this.#ports.agent.memory;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    if (method === "OPTIONS") {
      response.writeHead(204, OPEN_HEADERS).end();
      return;
    }
    const tile = TILE.exec(url);
    const checkpoint = CHECKPOINT.exec(url);
    if (tile !== null && method === "GET") {
      const [round = "", launch, place] = tile.slice(1);
      await this.#tile(request, response, { round: BigInt(round), launch: Number(launch), tile: Number(place) });
    } else if (checkpoint !== null) {
      const [job = "", segment] = checkpoint.slice(1);
      if (method === "GET") await this.#manifest(response, BigInt(job), Number(segment));
      else if (method === "PUT") await this.#take(request, response, BigInt(job), Number(segment));
      else throw agentError("BLOB_REQUEST", "checkpoints know GET and PUT");
    } else throw agentError("BLOB_REQUEST", "there is nothing of that name here");
  }

  async #tile(request: IncomingMessage, response: ServerResponse, asked: TileAsked): Promise<void> {
    const { chain } = this.#ports;
    const record = this.#memory.ofRound(asked.round) ?? (await this.#recordOf(asked.round));
    const round = record && (await chain.round(asked.round));
    if (record === undefined || round === undefined) {
      throw agentError("TILE_ABSENT", `round ${asked.round} is not about work of this provider`);
    }
    const header = request.headers[SIGNATURE_HEADER];
    const signer = signerOf(tileRequestDigest(asked.round, asked), typeof header === "string" ? header : undefined);
    if (!mayAsk(round, asked, signer)) {
      throw agentError("TILE_REFUSED", "inputs of a tile go to those who hold its seat, until it is opened", {
        hint: `Sign the request with the key of the seat's verifier (${SIGNATURE_HEADER}).`,
      });
    }
    const key = `${asked.round}/${asked.launch}-${asked.tile}`;
    const place = { launch: asked.launch, tile: asked.tile };
    const make = (): Promise<Uint8Array> => this.#ports.runner.inputs(record.task, place, this.#ports.signal);
    const answer = this.#kept(key) ?? (await this.#once(key, make));
    await sendAll(response, answer);
  }

  /** A round that began a moment ago, which the agent has not noted yet. */
  async #recordOf(round: bigint): Promise<ReturnType<ProviderMemory["ofRound"]>> {
    const view = await this.#ports.chain.round(round);
    if (view === undefined || view.worker !== this.#ports.chain.account) return undefined;
    const records = this.#memory.segmentsOf(view.job).filter(({ segment }) => segment === view.segment);
    return records.findLast(({ outcome }) => outcome.commitment.segmentRoot === view.segmentRoot);
  }

  #kept(key: string): Uint8Array | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    return answer;
  }

  /** Many may ask for the same at a time, as when a tile is disputed: it is made once. */
  async #once(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const running = this.#underWay.get(key);
    if (running !== undefined) return running;
    if (this.#underWay.size >= TILE_LIMITS.waiting) throw agentError("TILE_BUSY", "too many tiles are asked for");
    const making = make();
    this.#underWay.set(key, making);
    try {
      const answer = await making;
      this.#keep(key, answer);
      return answer;
    } finally {
      this.#underWay.delete(key);
    }
  }

  #keep(key: string, answer: Uint8Array): void {
    if (answer.length > TILE_LIMITS.keptBytes || this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#answerBytes += answer.length;
    for (const [old, { length }] of this.#answers) {
      if (this.#answerBytes <= TILE_LIMITS.keptBytes) break;
      this.#answers.delete(old);
      this.#answerBytes -= length;
    }
  }

  /**
   * The keys of a checkpoint's salts are shown only when its segment was accepted: then the seed that they come from is
   * public, or will be. The client needs the state before the segment is paid, to attest that it holds it.
   */
  async #manifest(response: ServerResponse, job: bigint, segment: number): Promise<void> {
    const view = await this.#job(job);
    const record = view && this.#memory.lastSegment(job, segment);
    const isNow = view?.segment === segment && view.status === JOB_STATUS.accepted;
    const isAccepted = view !== undefined && (view.segment > segment || isNow);
    const manifest = record?.outcome.manifest ?? null;
    if (!isAccepted || manifest === null)
      throw agentError("BLOB_ABSENT", `there is no checkpoint ${segment} of job ${job} here`);
    await sendAll(response, await this.#ports.blobs.get(manifest, MAX_MANIFEST_BYTES, [], this.#ports.signal));
  }

  /** Somebody, mostly the client, brings the state from which this worker goes on. Its blobs are brought as blobs. */
  async #take(request: IncomingMessage, response: ServerResponse, job: bigint, segment: number): Promise<void> {
    const view = await this.#job(job);
    const isOurs = view?.worker === this.#ports.chain.account && view.segment === segment + 1;
    if (!isOurs)
      throw agentError("BLOB_REFUSED", `segment ${segment + 1} of job ${job} is not this provider's to compute`);
    const pieces: Uint8Array[] = [];
    let length = 0;
    const pace = new Pace(request, BLOB_LIMITS.idleMilliseconds, 1);
    try {
      for await (const piece of request as AsyncIterable<Uint8Array>) {
        length += piece.length;
        if (length > MAX_MANIFEST_BYTES)
          throw agentError("BLOB_TOO_LARGE", `a manifest has at most ${MAX_MANIFEST_BYTES} bytes`);
        pieces.push(piece);
        pace.moved(piece.length);
      }
    } finally {
      pace.end();
    }
    const { agent, blobs } = this.#ports;
    const manifest = await blobs.put(new Uint8Array(Buffer.concat(pieces)));
    // Strangers bring them: only so many are kept.
    for (const old of agent.checkpoints.bring(job, manifest)) await blobs.drop(old);
    agent.look(job);
    response.writeHead(202, { ...OPEN_HEADERS, ...leaveBody(response), "content-length": "0" }).end();
  }

  #job(job: bigint): Promise<JobView | undefined> {
    return this.#ports.chain.job(job);
  }
}

/**
 * Who holds a seat of the tile, always. Everybody, once the tile was opened or is disputed, since then there is nothing
 * to copy any more; and once the round is decided for every tile, so that anybody can challenge.
 */
export function mayAsk(round: RoundView, { launch, tile }: TileAsked, signer: Hex | undefined): boolean {
  if (round.phase === "accepted" || round.phase === "rejected" || round.phase === "referee") return true;
  const isIt = (place: { readonly launch: number; readonly tile: number }): boolean =>
    place.launch === launch && place.tile === tile;
  if (round.dispute !== undefined && isIt(round.dispute)) return true;
  const seats = round.seats.filter(isIt);
  return seats.some(({ opened, verifier }) => opened || (verifier !== undefined && verifier === signer));
}

async function sendAll(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  const headers = {
    ...OPEN_HEADERS,
    "content-type": "application/octet-stream",
    "content-length": String(bytes.length),
  };
  response.writeHead(200, headers);
  const pace = new Pace(response, BLOB_LIMITS.idleMilliseconds, BLOB_LIMITS.idleBytes);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += BLOB_LIMITS.pieceBytes)
      yield bytes.subarray(at, at + BLOB_LIMITS.pieceBytes);
  };
  try {
    await sendPieces(response, pieces(), pace);
  } finally {
    pace.end();
  }
}
