/**
 * Whether what a job is computed from can be had, before anything is promised for it. It is only asked for, not fetched: most
 * bids do not win. Who bids for a job whose inputs are nowhere waits for its client, with its lock set aside.
 */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { eitherSignal } from "../../../base/either-signal.ts";
import type { Program } from "../../program/types.ts";
import { baseUrl } from "../blobs/fetch-blob.ts";
import { PROVIDER_LIMITS } from "../limits.ts";
import type { BlobPort, JobView } from "../ports.ts";
import type { Web } from "../web.ts";

interface Wanted {
  /** For the operator. */
  readonly name: string;
  readonly address: Hex;
  readonly bytes: number;
}

/** Questions that are under way at a time. */
const AT_A_TIME = 8;

/** Inputs and constants; what the program says of their sizes has to hold. */
function wantedOf({ inputs }: Pick<JobView, "inputs">, { buffers }: Program): readonly Wanted[] {
  let input = 0;
  return buffers.flatMap(({ name, kind, bytes, address }): readonly Wanted[] => {
    const found = kind === "input" ? inputs[input++] : address && bytesToHex(address);
    return found === undefined ? [] : [{ name: `${kind} ${name}`, address: found, bytes }];
  });
}

export class InputSearch {
  readonly #blobs: Pick<BlobPort, "bytesOf">;
  readonly #web: Web;

  constructor({ blobs, web }: { readonly blobs: Pick<BlobPort, "bytesOf">; readonly web: Web }) {
    this.#blobs = blobs;
    this.#web = web;
  }

  /** Why not all of it can be had, for the operator; `undefined` when it can. Bids are not taken for long: neither is this. */
  async missing(
    job: Pick<JobView, "inputs">,
    program: Program,
    places: readonly string[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const limit = eitherSignal(signal, AbortSignal.timeout(PROVIDER_LIMITS.inputSearchMilliseconds));
    const wanted = wantedOf(job, program);
    for (let at = 0; at < wanted.length; at += AT_A_TIME) {
      const some = wanted.slice(at, at + AT_A_TIME);
      const problems = await Promise.all(some.map((one) => this.#problemOf(one, places, limit)));
      signal.throwIfAborted();
      const problem = problems.find((each) => each !== undefined);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  async #problemOf(wanted: Wanted, places: readonly string[], limit: AbortSignal): Promise<string | undefined> {
    const { name, address, bytes } = wanted;
    const own = this.#blobs.bytesOf(address);
    if (own !== undefined) return own === bytes ? undefined : `${name} has ${own} bytes, the program wants ${bytes}`;
    for (const place of places) {
      const found = await this.#lengthAt(place, address, limit);
      if (found === bytes) return undefined;
    }
    return `${name} (${address}) is not to be had, or not with ${bytes} bytes`;
  }

  /** Whoever cannot be reached, or is no web address, has nothing. */
  async #lengthAt(place: string, address: Hex, signal: AbortSignal): Promise<number | undefined> {
    try {
      const response = await this.#web(`${baseUrl(place)}/blobs/${address}`, { method: "HEAD", signal });
      await response.body?.cancel();
      const length = response.headers.get("content-length") ?? "";
      return response.status === 200 && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    } catch {
      return undefined;
    }
  }
}
