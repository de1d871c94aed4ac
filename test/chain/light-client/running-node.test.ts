/**
 * A client in a browser has no part of a node: it gets headers, certificates and lists of validators as bytes, and checks
 * them by the portable engine alone.
 */
import { afterEach, expect, it, vi } from "vitest";
import { portableBls } from "../../../base/bls-portable.ts";
import { assert } from "../../../base/errors.ts";
import { decodeHeader, encodeHeader } from "../../../chain/blocks/header.ts";
import { blsCrypto } from "../../../chain/consensus/bls-crypto.ts";
import { decodeCertificate } from "../../../chain/consensus/certificate.ts";
import type { ValidatorStake } from "../../../chain/consensus/validator-set.ts";
import { genesisWeights } from "../../../chain/consensus-parameters.ts";
import {
  type LightOptions,
  type LightTrust,
  trustFrom,
  verifyProof,
} from "../../../chain/light-client/light-client.ts";
import { lightHeaderOf } from "../../../chain/light-client/light-header.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { Cluster, clusterSpec, included } from "../runtime/support/cluster.ts";

let cluster: Cluster | undefined;

afterEach(async () => {
  await cluster?.dispose();
  expect(cluster?.failures).toEqual([]);
  cluster = undefined;
});

interface Served {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  readonly next: readonly ValidatorStake[] | undefined;
}

/** What a node has of a block. */
function served(node: Node, number: number): Served {
  const stored = node.header(number);
  const certificate = node.certificate(number);
  assert(stored !== undefined && certificate !== undefined, "the node has the block");
  return { header: encodeHeader(stored.header), certificate, next: node.body(number)?.nextValidators };
}

it("follows a running network from genesis, over its seals, by the portable engine", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 2 }));
  const nodes: Node[] = [];
  for (const index of [0, 1, 2, 3]) nodes.push((await cluster.validator(index)).node);
  const [node] = nodes as [Node];
  for (let i = 0; i < 5; i++) await included(node, await node.submit(cluster.transfer()));

  const { spec } = cluster;
  const { trustingPeriodSeconds, maxSkewMilliseconds } = spec.consensus;
  const options: LightOptions = {
    chainId: spec.chainId,
    crypto: blsCrypto(portableBls),
    trustingPeriod: 1000 * trustingPeriodSeconds,
    maxSkew: maxSkewMilliseconds,
  };
  const genesis = node.header(0)?.header;
  assert(genesis !== undefined, "every chain has genesis");
  let validators: readonly ValidatorStake[] = genesisWeights(spec);
  let trust: LightTrust = trustFrom(lightHeaderOf(encodeHeader(genesis)), validators, 0);
  const seals: number[] = [];
  for (let number = 1; number <= node.head.number; number++) {
    const { header: bytes, certificate: encoded, next } = served(node, number);
    const header = lightHeaderOf(bytes, next);
    const certificate = decodeCertificate(encoded);
    // Of several blocks of one commit only the last has a certificate of its own.
    if (certificate.hash !== header.hash) continue;
    const proof = { header, certificate, validators };
    const now = Date.now();
    const result = verifyProof(trust, proof, now, options);
    expect(result.verdict).toBe("trusted");
    const forged = lightHeaderOf(encodeHeader({ ...decodeHeader(bytes), stateRoot: new Uint8Array(32) }), next);
    expect(verifyProof(trust, { ...proof, header: forged }, now, options).verdict).toBe("wrong-certificate");
    const lie = { ...proof, header: forged, certificate: { ...certificate, hash: forged.hash } };
    expect(verifyProof(trust, lie, now, options).verdict).toBe("wrong-signature");
    trust = result.trust ?? trust;
    if (next === undefined) continue;
    seals.push(number);
    validators = next;
    expect(() => lightHeaderOf(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_NEXT_VALIDATORS_MISMATCH" }));
  }
  expect(seals.length).toBeGreaterThanOrEqual(2);
  expect(trust.epoch).toBe(seals.length);
  // A block is in the store a moment before the node's own consensus goes on from it.
  await vi.waitFor(() => expect(node.consensus.epoch.number).toBeGreaterThanOrEqual(trust.epoch), 10_000);
});
