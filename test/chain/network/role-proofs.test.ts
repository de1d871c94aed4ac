import { afterEach, describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import type { Hex } from "../../../base/bytes.ts";
import { blsCrypto } from "../../../chain/consensus/bls-crypto.ts";
import { proveRole, RoleProofs } from "../../../chain/network/role-proofs.ts";
import type { Hello, RoleProof } from "../../../chain/wire/node-message.ts";
import { voteIn } from "./support/messages.ts";
import { connected, GENESIS, signerOf, startNode, stopNodes } from "./support/nodes.ts";
import { HELLO, RawPeer, stopRawPeers } from "./support/raw-peer.ts";

const IDENTITY = { chainId: 7n, genesis: GENESIS };
const alice = signerOf("alice");

interface Scene {
  readonly proofs: RoleProofs;
  readonly set: Set<Hex>;
  readonly liars: string[];
  verifications: number;
}

function scene(): Scene {
  const crypto = blsCrypto(bls);
  const set = new Set<Hex>([alice.id]);
  const liars: string[] = [];
  const result: Scene = {
    proofs: new RoleProofs({
      ...IDENTITY,
      crypto: {
        verify: (...parts) => {
          result.verifications++;
          return crypto.verify(...parts);
        },
      },
      isValidator: (key) => set.has(key),
      onFalse: (peer) => liars.push(peer),
    }),
    ...{ set, liars, verifications: 0 },
  };
  return result;
}

const helloWith = (proof: RoleProof | undefined): Hello => ({ ...HELLO, proof });

describe("a validator's node", () => {
  it("is known by what its key has signed about it", () => {
    const { proofs, liars } = scene();
    expect(proofs.validatorOf("peer", helloWith(proveRole(alice, IDENTITY, "peer")))).toBe(alice.id);
    expect(proofs.validatorOf("peer", helloWith(undefined))).toBeUndefined();
    expect(proofs.validatorOf("peer", undefined)).toBeUndefined();
    expect(liars).toEqual([]);
  });

  it.each([
    ["a proof of another node", proveRole(alice, IDENTITY, "other")],
    ["a proof of another chain", proveRole(alice, { ...IDENTITY, chainId: 8n }, "peer")],
    ["a proof of another genesis", proveRole(alice, { ...IDENTITY, genesis: `0x${"22".repeat(32)}` }, "peer")],
    ["another key's signature", { ...proveRole(signerOf("bob"), IDENTITY, "peer"), key: alice.id }],
    ["bytes that are no signature", { key: alice.id, signature: new Uint8Array(96).fill(1) }],
  ])("is not whoever comes with %s", (_, proof) => {
    const { proofs, liars } = scene();
    expect(proofs.validatorOf("peer", helloWith(proof))).toBeUndefined();
    expect(liars).toEqual(["peer"]);
  });

  it("is one only while its key is in the set, and its proof is checked once", () => {
    const it = scene();
    const hello = helloWith(proveRole(alice, IDENTITY, "peer"));
    it.set.clear();
    expect(it.proofs.validatorOf("peer", hello)).toBeUndefined();
    expect(it.verifications).toBe(0);
    it.set.add(alice.id);
    for (let i = 0; i < 3; i++) expect(it.proofs.validatorOf("peer", hello)).toBe(alice.id);
    expect(it.verifications).toBe(1);
    it.set.clear();
    expect(it.proofs.validatorOf("peer", hello)).toBeUndefined();
    expect(it.liars).toEqual([]);
  });
});

describe("between nodes", () => {
  afterEach(async () => {
    await stopRawPeers();
    await stopNodes();
  });

  it("what is for validators goes to those that have proved to be some", async () => {
    const node = await startNode("node", { outboundPeers: 0 });
    const validator = await startNode("validator", { outboundPeers: 0, persistent: [node.address] });
    await connected(node, validator);
    const liar = await RawPeer.connect(node.address, "liar");
    const peer = liar.host.peerId.toString();
    const overheard = proveRole(signerOf("validator"), IDENTITY, validator.network.peerId);
    await liar.greet({ ...HELLO, proof: overheard });
    await node.peers.until(() => node.network.peers().length === 2);
    expect(node.network.broadcast({ type: "vote", vote: voteIn(1) }, "validators")).toBe(1);
    await validator.messages.until((all) => all.length === 1);
    const roles = new Map(node.network.peers().map((status) => [status.peer, status.role]));
    expect(roles.get(validator.network.peerId)).toBe("validator");
    expect(roles.get(peer)).toBe("follower");
    expect(node.network.peers().find((status) => status.peer === peer)?.score).toBeGreaterThan(30);
  });
});
