/** Blobs between nodes over real libp2p, each with a store on disk. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { BlobExchange, type BlobPart } from "../../../chain/runtime/blob-exchange.ts";
import { systemClock } from "../../../chain/runtime/clock.ts";
import { isBlobMessage } from "../../../chain/wire/blobs.ts";
import { BlobParts, PART_BYTES } from "../../../compute/agent/blobs/blob-parts.ts";
import { BlobService } from "../../../compute/agent/blobs/blob-service.ts";
import { BlobStore } from "../../../compute/agent/blobs/blob-store.ts";
import { PEERS, PeerBlobs } from "../../../compute/agent/blobs/peer-blobs.ts";
import { type BlobLimits, PEER_LIMITS } from "../../../compute/agent/limits.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { connected, startNode, stopNodes, type TestNode } from "./support/nodes.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-blob-peers-"));
const stores: BlobStore[] = [];
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await stopNodes();
  for (const store of stores.splice(0)) await store.close();
  rmSync(root, { recursive: true, force: true });
});

interface Keeper {
  readonly node: TestNode;
  readonly store: BlobStore;
  readonly exchange: BlobExchange;
  readonly elsewhere: PeerBlobs;
  /** Parts that it was asked for. */
  readonly asked: number[];
  /** How often it was asked whether it has one. */
  finds: number;
  /** What it answers instead of the truth. */
  lie: (part: BlobPart | undefined, at: number) => Promise<BlobPart | undefined>;
  lieLength: (length: number | undefined) => number | undefined;
}

async function keeper(name: string, others: readonly Keeper[], limits: Partial<BlobLimits> = {}): Promise<Keeper> {
  const node = await startNode(name, { outboundPeers: 0, persistent: others.map((other) => other.node.address) });
  const store = await BlobStore.open(join(root, name), { limits });
  stores.push(store);
  const failures: unknown[] = [];
  const exchange = new BlobExchange(systemClock, (error) => failures.push(error));
  exchange.network = node.network;
  const parts = new BlobParts(store);
  const elsewhere = new PeerBlobs(store, {
    peers: () => Promise.resolve(exchange.peers()),
    find: (peer, address) => exchange.find(peer, address),
    part: (peer, address, part) => exchange.part(peer, address, part),
    blame: (peer) => exchange.blame(peer),
  });
  const own: Keeper = {
    ...{ node, store, exchange, elsewhere, asked: [], finds: 0 },
    lie: (part) => Promise.resolve(part),
    lieLength: (length) => length,
  };
  exchange.source = {
    find: (address) => {
      own.finds++;
      return Promise.resolve(own.lieLength(parts.length(address)));
    },
    part: async (address, part) => {
      own.asked.push(part);
      return await own.lie(await parts.part(address, part), part);
    },
  };
  node.receive = (from, message) => {
    if (isBlobMessage(message)) exchange.onMessage(from, message);
  };
  node.gone = (peer) => exchange.onGone(peer);
  for (const other of others) await connected(node, other.node);
  return own;
}

/** Any bytes, others for each length: a generator for each byte would take seconds. */
function contentsOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = Math.imul(i + length, 0x9e3779b1) >>> 11;
  return bytes;
}

/** Comparing them element by element would take seconds too. */
function isSame(bytes: Uint8Array | undefined, contents: Uint8Array): boolean {
  return bytes !== undefined && Buffer.compare(bytes, contents) === 0;
}

async function offences(by: Keeper, of: Keeper): Promise<number> {
  const { peerId } = of.node.network;
  const items = by.node.log.items.filter(({ message }) => message === "a peer offends");
  return items.filter(({ data }) => "peer" in data && data.peer === peerId).length;
}

it.each([0, 1, 1_024, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES, 5 * PART_BYTES + 777])(
  "a blob of %i bytes comes from a peer that has it, whole and checked",
  async (length) => {
    const a = await keeper("a", []);
    const b = await keeper("b", [a]);
    const contents = contentsOf(length);
    const address = await a.store.put(contents);
    expect(await b.elsewhere.search(address)).toBe(true);
    expect(isSame(await b.store.read(address), contents)).toBe(true);
    expect(b.store.entry(address)).toMatchObject({ owner: PEERS, bytes: length });
    expect(await offences(b, a)).toBe(0);
  },
);

it("who asks a node over HTTP gets what only a peer of it has; what nobody has is absent", async () => {
  const a = await keeper("a", []);
  const b = await keeper("b", [a]);
  const contents = contentsOf(2 * PART_BYTES + 5);
  const address = await a.store.put(contents);
  const service = new BlobService(b.store, { search: (wanted) => b.elsewhere.search(wanted) });
  const server = createServer((request, response) => service.handle(request, response)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/blobs`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(`${base}/${address}`)));
  for (const answer of answers) expect(isSame(new Uint8Array(await answer.arrayBuffer()), contents)).toBe(true);
  // All of them waited for one search.
  expect(a.finds).toBe(1);
  expect(a.asked.length).toBe(3);
  const absent = await fetch(`${base}/0x${"ab".repeat(32)}`);
  expect([absent.status, ((await absent.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    "BLOB_ABSENT",
  ]);
});

it("goes on from another peer where the first one died, with what is already there", async () => {
  const a = await keeper("a", []);
  const c = await keeper("c", [a]);
  const contents = contentsOf(12 * PART_BYTES + 9);
  const address = await a.store.put(contents);
  a.lie = async (part, at) => {
    if (at >= 9) await a.node.network.stop();
    return part;
  };
  expect(await c.elsewhere.search(address)).toBe(false);
  expect(c.store.has(address)).toBe(false);
  const b = await keeper("b", [c]);
  await b.store.put(contents);
  while (!(await c.elsewhere.search(address))) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isSame(await c.store.read(address), contents)).toBe(true);
  expect(Math.min(...b.asked)).toBe(9);
});

it.each<[string, (liar: Keeper) => unknown]>([
  [
    "changes a byte",
    (liar) => flip(liar, (part) => ({ ...part, bytes: part.bytes.map((byte, i) => (i === 7 ? byte ^ 1 : byte)) })),
  ],
  ["gives another part", (liar) => flip(liar, (part) => ({ ...part, bytes: part.bytes.subarray(0, 1_024) }))],
  [
    "gives other hashes",
    (liar) => flip(liar, (part) => ({ ...part, siblings: part.siblings.map((hash) => hash.map((byte) => byte ^ 1)) })),
  ],
  ["gives no hashes", (liar) => flip(liar, (part) => ({ ...part, siblings: [] }))],
  [
    "says another length",
    (liar) => Object.assign(liar, { lieLength: (length: number | undefined) => length && length - 1 }),
  ],
])("a peer that %s pays for it, and the blob comes from an honest one", async (_, corrupt) => {
  const liar = await keeper("liar", []);
  const honest = await keeper("honest", []);
  const c = await keeper("c", [liar, honest]);
  const contents = contentsOf(6 * PART_BYTES + 100);
  const address = await liar.store.put(contents);
  corrupt(liar);
  // Alone, it brings nothing that is kept.
  expect(await c.elsewhere.search(address)).toBe(false);
  expect(c.store.has(address)).toBe(false);
  expect(await offences(c, liar)).toBeGreaterThan(0);
  await honest.store.put(contents);
  while (!(await c.elsewhere.search(address))) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isSame(await c.store.read(address), contents)).toBe(true);
  expect(await offences(c, honest)).toBe(0);
});

function flip(liar: Keeper, change: (part: BlobPart) => BlobPart): void {
  liar.lie = (part) => Promise.resolve(part && change(part));
}

it("a peer that goes on lying is banned", async () => {
  const liar = await keeper("liar", []);
  const c = await keeper("c", [liar]);
  flip(liar, (part) => ({ ...part, bytes: part.bytes.map((byte) => byte ^ 1) }));
  for (let i = 1; c.exchange.peers().length > 0; i++) await c.elsewhere.search(await liar.store.put(contentsOf(i)));
  expect(c.node.log.items.some(({ message }) => message === "a peer is banned")).toBe(true);
});

it("what peers bring stays within its quota, and pushes nothing of the operator's out", async () => {
  const a = await keeper("a", []);
  const room = { totalBytes: 4 * PART_BYTES, ownerBytes: 2 * PART_BYTES, blobBytes: 2 * PART_BYTES };
  const b = await keeper("b", [a], room);
  const own = await b.store.put(contentsOf(2 * PART_BYTES - 1), "own");
  const large = await a.store.put(contentsOf(2 * PART_BYTES + 1));
  expect(await b.elsewhere.search(large)).toBe(false);
  const first = await a.store.put(contentsOf(PART_BYTES + 1));
  const second = await a.store.put(contentsOf(PART_BYTES + 2));
  expect(await b.elsewhere.search(first)).toBe(true);
  const outcome = await b.elsewhere.search(second).catch((error: unknown) => isCoded(error, "BLOB_QUOTA") && "quota");
  expect([true, "quota"]).toContain(outcome);
  expect(b.store.has(own)).toBe(true);
  expect(b.store.bytes).toBeLessThanOrEqual(room.totalBytes);
  const brought = [...b.store.entries()].filter(({ owner }) => owner === PEERS);
  expect(brought.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(room.ownerBytes);
});

it("answers only so much at a time for one peer, and says so at once", async () => {
  const a = await keeper("a", []);
  const b = await keeper("b", [a]);
  const address = await a.store.put(contentsOf(100));
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  a.lie = async (part) => {
    await held;
    return part;
  };
  const peer = a.node.network.peerId;
  const answers = Array.from({ length: 20 }, () => b.exchange.part(peer, address, 0));
  const refused = await Promise.race(answers);
  expect(refused).toBe("busy");
  release();
  const given = (await Promise.all(answers)).filter((answer) => answer !== "busy");
  expect(given.length).toBe(8);
});

it("an answer that nobody asked for costs its sender score", async () => {
  const a = await keeper("a", []);
  const b = await keeper("b", [a]);
  const none: { type: "blob-none"; id: number } = { type: "blob-none", id: 77 };
  expect(a.node.network.send(b.node.network.peerId, none)).toBe(true);
  await b.node.log.until((all) => all.some(({ message }) => message === "a peer offends"));
});

it("what nobody has is not looked for again at once", async () => {
  const a = await keeper("a", []);
  const b = await keeper("b", [a]);
  const address: Hex = bytesToHex(contentAddress(contentsOf(5)));
  const before = performance.now();
  for (let i = 0; i < 50; i++) expect(await b.elsewhere.search(address)).toBe(false);
  expect(a.finds).toBeLessThanOrEqual(1 + (performance.now() - before) / 1_000);
});

it("however many blobs a node is asked for, its peers do not take it for a flood", async () => {
  const a = await keeper("a", []);
  const b = await keeper("b", [a]);
  const peer = a.node.network.peerId;
  const address = await a.store.put(contentsOf(100));
  for (let round = 0; round < 4; round++) {
    // As many as wait for an answer at a time.
    const wanted = Array.from({ length: 256 }, (_, at) => bytesToHex(bytes32(BigInt(round * 256 + at))));
    await Promise.all(wanted.map((absent) => b.exchange.find(peer, absent)));
    await Promise.all(wanted.map(() => b.exchange.part(peer, address, 0)));
  }
  expect(a.finds).toBeGreaterThan(0);
  expect(await offences(a, b)).toBe(0);
  expect(b.exchange.peers()).toContain(peer);
  expect(a.exchange.peers()).toContain(b.node.network.peerId);
});

it("begins only so many searches, whoever asks, and more with time", async () => {
  const b = await keeper("b", []);
  let now = 0;
  const wanted: Hex[] = [];
  const find = (_: string, address: Hex): Promise<undefined> => {
    wanted.push(address);
    return Promise.resolve(undefined);
  };
  const peers = { peers: () => Promise.resolve(["peer"]), find, part: () => Promise.resolve(undefined) };
  const elsewhere = new PeerBlobs(b.store, { ...peers, blame: () => undefined }, () => now);
  const { burst, perSecond } = PEER_LIMITS.searches;
  const ask = async (address: number): Promise<void> =>
    expect(await elsewhere.search(bytesToHex(bytes32(BigInt(address))))).toBe(false);
  for (let i = 0; i < 3 * burst; i++) await ask(i);
  expect(wanted.length).toBe(burst);
  now = 1_000;
  for (let i = 0; i < 3 * burst; i++) await ask(1_000 + i);
  expect(wanted.length).toBe(burst + perSecond);
});

it("a length that is only claimed pushes nothing out and keeps nobody from bringing the blob", async () => {
  const liar = await keeper("liar", []);
  const honest = await keeper("honest", []);
  const room = { totalBytes: 8 * PART_BYTES, ownerBytes: 4 * PART_BYTES, blobBytes: 4 * PART_BYTES };
  const c = await keeper("c", [liar, honest], room);
  const kept = await honest.store.put(contentsOf(2 * PART_BYTES));
  expect(await c.elsewhere.search(kept)).toBe(true);
  const address = await liar.store.put(contentsOf(100));
  liar.lieLength = (length) => length && room.ownerBytes;
  expect(await c.elsewhere.search(address)).toBe(false);
  expect(c.store.has(kept)).toBe(true);
  expect(await offences(c, liar)).toBe(1);
  // What is pinned leaves no room for the false length, and enough for the true one.
  await c.store.pin(kept, "own");
  await honest.store.put(contentsOf(100));
  while (!(await c.elsewhere.search(address))) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await offences(c, honest)).toBe(0);
});

it.each([0, 1, PART_BYTES])("a claim of only %i bytes does not cut off what is there already", async (claimed) => {
  const a = await keeper("a", []);
  const c = await keeper("c", [a]);
  const contents = contentsOf(6 * PART_BYTES);
  const address = await a.store.put(contents);
  a.lie = (part, at) => Promise.resolve(at < 5 ? part : undefined);
  expect(await c.elsewhere.search(address)).toBe(false);
  expect(await c.store.partial(address, PEERS)).toBe(5 * PART_BYTES);
  a.lieLength = (length) => length && claimed;
  // What nobody had is not looked for again within a second.
  while (a.finds < 2) {
    expect(await c.elsewhere.search(address)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await offences(c, a)).toBe(1);
  expect(await c.store.partial(address, PEERS)).toBe(5 * PART_BYTES);
});
