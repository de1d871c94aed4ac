/**
 * Blobs at the RPC's address, so that pages and programs without a server of their own can bring what jobs read. The RPC
 * does not know how they are kept: whoever puts the parts together names a module that does, and the RPC's thread loads it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hex } from "../base/bytes.ts";
import type { BlobPart } from "../chain/runtime/blob-exchange.ts";

export interface BlobsPort {
  /** Answers a request for `/blobs/<address>`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** What is here, for peers. */
  find(address: Hex): number | undefined;
  part(address: Hex, part: number): Promise<BlobPart | undefined>;
  close(): Promise<void>;
}

/** Plain values: they cross threads. */
export interface BlobsSettings {
  /** The URL of a module that exports `openBlobs`. */
  readonly module: string;
  readonly directory: string;
  /** Of all blobs together. */
  readonly megabytes: number;
}

/** The node's peers, who may have what is not here. Their answers come from the node's thread. */
export interface PeersPort {
  peers(): Promise<readonly string[]>;
  find(peer: string, address: Hex): Promise<number | undefined>;
  part(peer: string, address: Hex, part: number): Promise<BlobPart | "busy" | undefined>;
  /** It sent what does not belong to the blob. */
  blame(peer: string): void;
}

interface BlobsModule {
  openBlobs(settings: BlobsSettings, peers: PeersPort): Promise<BlobsPort>;
}

export async function loadBlobs(settings: BlobsSettings | undefined, peers: PeersPort): Promise<BlobsPort | undefined> {
  if (settings === undefined) return undefined;
  const { openBlobs } = (await import(settings.module)) as BlobsModule;
  return await openBlobs(settings, peers);
}

export function isForBlobs({ url = "" }: IncomingMessage): boolean {
  return url.startsWith("/blobs/");
}
