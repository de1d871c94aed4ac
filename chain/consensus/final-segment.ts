/** Whether blocks hang together up to the one that a certificate makes final. The signatures are another matter. */
import type { FinalSegment } from "./types.ts";

export function isLinked({ blocks, certificate }: FinalSegment): boolean {
  if (certificate.kind !== "FINALIZE" || blocks.length === 0) return false;
  let hash = certificate.hash;
  for (const block of [...blocks].reverse()) {
    if (block.hash !== hash) return false;
    hash = block.parent;
  }
  return true;
}
