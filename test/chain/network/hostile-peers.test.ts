/** What a peer that breaks the rules can do, while another one goes on as if nothing were. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { concatBytes } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { frameOf } from "../../../chain/network/frames.ts";
import { topicsOf } from "../../../chain/network/gossip-options.ts";
import type { Timing } from "../../../chain/network/limits.ts";
import { PROTOCOLS } from "../../../chain/network/peer-session.ts";
import { MAX_CONSENSUS_BYTES, MAX_DATA_BYTES, MAX_TRANSACTIONS_BYTES } from "../../../chain/wire/limits.ts";
import type { ChannelName } from "../../../chain/wire/node-message.ts";
import { segmentOf, voteIn } from "./support/messages.ts";
import { anyBlock, connected, GENESIS, QUICK, startNode, stopNodes, type TestNode } from "./support/nodes.ts";
import { framed, HELLO, RawPeer, stopRawPeers } from "./support/raw-peer.ts";

const topics = topicsOf(GENESIS);

let node: TestNode;
let honest: TestNode;

/** Only the tests that wait for a timeout have short ones: a busy machine must not run into them elsewhere. */
async function begin(timing: Partial<Timing> = {}): Promise<void> {
  node = await startNode("node", { outboundPeers: 0, timing: { ...QUICK, ...timing } });
  honest = await startNode("honest", { outboundPeers: 0, persistent: [node.address] });
  await connected(node, honest);
}

beforeEach(() => begin());

async function beginImpatiently(timing: Partial<Timing>): Promise<void> {
  await stopNodes();
  await begin(timing);
}

afterEach(async () => {
  await stopRawPeers();
  await stopNodes();
});

async function honestGoesOn(): Promise<void> {
  const before = [node.messages, honest.messages].map(({ items }) => items.length);
  const fromHonest = () => node.messages.items.filter(({ from }) => from === honest.network.peerId).length;
  const count = fromHonest();
  expect(honest.network.send(node.network.peerId, { type: "vote", vote: voteIn(7) })).toBe(true);
  expect(node.network.send(honest.network.peerId, { type: "block", block: anyBlock(new Uint8Array(10)) })).toBe(true);
  await node.messages.until(() => fromHonest() > count);
  await honest.messages.until((all) => all.length > (before[1] ?? 0));
  expect(
    node.peers.items.filter(({ peer, isConnected }) => peer.peer === honest.network.peerId && !isConnected),
  ).toEqual([]);
  expect(honest.network.peers().map(({ peer }) => peer)).toContain(node.network.peerId);
}

async function banned(raw: RawPeer): Promise<void> {
  const peer = raw.host.peerId.toString();
  await node.log.until((all) =>
    all.some(({ message, data }) => message === "a peer is banned" && "peer" in data && data.peer === peer),
  );
  await raw.closed();
}

/** The reason that the node gave for its end. */
async function disconnected(raw: RawPeer): Promise<string> {
  const peer = raw.host.peerId.toString();
  const ends = () =>
    node.log.items.filter(
      ({ message, data }) => message === "peer disconnected" && "peer" in data && data.peer === peer,
    );
  await node.log.until(() => ends().length > 0);
  const [end] = ends();
  return end !== undefined && "code" in end.data ? String(end.data.code) : "";
}

function noise(length: number, seed: string): Uint8Array {
  const prng = new Prng(seed);
  return Uint8Array.from({ length }, () => prng.uint32() & 0xff);
}

describe("a peer is cut off", () => {
  it.each<ChannelName>(["consensus", "data", "blobs"])(
    "for random bytes on the %s channel, and banned when it repeats",
    async (channel) => {
      for (let attempt = 1; attempt <= 2; attempt++) {
        const raw = await RawPeer.connect(node.address);
        if (channel !== "consensus") await raw.greet();
        const stream = await raw.open(channel);
        stream.send(Uint8Array.from([0xff, ...noise(5_000, `${channel}${attempt}`)]));
        await raw.closed();
        await raw.host.stop();
      }
      await node.log.until((all) => all.some(({ message }) => message === "a peer is banned"));
      await honestGoesOn();
    },
  );

  it("for garbage in well-formed frames", async () => {
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.greet();
    for (let i = 0; i < 20; i++) stream.send(frameOf(noise(1 + i * 13, `garbage ${i}`)));
    await banned(raw);
    await honestGoesOn();
  });

  it("for garbage in the form of a known kind", async () => {
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.greet();
    for (let kind = 2; kind <= 5; kind++)
      stream.send(frameOf(Uint8Array.from([0x92, kind, ...noise(200, `kind ${kind}`)])));
    await banned(raw);
    await honestGoesOn();
  });

  it.each<[ChannelName, number]>([
    ["consensus", MAX_CONSENSUS_BYTES],
    ["data", MAX_DATA_BYTES],
  ])("for announcing a frame on the %s channel that is too long", async (channel, maxBytes) => {
    const raw = await RawPeer.connect(node.address);
    if (channel !== "consensus") await raw.greet();
    const stream = await raw.open(channel);
    const header = new Uint8Array(4);
    new DataView(header.buffer).setUint32(0, maxBytes + 1);
    stream.send(header);
    await raw.closed();
    expect(node.log.items.some(({ message }) => message === "a peer offends")).toBe(true);
    await honestGoesOn();
  });

  it("for half a frame, then silence", async () => {
    await beginImpatiently({ frameTimeout: 300 });
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.greet();
    stream.send(framed({ channel: "consensus", message: { type: "vote", vote: voteIn(1) } }).subarray(0, 50));
    expect(await disconnected(raw)).toBe("NETWORK_SILENT");
    await honestGoesOn();
  });

  it("for saying nothing at all", async () => {
    await beginImpatiently({ helloTimeout: 2_000 });
    const raw = await RawPeer.connect(node.address);
    expect(await disconnected(raw)).toBe("NETWORK_NO_HELLO");
    await honestGoesOn();
  });

  it("for a message before its hello", async () => {
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.open("consensus");
    stream.send(framed({ channel: "consensus", message: { type: "vote", vote: voteIn(1) } }));
    expect(await disconnected(raw)).toBe("NETWORK_NO_HELLO");
    expect(node.messages.items).toEqual([]);
    await honestGoesOn();
  });

  it("for saying hello again and again", async () => {
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.greet();
    const hello = framed({ channel: "consensus", message: { type: "hello", hello: HELLO } });
    for (let i = 0; i < 30; i++) stream.send(hello);
    await banned(raw);
    await honestGoesOn();
  });

  it("for a flood of votes, of which few are delivered", async () => {
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.greet();
    const vote = framed({ channel: "consensus", message: { type: "vote", vote: voteIn(1) } });
    stream.send(concatBytes(...Array.from({ length: 20_000 }, () => vote)));
    await banned(raw);
    expect(node.messages.items.length).toBeLessThan(10_000);
    await honestGoesOn();
  });

  it("but not for a flood of votes when it is a validator: what is too much is lost", async () => {
    for (let view = 1; view <= 20_000; view++)
      honest.network.send(node.network.peerId, { type: "vote", vote: voteIn(view) });
    await node.log.until((all) => all.filter(({ message }) => message === "a peer offends").length > 1_000);
    expect(node.messages.items.length).toBeLessThan(10_000);
    expect(node.log.items.map(({ message }) => message)).not.toContain("a peer is banned");
    // Its rate lets the next ones pass after a while.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await honestGoesOn();
  });

  it("for addresses that nobody asked for", async () => {
    const raw = await RawPeer.connect(node.address);
    await raw.greet();
    const stream = await raw.open("data");
    const peers = framed({ channel: "data", message: { type: "peers", addresses: [] } });
    for (let i = 0; i < 100; i++) stream.send(peers);
    await banned(raw);
    await honestGoesOn();
  });

  it("for not taking what is sent to it", async () => {
    await beginImpatiently({ drainTimeout: 500 });
    const raw = await RawPeer.connect(node.address, "raw", false);
    await raw.greet();
    const peer = raw.host.peerId.toString();
    await node.peers.until(() => node.network.peers().some((status) => status.peer === peer));
    const block = anyBlock(new Uint8Array(4_000_000));
    while (node.network.send(peer, { type: "block", block }));
    expect(await disconnected(raw)).toMatch(/NETWORK_SILENT|NETWORK_CLOSED/);
    await honestGoesOn();
  });

  it("for having the most waiting when too much waits for all together", async () => {
    await stopNodes();
    node = await startNode("node", { outboundPeers: 0, maxOutgoingBytes: 40_000_000 });
    honest = await startNode("honest", { outboundPeers: 0, persistent: [node.address] });
    await connected(node, honest);
    const [greedy, slow] = [
      await RawPeer.connect(node.address, "greedy", false),
      await RawPeer.connect(node.address, "slow", false),
    ];
    await greedy.greet();
    await slow.greet();
    await node.peers.until(() => node.network.peers().length === 3);
    const send = (raw: RawPeer, byte: number) =>
      node.network.send(raw.host.peerId.toString(), {
        type: "block",
        block: anyBlock(new Uint8Array(8_000_000).fill(byte)),
      });
    expect(send(slow, 1)).toBe(true);
    expect([2, 3, 4].map((byte) => send(greedy, byte))).toEqual([true, true, true]);
    // Its own is little: room is made for it by whom most waits for.
    expect(send(slow, 5)).toBe(true);
    await greedy.closed();
    expect(node.network.peers().map(({ peer }) => peer)).toContain(slow.host.peerId.toString());
    await honestGoesOn();
  });

  it("for having begun the most when too much of unfinished messages has come from all together", async () => {
    await stopNodes();
    node = await startNode("node", { outboundPeers: 0, maxPartialBytes: 1_000_000 });
    honest = await startNode("honest", { outboundPeers: 0, persistent: [node.address], validator: undefined });
    await connected(node, honest);
    const idle: RawPeer[] = [];
    for (let i = 0; i < 4; i++) {
      const raw = await RawPeer.connect(node.address, `idle ${i}`);
      idle.push(raw);
      await raw.greet();
      const peer = raw.host.peerId.toString();
      await node.peers.until(() => node.network.peers().some((status) => status.peer === peer));
      const stream = await raw.open("data");
      // Nearly all that there is room for, of messages that never end, and no more than a stream's window at once.
      stream.send(frameOf(new Uint8Array(2_000_000)).subarray(0, 240_000));
      // Its answer comes after all that was sent before.
      await raw.open("blobs");
    }
    const block = anyBlock(new Uint8Array(200_000).fill(1));
    for (let count = 1; count <= 5; count++) {
      expect(honest.network.send(node.network.peerId, { type: "block", block })).toBe(true);
      await node.messages.until((all) => all.length === count);
    }
    await Promise.any(idle.map((raw) => raw.closed()));
    const offenders = node.log.items.flatMap(({ message, data }) =>
      message === "a peer offends" && "peer" in data ? [data.peer] : [],
    );
    expect(offenders).not.toContain(honest.network.peerId);
    await honestGoesOn();
  });

  it("for opening a channel twice", async () => {
    const raw = await RawPeer.connect(node.address);
    await raw.greet();
    const peer = raw.host.peerId.toString();
    await node.peers.until(() => node.network.peers().some((status) => status.peer === peer));
    const second = await raw.host.dial(raw.connection.remoteAddr, { force: true });
    expect(second.id).not.toBe(raw.connection.id);
    await second.newStream(PROTOCOLS.consensus).catch(() => {});
    expect(await disconnected(raw)).toBe("NETWORK_REPLACED");
    await honestGoesOn();
  });

  it("and stays out while it is banned", async () => {
    const raw = await RawPeer.connect(node.address);
    const stream = await raw.greet();
    for (let i = 0; i < 20; i++) stream.send(frameOf(noise(40, `garbage ${i}`)));
    await banned(raw);
    await raw.host.stop();
    const connections = node.log.items.filter(({ message }) => message === "peer connected").length;
    const again = await RawPeer.connect(node.address).catch(() => undefined);
    await again?.greet().catch(() => undefined);
    await again?.closed();
    await honestGoesOn();
    expect(node.log.items.filter(({ message }) => message === "peer connected").length).toBe(connections);
  });
});

describe("gossip of a hostile peer", () => {
  async function gossiping(): Promise<RawPeer> {
    const raw = await RawPeer.connect(node.address);
    await raw.greet();
    const peer = raw.host.peerId.toString();
    await node.peers.until(() => node.network.peers().some((status) => status.peer === peer));
    return raw;
  }

  /** Until so many messages have left: gossipsub drops what it has no stream for yet. */
  async function publish(raw: RawPeer, topic: string, count: number, make: (i: number) => Uint8Array): Promise<void> {
    for (let i = 0, sent = 0; sent < count && raw.connection.status === "open"; i++) {
      const { recipients } = await raw.host.services.gossip.publish(topic, make(i));
      if (recipients.length > 0) sent++;
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** As encodeTransactions writes it: a list of one, and one claim. */
  const oneTransaction = (i: number) => Uint8Array.of(0x92, 0x91, 0xc4, 1, i & 0xff, 0xc4, 8, ...new Uint8Array(8));

  it.each([
    ["garbage", (i: number) => noise(100 + i, `gossip ${i}`)],
    ["messages that are too long", (i: number) => new Uint8Array(MAX_TRANSACTIONS_BYTES + 1 + i)],
  ])("cuts it off: %s", async (_, make) => {
    const raw = await gossiping();
    await publish(raw, topics.transactions, 4, make);
    await banned(raw);
    expect(node.transactions.items).toEqual([]);
    expect(honest.transactions.items).toEqual([]);
    await honestGoesOn();
  });

  it("cannot hide a message by being the first to bring it, before its hello", async () => {
    const raw = await RawPeer.connect(node.address);
    await publish(raw, topics.transactions, 1, oneTransaction);
    await node.transactions.until((all) => all.length === 1);
    await honestGoesOn();
  });

  it("does not reach nodes that do not ask for it: validators hear no final blocks", async () => {
    const raw = await gossiping();
    await publish(raw, topics.transactions, 1, oneTransaction);
    await raw.host.services.gossip.publish(topics.finals, noise(10, "final"));
    honest.network.publishFinalBlock(segmentOf(5));
    await honestGoesOn();
    expect(node.finals.items).toEqual([]);
  });

  it("survives random bytes on gossipsub's own stream", async () => {
    const raw = await gossiping();
    const stream = await raw.connection.newStream("/meshsub/1.2.0");
    stream.send(noise(5_000, "meshsub"));
    await honestGoesOn();
  });
});
