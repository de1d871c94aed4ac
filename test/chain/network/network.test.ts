import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { readPeers, writePeers } from "../../../chain/network/peers-file.ts";
import { NO_CLAIM } from "../../../chain/senders/claim.ts";
import type { NodeMessage } from "../../../chain/wire/node-message.ts";
import { CERTIFICATE, segmentOf, voteIn } from "./support/messages.ts";
import { anyBlock, connected, GENESIS, signerOf, startNode, stopNodes, type TestNode } from "./support/nodes.ts";

afterEach(stopNodes);

/** Dials nobody but its persistent peers. */
const ALONE = { outboundPeers: 0 };

async function pair(): Promise<[TestNode, TestNode]> {
  const a = await startNode("a", ALONE);
  const b = await startNode("b", { ...ALONE, persistent: [a.address] });
  await connected(a, b);
  return [a, b];
}

/** The disconnections that a node saw. */
function losses(node: TestNode): number {
  return node.peers.items.filter(({ isConnected }) => !isConnected).length;
}

describe("two nodes", () => {
  it("know each other after their hellos", async () => {
    const a = await startNode("a", { validator: undefined, agent: "ogpu/1.2" });
    a.height = 5;
    const b = await startNode("b", { persistent: [a.address] });
    await connected(a, b);
    expect(b.network.peers()).toMatchObject([
      {
        peer: a.network.peerId,
        role: "follower",
        height: 5,
        agent: "ogpu/1.2",
        direction: "outbound",
        isPersistent: true,
      },
    ]);
    expect(a.network.peers()).toMatchObject([{ peer: b.network.peerId, role: "validator", direction: "inbound" }]);
  });

  it("exchange votes both ways", async () => {
    const [a, b] = await pair();
    expect(a.network.send(b.network.peerId, { type: "vote", vote: voteIn(1) })).toBe(true);
    expect(b.network.send(a.network.peerId, { type: "vote", vote: voteIn(2) })).toBe(true);
    await Promise.all([a.messages.until((all) => all.length === 1), b.messages.until((all) => all.length === 1)]);
    expect(b.messages.items).toEqual([{ from: a.network.peerId, message: { type: "vote", vote: voteIn(1) } }]);
    expect(a.messages.items).toEqual([{ from: b.network.peerId, message: { type: "vote", vote: voteIn(2) } }]);
  });

  it("exchange every kind of message, in order on each channel", async () => {
    const [a, b] = await pair();
    const block = anyBlock(new Uint8Array(70_000).fill(9));
    const consensus: NodeMessage[] = [
      { type: "proposal", proposal: { vote: { ...voteIn(4), kind: "PROPOSE" }, block, parentView: 3 } },
      { type: "vote", vote: voteIn(4) },
      { type: "certificate", certificate: CERTIFICATE },
    ];
    const data: NodeMessage[] = [
      { type: "fetch-block", hash: GENESIS },
      { type: "fetch-certificates", epoch: 1, from: 2, to: 3 },
      { type: "fetch-finals", height: 10 },
      { type: "block", block },
      { type: "finals", segments: [segmentOf(100), segmentOf(200)] },
      { type: "get-chunk", id: 1, root: GENESIS, first: new Uint8Array(32), last: new Uint8Array(32), limit: 5 },
      { type: "refused", id: 1, reason: "busy" },
    ];
    for (const message of [...consensus, ...data]) expect(a.network.send(b.network.peerId, message)).toBe(true);
    await b.messages.until((all) => all.length === consensus.length + data.length);
    const received = b.messages.items.map(({ message }) => message);
    const isConsensus = ({ type }: NodeMessage) => consensus.some((message) => message.type === type);
    expect(received.filter(isConsensus)).toEqual(consensus);
    expect(received.filter((message) => !isConsensus(message))).toEqual(data);
  });

  it("send votes past a queue of bulk", async () => {
    const [a, b] = await pair();
    const block = anyBlock(new Uint8Array(8_000_000).fill(9));
    for (let i = 0; i < 6; i++) expect(a.network.send(b.network.peerId, { type: "block", block })).toBe(true);
    a.network.send(b.network.peerId, { type: "vote", vote: voteIn(1) });
    await b.messages.until((all) => all.length === 7);
    expect(b.messages.items.findIndex(({ message }) => message.type === "vote")).toBeLessThan(6);
  });

  it("refuse to queue more than the bound for one peer", async () => {
    const [a, b] = await pair();
    const block = anyBlock(new Uint8Array(8_000_000).fill(9));
    const sent = Array.from({ length: 12 }, () => a.network.send(b.network.peerId, { type: "block", block }));
    expect(sent[0]).toBe(true);
    expect(sent[11]).toBe(false);
    const accepted = sent.filter((isSent) => isSent).length;
    await b.messages.until((all) => all.length === accepted);
    expect(a.network.send(b.network.peerId, { type: "block", block })).toBe(true);
  });

  it("hear of each other's height", async () => {
    const [a, b] = await pair();
    a.height = 42;
    a.network.announceStatus();
    a.network.send(b.network.peerId, { type: "vote", vote: voteIn(1) });
    await b.messages.until((all) => all.length === 1);
    expect(b.network.peers()[0]?.height).toBe(42);
  });

  it("say that a message to a stranger is lost", async () => {
    const a = await startNode("a");
    expect(a.network.send("12D3KooWnobody", { type: "vote", vote: voteIn(1) })).toBe(false);
    expect(a.network.broadcast({ type: "vote", vote: voteIn(1) }, "all")).toBe(0);
  });

  it("connect when both dial at the same time", async () => {
    const first = await startNode("a", ALONE);
    await first.network.stop();
    const b = await startNode("b", { ...ALONE, persistent: [first.address] });
    const a = await startNode("a", { ...ALONE, listen: [listenOf(first.address)], persistent: [b.address] });
    await connected(a, b);
    a.network.broadcast({ type: "vote", vote: voteIn(1) }, "all");
    b.network.broadcast({ type: "vote", vote: voteIn(2) }, "all");
    await Promise.all([a.messages.until((all) => all.length > 0), b.messages.until((all) => all.length > 0)]);
  });
});

function listenOf(address: string): string {
  return address.replace(/\/p2p\/.*$/, "");
}

describe("a broadcast", () => {
  it("to validators leaves followers out", async () => {
    const a = await startNode("a", ALONE);
    const validator = await startNode("validator", { ...ALONE, persistent: [a.address] });
    const follower = await startNode("follower", { ...ALONE, persistent: [a.address], validator: undefined });
    await Promise.all([connected(a, validator), connected(a, follower)]);
    expect(a.network.broadcast({ type: "vote", vote: voteIn(1) }, "validators")).toBe(1);
    expect(a.network.broadcast({ type: "certificate", certificate: CERTIFICATE }, "all")).toBe(2);
    await Promise.all([
      validator.messages.until((all) => all.length === 2),
      follower.messages.until((all) => all.length === 1),
    ]);
    expect(validator.messages.items.map(({ message }) => message.type)).toEqual(["vote", "certificate"]);
    expect(follower.messages.items.map(({ message }) => message.type)).toEqual(["certificate"]);
  });
});

describe("gossip", () => {
  /** a - b - c, where a and c do not know each other. */
  async function line(): Promise<[TestNode, TestNode, TestNode]> {
    const b = await startNode("b", { ...ALONE, validator: undefined });
    const a = await startNode("a", { ...ALONE, persistent: [b.address] });
    const c = await startNode("c", { ...ALONE, persistent: [b.address], validator: undefined });
    await Promise.all([connected(a, b), connected(c, b)]);
    // gossipsub takes new peers into its mesh once a second. Until then, nothing is passed on to them.
    for (let count = 1; c.transactions.items.length === 0 || c.finals.items.length === 0; count++) {
      a.network.publishTransactions([{ raw: new Uint8Array(count) }]);
      a.network.publishFinalBlock(segmentOf(count));
      await b.transactions.until((all) => all.length >= count);
    }
    return [a, b, c];
  }

  /** Transactions that did not serve to find out whether the mesh is there. */
  const heard = ({ transactions }: TestNode) =>
    transactions.items.flatMap(({ batch }) => batch.map(({ raw }) => [...raw])).filter(([first]) => first !== 0);

  it("carries transactions along a line of three nodes", async () => {
    const [a, b, c] = await line();
    const claim = 0x0123456789abcdefn;
    a.network.publishTransactions([{ raw: Uint8Array.of(1, 2, 3), claim }, { raw: Uint8Array.of(4, 5) }]);
    await c.transactions.until(() => heard(c).length === 2);
    expect(heard(c)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(c.transactions.items.at(-1)?.batch.map((one) => one.claim)).toEqual([claim, NO_CLAIM]);
    expect(c.transactions.items.every(({ from }) => from === b.network.peerId)).toBe(true);
  });

  it("keeps transactions until somebody listens", async () => {
    const a = await startNode("a", ALONE);
    a.network.publishTransactions([{ raw: Uint8Array.of(1) }]);
    const b = await startNode("b", { ...ALONE, persistent: [a.address] });
    await b.transactions.until((all) => all.length === 1);
  });

  it("stops where a handler ignores or rejects", async () => {
    const [a, b, c] = await line();
    b.verdict = "ignore";
    a.network.publishTransactions([{ raw: Uint8Array.of(1) }]);
    await b.transactions.until(() => heard(b).length === 1);
    b.verdict = "reject";
    a.network.publishTransactions([{ raw: Uint8Array.of(2) }]);
    await b.transactions.until(() => heard(b).length === 2);
    b.verdict = "accept";
    a.network.publishTransactions([{ raw: Uint8Array.of(3) }]);
    await c.transactions.until(() => heard(c).length === 1);
    expect(heard(c)).toEqual([[3]]);
    const scores = b.network.peers().map(({ peer, score }) => [peer, score > 0]);
    expect(scores).toContainEqual([a.network.peerId, true]);
    expect(scores).toContainEqual([c.network.peerId, false]);
  });

  it("carries many transactions in few messages", async () => {
    const [a, , c] = await line();
    const before = c.transactions.items.length;
    const raws = Array.from({ length: 3_000 }, (_, i) => new Uint8Array(110).fill(1 + (i % 255)));
    a.network.publishTransactions(raws.map((raw) => ({ raw })));
    await c.transactions.until(() => heard(c).length === raws.length);
    expect(c.transactions.items.length - before).toBeLessThan(6);
  });

  it("carries final blocks to followers only", async () => {
    const [a, b, c] = await line();
    const has = (node: TestNode, size: number) =>
      node.finals.until((all) => all.some(({ segment }) => segment.blocks[0]?.height === size));
    a.network.publishFinalBlock(segmentOf(50_000));
    await Promise.all([has(b, 50_000), has(c, 50_000)]);
    c.network.publishFinalBlock(segmentOf(60_000));
    await has(b, 60_000);
    expect(a.finals.items).toEqual([]);
  });
});

describe("a validator's node", () => {
  it("hears final blocks while its key is not in the set, and only then", async () => {
    const a = await startNode("a", { ...ALONE, validator: undefined });
    const b = await startNode("b", { ...ALONE, persistent: [a.address] });
    await connected(a, b);
    const leaves = async (first: number): Promise<void> => {
      b.isValidator = () => false;
      const count = b.finals.items.length;
      for (let size = first; b.finals.items.length === count; size++) {
        a.network.publishFinalBlock(segmentOf(size));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await leaves(100);
    b.isValidator = () => true;
    // What comes on another topic after a final block that it does not hear shows that it hears none any more.
    for (let count = 1, before = -1; before !== b.finals.items.length; count++) {
      before = b.finals.items.length;
      a.network.publishFinalBlock(segmentOf(10_000 + count));
      a.network.publishTransactions([{ raw: new Uint8Array(count) }]);
      await b.transactions.until((all) => all.length >= count);
    }
    await leaves(20_000);
  });
});

describe("a peer of another", () => {
  it.each([
    ["chain", { chainId: 8n }, "NETWORK_WRONG_CHAIN"],
    ["genesis block", { genesis: `0x${"99".repeat(32)}` as const }, "NETWORK_WRONG_GENESIS"],
  ])("%s is turned away, and both sides are told why", async (_, other, code) => {
    const a = await startNode("a");
    const b = await startNode("b", { ...other, persistent: [a.address] });
    await Promise.all([a.refused.until((all) => all.length > 0), b.refused.until((all) => all.length > 0)]);
    expect(a.refused.items[0]).toMatchObject({ peer: b.network.peerId, reason: { code } });
    expect(b.refused.items[0]).toMatchObject({ peer: a.network.peerId, reason: { code } });
    expect([a.network.peers(), b.network.peers(), a.peers.items, b.peers.items]).toEqual([[], [], [], []]);
  });
});

describe("a node that was restarted with its key", () => {
  it("is found again by the peer that wants it", async () => {
    const first = await startNode("a", ALONE);
    const b = await startNode("b", { ...ALONE, persistent: [first.address] });
    await connected(first, b);
    await first.network.stop();
    await b.peers.until(() => losses(b) === 1);
    const again = await startNode("a", { ...ALONE, listen: [listenOf(first.address)] });
    await connected(again, b);
    expect(again.network.peerId).toBe(first.network.peerId);
    again.network.broadcast({ type: "vote", vote: voteIn(1) }, "all");
    b.network.publishTransactions([{ raw: Uint8Array.of(1) }]);
    await Promise.all([
      b.messages.until((all) => all.length === 1),
      again.transactions.until((all) => all.length === 1),
    ]);
  });

  it("comes back by itself, on another port", async () => {
    const b = await startNode("b", ALONE);
    const first = await startNode("a", { ...ALONE, persistent: [b.address] });
    await connected(first, b);
    await first.network.stop();
    await b.peers.until(() => losses(b) === 1);
    const again = await startNode("a", { ...ALONE, persistent: [b.address] });
    await connected(again, b);
    b.network.broadcast({ type: "vote", vote: voteIn(1) }, "all");
    await again.messages.until((all) => all.length === 1);
  });
});

describe("peer exchange", () => {
  it("finds a third node by way of the second", async () => {
    const a = await startNode("a", ALONE);
    const b = await startNode("b", { ...ALONE, persistent: [a.address] });
    await connected(a, b);
    const c = await startNode("c", { bootstrap: [b.address] });
    await connected(c, a);
    expect(new Set(c.network.peers().map(({ peer }) => peer))).toEqual(new Set([a.network.peerId, b.network.peerId]));
  });
});

describe("a full node", () => {
  it("turns others away, but not persistent peers", async () => {
    const c = await startNode("c", ALONE);
    const a = await startNode("a", { ...ALONE, maxPeers: 1, persistent: [c.address] });
    await connected(a, c);
    const b = await startNode("b", { ...ALONE, persistent: [a.address] });
    await b.log.until((all) => all.some(({ message }) => /cannot reach a peer|peer disconnected/.test(message)));
    expect(a.network.peers().map(({ peer }) => peer)).toEqual([c.network.peerId]);
    expect(b.network.peers()).toEqual([]);
  });
});

describe("when all places are taken", () => {
  /** A node with one inbound place, which a peer has that brought something. */
  async function full(): Promise<[TestNode, TestNode]> {
    const node = await startNode("node", { ...ALONE, maxPeers: 1 });
    const first = await startNode("first", { ...ALONE, validator: undefined, persistent: [node.address] });
    await connected(node, first);
    return [node, first];
  }

  it("a newcomer pushes nobody out", async () => {
    const [node, first] = await full();
    const second = await startNode("second", { ...ALONE, validator: undefined, persistent: [node.address] });
    await node.refused.until((all) => all.length > 0);
    expect(node.refused.items[0]?.reason.code).toBe("NETWORK_FULL");
    expect(node.refused.items[0]?.peer).toBe(second.network.peerId);
    expect(node.network.peers().map(({ peer }) => peer)).toEqual([first.network.peerId]);
    expect(losses(node)).toBe(0);
  });

  it("a validator takes the place of a peer that is none, and of no other validator", async () => {
    const [node, first] = await full();
    const validator = await startNode("validator", { ...ALONE, persistent: [node.address] });
    await node.peers.until(() => node.network.peers().some(({ peer }) => peer === validator.network.peerId));
    await node.peers.until(() => losses(node) === 1);
    expect(node.peers.items.find(({ isConnected }) => !isConnected)?.peer.peer).toBe(first.network.peerId);
    const other = await startNode("other", { ...ALONE, persistent: [node.address] });
    await node.refused.until((all) => all.some(({ peer }) => peer === other.network.peerId));
    expect(node.network.peers().map(({ peer }) => peer)).toEqual([validator.network.peerId]);
  });

  it("one validator has one place, however many nodes it has", async () => {
    const node = await startNode("node", { ...ALONE, maxPeers: 2, outboundPeers: 0 });
    const ordinary = await startNode("ordinary", { ...ALONE, validator: undefined, persistent: [node.address] });
    await connected(node, ordinary);
    const validator = signerOf("validator");
    const one = await startNode("one", { ...ALONE, validator, persistent: [node.address] });
    await connected(node, one);
    const two = await startNode("two", { ...ALONE, validator, persistent: [node.address] });
    await node.refused.until((all) => all.some(({ peer }) => peer === two.network.peerId));
    expect(losses(node)).toBe(0);
  });
});

describe("a node that was here before", () => {
  it("finds its network again by the peers that lasted, without anybody's help", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ogpu-network-"));
    try {
      const peersFile = join(folder, "peers.json");
      const a = await startNode("a", ALONE);
      await writePeers(peersFile, [{ peer: a.network.peerId, addresses: [a.address], lasted: 60_000 }]);
      const b = await startNode("b", { peersFile });
      await connected(a, b);
      await b.network.stop();
      expect(await readPeers(peersFile)).toMatchObject([{ peer: a.network.peerId, addresses: [a.address] }]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("goes on without a file that cannot be read or written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ogpu-network-"));
    try {
      const peersFile = join(folder, "folder");
      mkdirSync(peersFile);
      const a = await startNode("a", ALONE);
      const b = await startNode("b", { ...ALONE, persistent: [a.address], peersFile });
      await connected(a, b);
      await b.network.stop();
      const warnings = b.log.items.filter(({ level }) => level === "warn").map(({ message }) => message);
      expect(warnings).toEqual(["cannot read the peers of the last time", "cannot keep the peers"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a handler that throws", () => {
  it("costs the sender score when the error has a code, and in the end the connection", async () => {
    const [a, b] = await pair();
    a.failure = new CodedError("BLOCK_MALFORMED", "no block");
    for (let view = 1; view <= 3; view++) b.network.send(a.network.peerId, { type: "vote", vote: voteIn(view) });
    await a.peers.until(() => losses(a) === 1);
    expect(a.network.peers()).toEqual([]);
    expect(a.log.items.map(({ message }) => message)).toContain("a peer is banned");
  });

  it("is reported as our bug otherwise, and costs nobody anything", async () => {
    const [a, b] = await pair();
    a.failure = new TypeError("oops");
    for (let view = 1; view <= 9; view++) b.network.send(a.network.peerId, { type: "vote", vote: voteIn(view) });
    await a.messages.until((all) => all.length === 9);
    expect(a.network.peers()).toMatchObject([{ score: 0 }]);
    expect(a.log.items.filter(({ level }) => level === "error").length).toBe(9);
  });
});

describe("starting", () => {
  it.each(["/ip4/127.0.0.1/tcp/1", "/ip4/127.0.0.1/udp/1/p2p/12D3KooWGzh", "nonsense"])(
    "refuses the peer address %s",
    async (address) => {
      await expect(startNode("a", { persistent: [address] })).rejects.toMatchObject({ code: "NETWORK_BAD_ADDRESS" });
    },
  );

  it("refuses a key that is none, and an address that is taken", async () => {
    await expect(startNode("a", { nodeKey: new Uint8Array(31) })).rejects.toMatchObject({ code: "NETWORK_BAD_KEY" });
    const a = await startNode("a");
    await expect(startNode("b", { listen: [listenOf(a.address)] })).rejects.toMatchObject({
      code: "NETWORK_CANNOT_LISTEN",
    });
  });
});

describe("stopping", () => {
  it("leaves no socket, and can be done twice", async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
    const before = sockets();
    const [a, b] = await pair();
    expect(sockets()).toBeGreaterThan(before);
    await Promise.all([a.network.stop(), b.network.stop()]);
    await a.network.stop();
    expect(sockets()).toBeLessThanOrEqual(before);
    expect(a.network.send(b.network.peerId, { type: "vote", vote: voteIn(1) })).toBe(false);
    a.network.publishTransactions([{ raw: Uint8Array.of(1) }]);
  });
});
