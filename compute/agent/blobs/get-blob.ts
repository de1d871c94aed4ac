/** A blob into memory, for those who keep no store: a client its outputs, a verifier those that it checks. */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { readBody } from "../../../base/read-body.ts";
import { contentAddress } from "../../program/merkle.ts";
import { agentError } from "../errors.ts";
import type { Web } from "../web.ts";
import { baseUrl } from "./fetch-blob.ts";

/** From the first place that gives it, checked. Rejects with BLOB_ABSENT when none does, in at most `most` bytes. */
export async function getBlob(
  address: Hex,
  most: number,
  places: readonly string[],
  web: Web,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const problems: string[] = [];
  for (const place of places) {
    try {
      const contents = await fromPlace(`${baseUrl(place)}/blobs/${address}`, most, web, signal);
      if (bytesToHex(contentAddress(contents)) === address) return contents;
      problems.push(`${place}: it sends other bytes`);
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${place}: ${(error as Error).message}`);
    }
  }
  throw agentError("BLOB_ABSENT", `nobody who was asked has blob ${address}`, { address, problems });
}

async function fromPlace(url: string, most: number, web: Web, signal: AbortSignal): Promise<Uint8Array> {
  const response = await web(url, { signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw agentError("BLOB_PLACE", `the place answers ${response.status}`);
  }
  const contents = await readBody(response.body, most, signal);
  if (contents === undefined) throw agentError("BLOB_TOO_LARGE", `it has more than ${most} bytes`);
  return contents;
}
