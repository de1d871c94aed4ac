/** Blocks verified one by one, from what a node's RPC gives to anybody. */
import { afterEach, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { encodeHeader, hashHeader } from "../../../chain/blocks/header.ts";
import { certify, encodeCertificate } from "../../../chain/consensus/certificate.ts";
import { makeValidatorSet } from "../../../chain/consensus/validator-set.ts";
import { type BlockProof, BlockVerifier } from "../../../chain/light-client/block-verifier.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { lightClientProof } from "../../../rpc/light-client-proof.ts";
import { requireValidators } from "../../../rpc/validators-of-epoch.ts";
import { CHAIN_ID } from "../consensus/support/validators.ts";
import { Cluster, clusterSpec, included } from "../runtime/support/cluster.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { KEYS, SampleChain, validatorsOf } from "../sync/support/sample-chain.ts";

let cluster: Cluster | undefined;

afterEach(async () => {
  await cluster?.dispose();
  cluster = undefined;
});

interface WeightJson {
  readonly publicKey: Hex;
  readonly weight: Hex;
}

interface ProofJson {
  readonly header: Hex;
  readonly certificate: Hex;
  readonly validators: readonly WeightJson[];
  readonly nextValidators?: readonly WeightJson[];
  readonly ancestors: readonly Hex[];
  readonly seals: readonly {
    readonly header: Hex;
    readonly certificate: Hex;
    readonly nextValidators: readonly WeightJson[];
  }[];
}

const stakes = (validators: readonly WeightJson[]): BlockProof["validators"] =>
  validators.map(({ publicKey, weight }) => ({ id: publicKey, stake: BigInt(weight) }));

/** As a page reads it. */
function proofOf(node: Node, number: number, fromEpoch: number): BlockProof {
  const json = lightClientProof(node, { number: BigInt(number) }, fromEpoch) as ProofJson;
  return {
    header: hexToBytes(json.header),
    certificate: hexToBytes(json.certificate),
    validators: stakes(json.validators),
    ...(json.nextValidators !== undefined && { nextValidators: stakes(json.nextValidators) }),
    ancestors: json.ancestors.map(hexToBytes),
    seals: json.seals.map((seal) => ({
      header: hexToBytes(seal.header),
      certificate: hexToBytes(seal.certificate),
      nextValidators: stakes(seal.nextValidators),
    })),
  };
}

it("verifies every block of a chain over its seals, and no block that was tampered with", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 2 }));
  const nodes: Node[] = [];
  for (const index of [0, 1, 2, 3]) nodes.push((await cluster.validator(index)).node);
  const [node] = nodes as [Node];
  for (let i = 0; i < 5; i++) await included(node, await node.submit(cluster.transfer()));

  const verifier = new BlockVerifier(cluster.spec.chainId);
  expect(verifier.knownUpTo(7)).toBeUndefined();
  expect(verifier.verify(proofOf(node, 1, 0), 0).verdict).toBe("not-enough-trust");
  verifier.trustEpoch(0, requireValidators(node, 0));
  for (let number = 1; number <= node.head.number; number++) {
    const proof = proofOf(node, number, 0);
    const verified = verifier.verify(proof, 0);
    expect(verified).toMatchObject({ verdict: "trusted", number, anchorEpoch: 0 });
    expect(verified.hash).toBe(`0x${Buffer.from(node.header(number)?.hash ?? []).toString("hex")}`);
    const { signedWeight = 0n, totalWeight = 0n } = verified;
    expect(3n * signedWeight).toBeGreaterThan(2n * totalWeight);
  }
  expect(verifier.knownUpTo(100)).toBeGreaterThanOrEqual(2);

  const honest = proofOf(node, 1, 0);
  // Of another epoch: on a slow machine the next block may have become final together with the first.
  const other = proofOf(node, node.head.number, 0);
  const flipped = honest.header.map((byte, index) => (index === 40 ? byte ^ 1 : byte));
  expect(verifier.verify({ ...honest, header: flipped }, 0).verdict).not.toBe("trusted");
  expect(verifier.verify({ ...honest, header: new Uint8Array(9) }, 0).verdict).toBe("malformed");
  expect(verifier.verify({ ...honest, certificate: other.certificate }, 0).verdict).not.toBe("trusted");
  expect(verifier.verify({ ...honest, ancestors: [other.header] }, 0).verdict).toBe("not-linked");
  const liar = new BlockVerifier(cluster.spec.chainId);
  liar.trustEpoch(0, requireValidators(node, 0).slice(1));
  expect(liar.verify(honest, 0).verdict).not.toBe("trusted");
});

it("takes no validators of a later epoch on the word of a part of an earlier one, without the seals between", async () => {
  const folders = new TemporaryFolders();
  const chain = await SampleChain.create(folders.next(), { blocks: 1 });
  const { stakes: all, vote } = validatorsOf("honest", 0);
  // Half of epoch 0, as all validators of an epoch that they have made up.
  const forgers = makeValidatorSet(
    makeValidatorSet(all)
      .ids.slice(0, 2)
      .map((id) => ({ id, stake: 10n })),
  );
  const block = chain.headerAt(1);
  const header = { ...block, extra: { ...block.extra, epoch: 1, validatorSetHash: hexToBytes(forgers.hash) } };
  const content = { kind: "FINALIZE", epoch: 1, view: 1, hash: bytesToHex(hashHeader(header)) } as const;
  const certificate = certify([vote(0, content), vote(1, content)], forgers, KEYS.crypto);
  assert(certificate !== undefined, "votes make a certificate");
  const proof: BlockProof = {
    header: encodeHeader(header),
    certificate: encodeCertificate(certificate),
    validators: forgers.ids.map((id) => ({ id, stake: 10n })),
    ...{ ancestors: [], seals: [] },
  };
  const verifier = new BlockVerifier(CHAIN_ID);
  verifier.trustEpoch(0, all);
  expect(verifier.verify(proof, 0).verdict).toBe("wrong-validator-set");
  await chain.store.close();
  folders.remove();
});
