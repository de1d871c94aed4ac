/** Brings what a job reads to where workers find it, and fetches what came of it. Both sides check every byte. */
import type { Hex } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { getBlob } from "../../compute/agent/blobs/get-blob.ts";
import type { Web } from "../../compute/agent/web.ts";
import { MAX_BUFFER_BYTES } from "../../compute/program/limits.ts";
import type { RpcLink } from "../agent/rpc-link.ts";
import type { Blob } from "./work.ts";

/** Milliseconds that one transfer may take. */
const PATIENCE = 120_000;
/** Providers that are brought the inputs directly, besides the node. */
const MAX_PROVIDERS = 4;

function blobUrl(place: string, address: Hex): string {
  return `${place.replace(/\/+$/, "")}/blobs/${address}`;
}

async function put(place: string, { address, contents }: Blob, web: Web): Promise<boolean> {
  const url = blobUrl(place, address);
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    const there = await web(url, { method: "HEAD", signal });
    if (there.ok) return true;
    const answer = await web(url, { method: "PUT", body: contents, signal });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The addresses of providers with devices of a tier. */
export async function providerPlaces(link: RpcLink, tier: number): Promise<readonly string[]> {
  const args = [tier, 0n, 100n] as const;
  const devices = await link.readModule({ module: "providers", functionName: "devicesOfTier", args });
  const providers = [...new Set(devices.map(({ provider }) => provider))].slice(0, MAX_PROVIDERS);
  const found = await Promise.all(
    providers.map((provider) => link.readModule({ module: "providers", functionName: "providerOf", args: [provider] })),
  );
  return found.map(({ endpoint }) => endpoint).filter((endpoint) => endpoint.startsWith("http"));
}

/** To the first place, and to as many of the others as take it. Throws JOB_UPLOAD when nobody does. */
export async function bringBlobs(
  blobs: readonly Blob[],
  places: readonly string[],
  web: Web,
  progress: (text: string) => void,
): Promise<void> {
  for (const blob of blobs) {
    progress(`bringing ${blob.name}, ${blob.contents.length} bytes`);
    const taken = await Promise.all(places.map((place) => put(place, blob, web)));
    if (taken.some((isTaken) => isTaken)) continue;
    throw new CodedError("JOB_UPLOAD", `nobody takes ${blob.name} (${blob.contents.length} bytes)`, {
      places,
      hint: "Name a place of your own with --place: any address that serves /blobs/<address> by PUT and GET.",
    });
  }
}

/** From the first place that has it. Throws JOB_OUTPUT_ABSENT. */
export async function fetchBlob(address: Hex, places: readonly string[], web: Web): Promise<Uint8Array> {
  try {
    return await getBlob(address, MAX_BUFFER_BYTES, places, web, AbortSignal.timeout(PATIENCE));
  } catch (error) {
    if (!isCoded(error, "BLOB_ABSENT") && !(error instanceof DOMException)) throw error;
    throw new CodedError("JOB_OUTPUT_ABSENT", `nobody gives the output ${address}`, {
      places,
      hint: "Try again later, or demand it: ogpu job demand has a worker that withholds its output punished.",
    });
  }
}
