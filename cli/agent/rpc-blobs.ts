/** The blob store behind the RPC's `/blobs`, loaded by the RPC's thread. */
import { BlobParts } from "../../compute/agent/blobs/blob-parts.ts";
import { BlobService } from "../../compute/agent/blobs/blob-service.ts";
import { BlobStore } from "../../compute/agent/blobs/blob-store.ts";
import { PeerBlobs } from "../../compute/agent/blobs/peer-blobs.ts";
import type { BlobsPort, BlobsSettings, PeersPort } from "../../rpc/blobs.ts";

const MEGABYTE = 1_048_576;
/** Of what one network address may keep, so that nobody fills it alone. */
const OWNER_PART = 4;
/** Milliseconds between two looks for what nobody uses any more. */
const CLEAN_MILLISECONDS = 600_000;

export async function openBlobs({ directory, megabytes }: BlobsSettings, peers: PeersPort): Promise<BlobsPort> {
  const totalBytes = megabytes * MEGABYTE;
  const ownerBytes = Math.floor(totalBytes / OWNER_PART);
  const store = await BlobStore.open(directory, { limits: { totalBytes, ownerBytes, blobBytes: ownerBytes } });
  const elsewhere = new PeerBlobs(store, peers);
  const service = new BlobService(store, { search: (address) => elsewhere.search(address) });
  const parts = new BlobParts(store);
  const timer = setInterval(() => void store.collect().catch(() => undefined), CLEAN_MILLISECONDS);
  timer.unref();
  return {
    handle: (request, response) => service.handle(request, response),
    find: (address) => parts.length(address),
    part: (address, part) => parts.part(address, part),
    close: async () => {
      clearInterval(timer);
      await store.close();
    },
  };
}
