/** Lets go of blobs that a job does not need any more: without it, every state of a long job would stay on disk. */
import type { Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import type { BlobPort } from "../ports.ts";
import { MAX_MANIFEST_BYTES } from "./answer-demand.ts";
import { manifestAddresses } from "./checkpoint.ts";
import type { SegmentRecord } from "./provider-memory.ts";

/** All that was kept for a job that is over. They stay as long as any blob that nobody pinned: clients have that time. */
export async function dropJob(blobs: BlobPort, records: readonly SegmentRecord[], signal: AbortSignal): Promise<void> {
  for (const { outcome, task } of records) {
    for (const address of outcome.commitment.outputs) await blobs.drop(address);
    if (outcome.manifest !== null) await dropState(blobs, outcome.manifest, signal);
    if (task.checkpoint !== null) await dropState(blobs, task.checkpoint.manifest, signal);
  }
}

/** States before the one from which segment `segment` starts: nobody goes back there. */
export async function dropStatesBefore(
  blobs: BlobPort,
  records: readonly SegmentRecord[],
  segment: number,
  dropped: Set<Hex>,
  signal: AbortSignal,
): Promise<void> {
  for (const { outcome, segment: number } of records) {
    const { manifest } = outcome;
    if (manifest === null || number >= segment - 1 || dropped.has(manifest)) continue;
    dropped.add(manifest);
    await dropState(blobs, manifest, signal);
  }
}

async function dropState(blobs: BlobPort, manifest: Hex, signal: AbortSignal): Promise<void> {
  try {
    const bytes = await blobs.get(manifest, MAX_MANIFEST_BYTES, [], signal);
    for (const address of manifestAddresses(bytes)) await blobs.drop(address);
    await blobs.drop(manifest);
  } catch (error) {
    // It is gone already.
    if (!isCoded(error, "BLOB_ABSENT")) throw error;
  }
}
