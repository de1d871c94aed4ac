/** One thread that recomputes tiles, one after the other. It is started when it is first needed, and again if it dies. */
import { Worker } from "node:worker_threads";
import { CodedError } from "../../../base/errors.ts";
import type { RecomputedTile } from "./recompute-tile.ts";
import type { TileAnswer, TileOrder } from "./tile-messages.ts";

interface Waiting {
  resolve(found: RecomputedTile): void;
  reject(error: unknown): void;
}

/** Compiled, because threads do not go through the tests' compiler. */
function workerUrl(): URL {
  if (!import.meta.url.endsWith(".ts")) return new URL("./tile-worker.js", import.meta.url);
  return new URL("../../../dist/compute/agent/verifier/tile-worker.js", import.meta.url);
}

export class TileThread {
  #worker: Worker | undefined;
  #next = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** The tile's digest, and what it has written. Rejects with TILE_MALFORMED, TILE_UNPROVEN, TILE_MISSING, and what is wrong with a program. */
  recompute(order: Omit<TileOrder, "id">): Promise<RecomputedTile> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...order, id } satisfies TileOrder);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(workerUrl());
    worker.unref();
    worker.on("message", (answer: TileAnswer) => this.#settle(worker, answer));
    worker.on("error", (error) => this.#fail(worker, error));
    worker.on("exit", () => this.#fail(worker, new CodedError("TILE_THREAD", "the thread that recomputes has ended")));
    return worker;
  }

  #settle(worker: Worker, answer: TileAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) worker.unref();
    if (answer.kind === "found") waiting?.resolve(answer.found);
    else waiting?.reject(new CodedError(answer.code, answer.message));
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
