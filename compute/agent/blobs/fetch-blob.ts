/** Brings a blob from somewhere else into the own store: resumed where it broke off, and from the next place where one lies. */
import type { Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { bodyPieces } from "../../../base/read-body.ts";
import { agentError } from "../errors.ts";
import type { Web } from "../web.ts";
import { type BlobStore, OPERATOR } from "./blob-store.ts";
import type { BlobUpload } from "./blob-upload.ts";

/** Throws BLOB_PLACE. Only what can be the base of a path: nothing after its own, and nobody's password. */
export function baseUrl(place: string): string {
  const url = URL.canParse(place) ? new URL(place) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (
    url === undefined ||
    !isWeb ||
    url.username !== "" ||
    url.password !== "" ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw agentError("BLOB_PLACE", "a place is an http or https address with nothing after its path", { place });
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

interface Wanted {
  readonly address: Hex;
  /** Bytes at most. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly web: Web;
}

/**
 * Asks one place after the other. Rejects with BLOB_ABSENT when nobody has it, with what the last place did wrong as the
 * cause, and with BLOB_TOO_LARGE when it has more than `most` bytes.
 */
export async function fetchBlob(
  store: BlobStore,
  address: Hex,
  most: number,
  places: readonly string[],
  signal: AbortSignal,
  web: Web,
): Promise<void> {
  const wanted = { address, most, signal, web };
  const problems: string[] = [];
  for (const place of places.slice(0, store.limits.places)) {
    try {
      await fromPlace(store, `${baseUrl(place)}/blobs/${address}`, wanted);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (isCoded(error, "BLOB_TOO_LARGE", "BLOB_QUOTA")) throw error;
      problems.push(`${place}: ${(error as Error).message}`);
    }
  }
  throw agentError("BLOB_ABSENT", `nobody who was asked has blob ${address}`, { address, problems });
}

async function fromPlace(store: BlobStore, url: string, wanted: Wanted): Promise<void> {
  let upload: BlobUpload | undefined;
  try {
    for (let attempt = 0; ; attempt++) {
      const pace = new PlacePace(store, wanted.signal);
      try {
        const response = await ask(url, upload, pace.signal, wanted.web);
        upload ??= await begin(store, wanted, response);
        const before = upload.offset;
        const problem = await receive(response, upload, pace);
        wanted.signal.throwIfAborted();
        if (upload.isComplete) break;
        if (upload.offset === before || attempt >= store.limits.resumptions) throw problem;
      } finally {
        pace.end();
      }
    }
    await upload.finish();
  } catch (error) {
    // What one place sent is not completed by another: if it was wrong, nobody could tell whose fault that is.
    await upload?.abandon();
    throw error;
  }
}

/** Gives up on a place that sends too little. */
class PlacePace {
  readonly signal: AbortSignal;
  moved = 0;
  readonly #timer: NodeJS.Timeout;

  constructor({ limits }: BlobStore, signal: AbortSignal) {
    const idle = new AbortController();
    let seen = 0;
    this.signal = AbortSignal.any([signal, idle.signal]);
    this.#timer = setInterval(() => {
      // Coded: one that sent too little is not asked to go on, as one whose connection broke is.
      if (this.moved - seen < limits.idleBytes) idle.abort(agentError("BLOB_PLACE", "the place is too slow"));
      seen = this.moved;
    }, limits.idleMilliseconds);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Goes on where the upload is. */
async function ask(url: string, upload: BlobUpload | undefined, signal: AbortSignal, web: Web): Promise<Response> {
  const headers: Record<string, string> = upload === undefined ? {} : { range: `bytes=${upload.offset}-` };
  const response = await web(url, { headers, signal });
  if (response.status !== (upload === undefined ? 200 : 206)) {
    await response.body?.cancel();
    throw agentError("BLOB_PLACE", `the place answers ${response.status}`);
  }
  const expected = upload && `bytes ${upload.offset}-${upload.bytes - 1}/${upload.bytes}`;
  if (expected !== undefined && response.headers.get("content-range") !== expected) {
    await response.body?.cancel();
    throw agentError("BLOB_PLACE", "the place answers another range than it was asked for");
  }
  return response;
}

/** Says why it ended early, if it did: a connection that breaks can be resumed. Throws what cannot. */
async function receive(response: Response, upload: BlobUpload, pace: PlacePace): Promise<unknown> {
  if (response.body === null) return undefined;
  try {
    for await (const piece of bodyPieces(response.body, pace.signal)) {
      await upload.write(piece);
      pace.moved += piece.length;
    }
    return agentError("BLOB_PLACE", "the place ends before the blob does");
  } catch (error) {
    // A connection that breaks can be resumed.
    if (isCoded(error) && error.code !== "PLACE_UNREACHABLE") throw error;
    return error;
  }
}

async function begin(store: BlobStore, { address, most }: Wanted, response: Response): Promise<BlobUpload> {
  const length = response.headers.get("content-length") ?? "";
  if (!/^\d{1,15}$/.test(length)) throw agentError("BLOB_PLACE", "the place does not say how long the blob is");
  if (Number(length) > most) {
    throw agentError("BLOB_TOO_LARGE", `blob ${address} has ${length} bytes, at most ${most} are wanted`);
  }
  const upload = await store.upload(address, Number(length), OPERATOR);
  if (upload.offset > 0) await upload.restart();
  return upload;
}
