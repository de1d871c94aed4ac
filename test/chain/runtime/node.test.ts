import { rmSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { parentCertificateOf } from "../../../chain/blocks/parent-certificate.ts";
import { indicesOf } from "../../../chain/consensus/certificate.ts";
import { systemClock } from "../../../chain/runtime/clock.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { Cluster, clusterSpec, included, POOR } from "./support/cluster.ts";

let cluster: Cluster | undefined;

afterEach(async () => {
  await cluster?.dispose();
  expect(cluster?.failures).toEqual([]);
  cluster = undefined;
});

it("one validator alone finalises what it is given", async () => {
  cluster = new Cluster(clusterSpec(1));
  const { node } = await cluster.validator(0);
  const hash = await node.submit(cluster.transfer());
  expect(await included(node, hash)).toBeGreaterThanOrEqual(1);
});

it("four validators finalise a transaction sent to one of them", async () => {
  cluster = new Cluster(clusterSpec(4));
  const nodes = [];
  for (const index of [0, 1, 2, 3]) nodes.push((await cluster.validator(index)).node);
  const [first] = nodes;
  const hash = await first?.submit(cluster.transfer());
  const heights = await Promise.all(nodes.map((node) => included(node, hash ?? new Uint8Array())));
  expect(new Set(heights).size).toBe(1);
  const roots = nodes.map((node) => node.header(heights[0] ?? 0)?.hash);
  for (const root of roots) expect(root).toEqual(roots[0]);
});

async function validators(count: number): Promise<Node[]> {
  assert(cluster !== undefined, "the test has made a cluster");
  const nodes: Node[] = [];
  for (let index = 0; index < count; index++) nodes.push((await cluster.validator(index)).node);
  return nodes;
}

/** One transfer after the other, each final everywhere before the next. */
async function transfers(count: number, nodes: readonly Node[]): Promise<number> {
  assert(cluster !== undefined, "the test has made a cluster");
  let height = 0;
  for (let i = 0; i < count; i++) {
    const hash = await nodes[i % nodes.length]?.submit(cluster.transfer());
    assert(hash !== undefined, "there is a node");
    const heights = await Promise.all(nodes.map((node) => included(node, hash)));
    height = heights[0] ?? 0;
  }
  return height;
}

function expectSameChain(nodes: readonly Node[], height: number): void {
  for (let number = 1; number <= height; number++) {
    const hashes = nodes.map((node) => bytesToHex(node.header(number)?.hash ?? new Uint8Array()));
    expect(new Set(hashes).size).toBe(1);
  }
}

it("epochs end with a seal, and the next one goes on from it", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 2 }));
  const nodes = await validators(4);
  const height = await transfers(7, nodes);
  expectSameChain(nodes, height);
  for (const node of nodes) expect(node.consensus.epoch.number).toBeGreaterThanOrEqual(3);
  const seals = Array.from({ length: height }, (_, i) => nodes[0]?.header(i + 1)?.header.extra);
  expect(seals.filter((extra) => extra?.nextValidatorSetHash.length === 32).length).toBeGreaterThanOrEqual(3);
});

it("blocks carry the votes for their parent, with those that came late", async () => {
  cluster = new Cluster(clusterSpec(4));
  const nodes = await validators(4);
  const height = await transfers(6, nodes);
  const signers = Array.from({ length: height - 1 }, (_, i) => {
    const header = nodes[0]?.header(i + 2)?.header;
    const certificate = header && parentCertificateOf(header);
    expect(certificate?.hash).toBe(bytesToHex(header?.parentHash ?? new Uint8Array()));
    return indicesOf(certificate?.signers ?? new Uint8Array(), 4)?.length ?? 0;
  });
  for (const count of signers) expect(count).toBeGreaterThanOrEqual(3);
});

it("all validators restart and go on where they were", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 3 }));
  const before = await transfers(5, await validators(4));
  for (const index of [0, 1, 2, 3]) await cluster.close(`validator-${index}`);
  const nodes = await validators(4);
  for (const node of nodes) expect(node.head.number).toBeGreaterThanOrEqual(before);
  expectSameChain(nodes, await transfers(3, nodes));
});

it("three of four go on without the fourth, which catches up when it is back", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 4 }));
  await transfers(2, await validators(4));
  await cluster.close("validator-3");
  const three = [...cluster.running.values()].map(({ node }) => node);
  await transfers(6, three);
  const { node } = await cluster.validator(3);
  const all = [...three, node];
  expectSameChain(all, await transfers(1, all));
});

it("a node without a key follows, also from the beginning", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 3 }));
  const nodes = await validators(4);
  await transfers(5, nodes);
  const { node: follower } = await cluster.open("follower");
  const all = [...nodes, follower];
  expectSameChain(all, await transfers(2, all));
  const hash = await follower.submit(cluster.transfer());
  expect(await included(follower, hash)).toBeGreaterThan(0);
});

it("a validator that lost its folder follows and signs nothing", async () => {
  cluster = new Cluster(clusterSpec(4));
  await transfers(2, await validators(4));
  await cluster.close("validator-2");
  rmSync(cluster.folder("validator-2"), { recursive: true });
  const wiped = await cluster.validator(2, { isNewKey: false });
  expect(wiped.notSigning).toMatch(/no record/);
  expect(wiped.node.consensus.own).toBeUndefined();
  const all = [...cluster.running.values()].map(({ node }) => node);
  expectSameChain(all, await transfers(2, all));
});

it("a node that comes late copies the state of a certified block, and the blocks after it", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 3 }));
  const nodes = await validators(4);
  const height = await transfers(10, nodes);
  const { node: late } = await cluster.open("late", { catchUp: { nearBlocks: 0 } });
  const copied = late.head.number;
  expect(copied).toBeGreaterThan(1);
  expect(late.body(copied)).toBeUndefined();
  const all = [...nodes, late];
  await transfers(4, all);
  for (let number = height + 1; number <= late.head.number; number++) {
    expect(late.header(number)?.hash).toEqual(nodes[0]?.header(number)?.hash);
  }
  const { number } = late.head;
  expect(late.stateAt(number).account(POOR)).toEqual(nodes[0]?.stateAt(number).account(POOR));
});

it("a copied state survives a restart", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 3 }));
  const nodes = await validators(4);
  await transfers(8, nodes);
  const late = await cluster.open("late", { catchUp: { nearBlocks: 0 } });
  await transfers(3, [...nodes, late.node]);
  await cluster.close("late");
  const again = await cluster.open("late");
  await transfers(2, [...nodes, again.node]);
  expect(again.node.head.number).toBeGreaterThan(10);
});

it("a node stops when the chain is not that of its operator's checkpoint, also without a snapshot", async () => {
  cluster = new Cluster(clusterSpec(4, { epochBlocks: 3 }));
  const nodes = await validators(4);
  await transfers(5, nodes);
  const checkpoint = { epoch: 0, hash: `0x${"77".repeat(32)}` as const };
  const failed = new Promise<unknown>((resolve) => {
    void cluster?.open("careful", { catchUp: { nearBlocks: 1_000 }, vouched: { checkpoint }, onFailure: resolve });
  });
  expect(await failed).toMatchObject({ code: "SYNC_CHECKPOINT_UNKNOWN" });
});

it("a node that was off for longer than the trusting period follows nobody until its operator vouches for a block", async () => {
  cluster = new Cluster(clusterSpec(4));
  const nodes = await validators(4);
  const { node: follower } = await cluster.open("follower");
  await transfers(2, [...nodes, follower]);
  await cluster.close("follower");
  // Now: until it stopped, another block may have come.
  const last = follower.head;
  const late = cluster.spec.consensus.trustingPeriodSeconds * 1000 + 60_000;
  const clock = { ...systemClock, now: () => systemClock.now() + late };
  await expect(cluster.open("follower", { clock })).rejects.toMatchObject({
    code: "SYNC_TRUST_EXPIRED",
    data: { number: last.number, hash: bytesToHex(last.hash) },
  });
  const again = await cluster.open("follower", { clock, vouched: { block: bytesToHex(last.hash) } });
  expect(again.node.head.number).toBeGreaterThanOrEqual(last.number);
  expect(again.footing()).toBe("firm");
});

it("a node that is told of everything but blocks for a trusting period believes no block that comes then", async () => {
  cluster = new Cluster(clusterSpec(4));
  const nodes = await validators(4);
  let late = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + late };
  const failures: unknown[] = [];
  const { node: follower } = await cluster.open("follower", { clock, onFailure: (error) => failures.push(error) });
  await transfers(2, [...nodes, follower]);
  expect(failures).toEqual([]);
  const { number } = follower.head;
  late = cluster.spec.consensus.trustingPeriodSeconds * 1000 + 60_000;
  await transfers(2, nodes);
  expect(failures[0]).toMatchObject({ code: "SYNC_TRUST_EXPIRED" });
  expect(follower.head.number).toBeLessThanOrEqual(number + 1);
});

it("a node that starts with an old block does not believe for longer what comes", async () => {
  cluster = new Cluster(clusterSpec(4));
  const nodes = await validators(4);
  const { node: follower } = await cluster.open("follower");
  await transfers(2, [...nodes, follower]);
  await cluster.close("follower");
  const period = cluster.spec.consensus.trustingPeriodSeconds * 1000;
  let late = period - 60_000;
  const clock = { ...systemClock, now: () => systemClock.now() + late };
  const failures: unknown[] = [];
  const again = await cluster.open("follower", { clock, onFailure: (error) => failures.push(error) });
  await transfers(2, [...nodes, again.node]);
  expect(failures).toEqual([]);
  late = period + 60_000;
  await transfers(2, nodes);
  await expect.poll(() => failures[0]).toMatchObject({ code: "SYNC_TRUST_EXPIRED" });
});
