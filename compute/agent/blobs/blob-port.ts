/** Blobs as agents see them: the own store first, then whoever else has it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hex } from "../../../base/bytes.ts";
import { agentError } from "../errors.ts";
import type { BlobPort } from "../ports.ts";
import { type Web, webAccess } from "../web.ts";
import { blobAddress } from "./blob-address.ts";
import { BlobService, type BlobServiceOptions } from "./blob-service.ts";
import { type BlobStore, OWN_PIN } from "./blob-store.ts";
import { fetchBlob } from "./fetch-blob.ts";

export class StoredBlobs implements BlobPort {
  readonly #store: BlobStore;
  readonly #service: BlobService;
  readonly #web: Web;
  /** One download for all who want the same at a time. */
  readonly #underWay = new Map<Hex, Promise<void>>();

  /** `web` reaches whoever has blobs: the public only, unless it says otherwise. */
  constructor(store: BlobStore, options: BlobServiceOptions = {}, web: Web = webAccess({})) {
    this.#store = store;
    this.#web = web;
    this.#service = new BlobService(store, options);
  }

  async get(address: Hex, most: number, places: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
    blobAddress(address);
    if (!this.#store.has(address)) await this.#fetch(address, most, places, signal);
    const bytes = this.#store.entry(address)?.bytes ?? 0;
    if (bytes > most)
      throw agentError("BLOB_TOO_LARGE", `blob ${address} has ${bytes} bytes, at most ${most} are wanted`);
    const contents = await this.#store.read(address);
    if (contents === undefined) throw agentError("BLOB_ABSENT", `blob ${address} is gone again`);
    return contents;
  }

  async #fetch(address: Hex, most: number, places: readonly string[], signal: AbortSignal): Promise<void> {
    const running = this.#underWay.get(address);
    // The other one may want less, know other places, or stop.
    if (running !== undefined) await running.catch(() => undefined);
    if (this.#store.has(address)) return;
    const fetching = fetchBlob(this.#store, address, most, places, signal, this.#web);
    this.#underWay.set(address, fetching);
    try {
      await fetching;
    } finally {
      if (this.#underWay.get(address) === fetching) this.#underWay.delete(address);
    }
  }

  bytesOf(address: Hex): number | undefined {
    return this.#store.entry(address)?.bytes;
  }

  put(contents: Uint8Array): Promise<Hex> {
    return this.#store.put(contents, OWN_PIN);
  }

  drop(address: Hex): Promise<void> {
    return this.#store.unpin(address, OWN_PIN);
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#service.handle(request, response);
  }
}
