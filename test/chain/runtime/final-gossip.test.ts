import { afterEach, expect, it } from "vitest";
import { assert } from "../../../base/errors.ts";
import type { Certificate, FinalSegment } from "../../../chain/consensus/types.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { Cluster, clusterSpec } from "./support/cluster.ts";

let cluster: Cluster;

afterEach(() => cluster.dispose());

/** A segment as its only validator has made it final, and how to change it. */
async function finalSegment(): Promise<{ node: Node; segment: FinalSegment }> {
  cluster = new Cluster(clusterSpec(1));
  const { node } = await cluster.validator(0);
  const committed = new Promise<void>((resolve) => node.onBlock(() => resolve()));
  await node.submit(cluster.transfer());
  await committed;
  const { final, finalCertificate } = node.consensus;
  assert(finalCertificate !== undefined, "the block is final by a certificate");
  return { node, segment: { blocks: [final], certificate: finalCertificate } };
}

it("hands on no final block that nobody has signed, whatever its epoch", async () => {
  const { node, segment } = await finalSegment();
  const ahead = segment.blocks.map((block) => ({ ...block, height: block.height + 1_000 }));
  const of = (changes: Partial<Certificate>): FinalSegment => ({
    blocks: ahead,
    certificate: { ...segment.certificate, ...changes },
  });
  expect(await node.receiveFinalBlock("stranger", of({ epoch: 7 }))).toBe("ignore");
  expect(await node.receiveFinalBlock("stranger", of({ view: segment.certificate.view + 5 }))).toBe("reject");
});

it("hands on no blocks that do not lead to the one that was signed", async () => {
  const { node, segment } = await finalSegment();
  const [block] = segment.blocks;
  assert(block !== undefined, "a segment has a block");
  const other = { ...block, hash: `0x${"ab".repeat(32)}` as const, height: block.height + 1_000 };
  expect(await node.receiveFinalBlock("stranger", { ...segment, blocks: [other] })).toBe("reject");
  expect(await node.receiveFinalBlock("stranger", { ...segment, blocks: [other, block] })).toBe("reject");
  const notarized: Certificate = { ...segment.certificate, kind: "NOTARIZE" };
  expect(await node.receiveFinalBlock("stranger", { ...segment, certificate: notarized })).toBe("reject");
});
