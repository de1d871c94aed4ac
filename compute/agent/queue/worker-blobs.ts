/** Blobs as a worker on another machine has them: what it makes goes home to the agent, who serves it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { contentAddress } from "../../program/merkle.ts";
import { baseUrl } from "../blobs/fetch-blob.ts";
import { agentError } from "../errors.ts";
import type { BlobPort } from "../ports.ts";

export interface WorkerBlobsOptions {
  /** The worker's own, as a cache. */
  readonly blobs: BlobPort;
  /** The agent's base URL. */
  readonly home: string;
  /** What the agent knows its workers by: their blobs are its own. */
  readonly token: string;
}

/** Milliseconds for one upload. */
const UPLOAD_MILLISECONDS = 600_000;

export class WorkerBlobs implements BlobPort {
  readonly #options: WorkerBlobsOptions;

  constructor(options: WorkerBlobsOptions) {
    this.#options = options;
  }

  get(address: Hex, most: number, places: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
    return this.#options.blobs.get(address, most, [this.#options.home, ...places], signal);
  }

  bytesOf(address: Hex): number | undefined {
    return this.#options.blobs.bytesOf(address);
  }

  /** Resolves when the agent has it. */
  async put(contents: Uint8Array): Promise<Hex> {
    const { home, token } = this.#options;
    const address = bytesToHex(contentAddress(contents));
    const response = await fetch(`${baseUrl(home)}/blobs/${address}`, {
      ...{ method: "PUT", body: contents, redirect: "error", signal: AbortSignal.timeout(UPLOAD_MILLISECONDS) },
      headers: { authorization: `Bearer ${token}` },
    });
    await response.body?.cancel();
    if (response.status === 200 || response.status === 201) return address;
    throw agentError("BLOB_PLACE", `the agent answers ${response.status} to a blob`, { address });
  }

  /** What is at home is the agent's to drop. */
  drop(_address: Hex): Promise<void> {
    return Promise.resolve();
  }

  serve(_request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(404).end();
  }
}
