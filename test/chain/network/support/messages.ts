import type { Certificate, FinalSegment, Vote } from "../../../../chain/consensus/types.ts";
import { anyBlock } from "./nodes.ts";

export function voteIn(view: number): Vote {
  return {
    kind: "NOTARIZE",
    epoch: 0,
    view,
    hash: `0x${"22".repeat(32)}`,
    validator: 3,
    signature: new Uint8Array(96).fill(7),
  };
}

export const CERTIFICATE: Certificate = {
  kind: "FINALIZE",
  epoch: 1,
  view: 9,
  hash: `0x${"33".repeat(32)}`,
  signers: Uint8Array.of(0x0f),
  signature: new Uint8Array(96).fill(5),
};

export function segmentOf(size: number): FinalSegment {
  return { blocks: [anyBlock(new Uint8Array(size).fill(1))], certificate: CERTIFICATE };
}
