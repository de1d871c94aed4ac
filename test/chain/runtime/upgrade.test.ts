import { afterEach, beforeEach, expect, it } from "vitest";
import type { NodeLog } from "../../../chain/runtime/node-log.ts";
import { upcomingUpgrade } from "../../../vm/modules/governance/upgrades.ts";
import { Cluster, clusterSpec, included } from "./support/cluster.ts";
import { SingleNode, singleSpec } from "./support/single-node.ts";
import {
  nextHeartbeat,
  proposeUpgrade,
  runToUpgrade,
  UPGRADE,
  UPGRADE_HEIGHT,
  upgradeSpec,
} from "./support/upgrade-chain.ts";

const spec = upgradeSpec(singleSpec(), 60n);
const required = requiredAt(UPGRADE_HEIGHT);

function requiredAt(height: number): unknown {
  return expect.objectContaining({
    code: "UPGRADE_REQUIRED",
    data: expect.objectContaining({ upgrade: UPGRADE, height }),
  });
}

let fixture: SingleNode;

beforeEach(() => {
  fixture = new SingleNode();
});

afterEach(async () => {
  await fixture.close();
  fixture.remove();
});

/** Lets everything happen that needs no time to pass. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

it("a node that does not know an upgrade stops before its block, and one that does goes on with the same data", async () => {
  const old = await fixture.open({ spec });
  await runToUpgrade(fixture, old);
  expect(upcomingUpgrade(old.stateAt(old.head.number))).toMatchObject({ name: UPGRADE, isKnown: false });
  expect(fixture.failures).toEqual([]);
  await settle();
  fixture.clock.advance(fixture.spec.consensus.heartbeatMilliseconds);
  await settle();
  expect(fixture.failures).toEqual([required]);
  expect(old.head.number).toBe(UPGRADE_HEIGHT - 1);
  await fixture.close();

  // Started again it says so at once.
  await expect(fixture.open({ spec })).rejects.toEqual(required);

  const fresh = await fixture.open({ spec, knownUpgrades: [UPGRADE] });
  expect(fresh.head.number).toBe(UPGRADE_HEIGHT - 1);
  await nextHeartbeat(fixture, fresh);
  await nextHeartbeat(fixture, fresh);
  expect(fresh.head.number).toBe(UPGRADE_HEIGHT + 1);
  expect(upcomingUpgrade(fresh.stateAt(fresh.head.number))).toBeUndefined();
  await fixture.close();

  // Whoever goes back to the old program has blocks that it cannot have made.
  await expect(fixture.open({ spec })).rejects.toEqual(required);
  expect(fixture.failures).toEqual([required]);
});

it("a node tells of an upgrade when it is scheduled, and more and more often if it will be stopped by it", async () => {
  const told: { level: string; data: Readonly<Record<string, unknown>>; message: string }[] = [];
  const hear =
    (level: string) =>
    (data: Readonly<Record<string, unknown>>, message: string): void => {
      if ("upgrade" in data) told.push({ level, data, message });
    };
  const say: NodeLog = () => ({ debug: hear("debug"), info: hear("info"), warn: hear("warn"), error: hear("error") });
  await runToUpgrade(fixture, await fixture.open({ spec, say }));
  expect(told.every(({ level, message }) => level === "warn" && message.includes("THIS PROGRAM WILL STOP"))).toBe(true);
  const left = told.map(({ data }) => data["blocksLeft"] as number);
  expect(left[0]).toBeGreaterThanOrEqual(32);
  expect(left.at(-1)).toBe(1);
  expect(left.slice(1).every((blocks, index) => blocks <= (left[index] ?? 0) / 2)).toBe(true);

  // Started again, with a program that knows it: once is enough.
  await fixture.close();
  told.length = 0;
  await nextHeartbeat(fixture, await fixture.open({ spec, say, knownUpgrades: [UPGRADE] }));
  expect(told.map(({ level, data }) => [level, data["blocksLeft"]])).toEqual([["info", 1]]);
  expect(fixture.failures).toEqual([]);
});

it("followers that do not know it stop too, whether they follow by blocks or begin with a later state", async () => {
  const cluster = new Cluster(upgradeSpec(clusterSpec(1, { epochBlocks: 6 }), 1n));
  // Voting and time lock take two seconds, in which there are at most forty blocks.
  const height = 100;
  try {
    const { node } = await cluster.validator(0, { knownUpgrades: [UPGRADE] });
    const stopped = new Promise<unknown>((resolve) => {
      void cluster.open("follower", { onFailure: resolve });
    });
    const include = async (raw: Uint8Array): Promise<void> => {
      await included(node, await node.submit(raw));
    };
    await proposeUpgrade(cluster.spec, node, include, height);
    while (node.head.number <= height + 12) await include(cluster.transfer());
    expect(await stopped).toEqual(requiredAt(height));
    // What it has is of before: it may have been in the middle of several blocks.
    expect(cluster.running.get("follower")?.node.head.number).toBeLessThan(height);

    // A snapshot of the state after the upgrade: it is there, and of no use to this program.
    const late = { catchUp: { nearBlocks: 0 } };
    await expect(cluster.open("late", late)).rejects.toEqual(requiredAt(height));
    const { node: fresh } = await cluster.open("late", { ...late, knownUpgrades: [UPGRADE] });
    expect(fresh.head.number).toBeGreaterThanOrEqual(height);
    expect(cluster.failures).toEqual([]);
  } finally {
    await cluster.dispose();
  }
});
