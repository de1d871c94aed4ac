/** The node's own blob store: the page brings inputs there, and fetches outputs. docs/blobs.md has the protocol. */
import { bytesToHex, type Hex } from "viem";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { type ContentFile, MAX_FILE_BYTES } from "./content-file.ts";

/** Milliseconds that one transfer may take. */
const PATIENCE = 300_000;

function pathOf(address: Hex): string {
  return `/blobs/${address}`;
}

/** `undefined` when the node has it now, else why not, for people. `onShare` is told how much is there, from 0 to 1. */
export function bringBlob(
  { name, bytes, address }: ContentFile,
  onShare: (share: number) => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    // fetch() does not tell how far an upload is.
    const request = new XMLHttpRequest();
    request.open("PUT", pathOf(address));
    request.timeout = PATIENCE;
    request.upload.onprogress = ({ loaded }) => onShare(loaded / bytes.length);
    request.onload = () => {
      const isTaken = request.status === 200 || request.status === 201;
      resolve(isTaken ? undefined : `The node does not take ${name}: ${reasonOf(request)}`);
    };
    request.onerror = () => resolve(`${name} did not reach the node. Is it still running?`);
    request.ontimeout = () => resolve(`${name} took too long to bring to the node. Try again.`);
    request.send(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  });
}

function reasonOf({ status, responseText }: XMLHttpRequest): string {
  try {
    const { error } = JSON.parse(responseText) as { error: { message: string; hint?: string } };
    return [error.message, error.hint].filter((text) => text !== undefined).join(". ");
  } catch {
    return status === 404 ? "it keeps no blobs (--blob-space 0)." : `it answered with status ${status}.`;
  }
}

export type FetchedBlob =
  | { readonly kind: "there"; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  | { readonly kind: "problem"; readonly problem: string };

/** Held to its address here: what comes back is what verifiers checked, or nothing. */
export async function fetchChecked(address: Hex): Promise<FetchedBlob> {
  try {
    const response = await fetch(pathOf(address), { signal: AbortSignal.timeout(PATIENCE) });
    if (response.status === 404) return { kind: "absent" };
    if (!response.ok) return { kind: "problem", problem: `The node answered with status ${response.status}.` };
    if (Number(response.headers.get("content-length")) > MAX_FILE_BYTES) {
      await response.body?.cancel();
      return { kind: "problem", problem: "It is larger than this page checks. Use: ogpu job result" };
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    return isContentOf(bytes, address)
      ? { kind: "there", bytes }
      : { kind: "problem", problem: "The node sent other bytes than were verified. They are not shown." };
  } catch {
    return { kind: "problem", problem: "It did not come from the node. Is it still running?" };
  }
}

export function isContentOf(bytes: Uint8Array, address: Hex): boolean {
  return bytesToHex(contentAddress(bytes)) === address.toLowerCase();
}
