/** Talks to the peer on its thread, one request at a time. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { PeerReply, PeerRequest } from "./patricia-worker.ts";

/** The peer keeps about 1 KB per account. */
const HEAP_MB = 8_192;

export class PatriciaThread {
  readonly #worker = new Worker(compiledWorkerUrl(), { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });

  async ask(request: PeerRequest): Promise<PeerReply> {
    const reply = once(this.#worker, "message");
    this.#worker.postMessage(request);
    const [message] = await reply;
    return message as PeerReply;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Workers run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function compiledWorkerUrl(): URL {
  const here = import.meta.url;
  return new URL(here.endsWith(".ts") ? "../../dist/bench/state/patricia-worker.js" : "./patricia-worker.js", here);
}
