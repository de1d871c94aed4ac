/**
 * Four validators as separate processes over real libp2p, under transaction load, while processes are killed, links are
 * cut and strangers send garbage. One network goes through all of it, test after test: what one of them breaks would
 * show in the next.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../../base/prng.ts";
import { metric } from "./support/chain-copy.ts";
import { alarms, audit, chainFrom, conflicts, settledChains, unaccounted } from "./support/checks.ts";
import { cutInHalves, cutOneOff, goesOn, heights, killAll, killEachInTurn, stopAndStart } from "./support/faults.ts";
import { HostileClients } from "./support/hostile-clients.ts";
import { Load } from "./support/load.ts";
import { NodeProcess } from "./support/node-process.ts";
import { ProcessNetwork } from "./support/process-network.ts";

const HOSTILE_CONNECTIONS = 300;
/** None of these is expected to take a quarter of it. */
const PATIENCE = 240_000;

const random = new Prng("processes");
const directory = mkdtempSync(join(tmpdir(), "ogpu-processes-"));
let network: ProcessNetwork;
let load: Load;
let isGood = true;

beforeAll(async () => {
  network = await ProcessNetwork.create(directory, 4);
  load = new Load({
    chainId: network.spec.chainId,
    nodes: 4,
    clients: 8,
    pause: 60,
    url: (index) => network.url(index),
  });
  await network.startAll();
  load.start();
  await goesOn(network);
}, PATIENCE);

afterEach(({ task }) => {
  isGood &&= task.result?.state === "pass";
});

afterAll(async () => {
  await load.stop();
  await network.close();
  // The logs tell what went wrong.
  if (isGood) rmSync(directory, { recursive: true });
}, PATIENCE);

/** The load has stopped afterwards. */
async function settle(): Promise<void> {
  await load.stop();
  const [first, ...rest] = await settledChains(network, load);
  for (const chain of rest) expect(first && conflicts(first, chain)).toEqual([]);
  expect(load.refusals).toEqual([]);
  expect(alarms(network)).toEqual([]);
}

async function nothingIsLost(): Promise<void> {
  await settle();
  load.start();
}

describe("killed with kill -9", { timeout: PATIENCE }, () => {
  it("each in turn, when the last is just back: the others go on, and in the end all do, within seconds", async () => {
    await killEachInTurn(network, random);
  });

  it("all at once, again and again: finality resumes within seconds", async () => {
    await killAll(network, random);
    await killAll(network, random);
  });

  it("nothing that was acknowledged is lost, and all have the same chain", nothingIsLost);
});

describe("cut from each other", { timeout: PATIENCE }, () => {
  it("two halves finalise nothing, and go on when they are connected again", async () => {
    await cutInHalves(network, random);
  });

  it("three go on without the fourth, which finalises nothing alone and catches up", async () => {
    await cutOneOff(network, random);
  });

  it("nothing that was acknowledged on any side is lost, and all have the same chain", nothingIsLost);
});

describe("stopped with SIGTERM under load", { timeout: PATIENCE }, () => {
  it("a validator ends with exit code 0 and comes back", async () => {
    expect(await stopAndStart(network, [random.below(4)], random)).toEqual([0]);
  });

  it("nothing that was acknowledged is lost, and all have the same chain", nothingIsLost);
});

describe("used wrongly", { timeout: PATIENCE }, () => {
  it("a second process on a folder in use ends with an error that says so, and the first goes on", async () => {
    const second = new NodeProcess(network.args(1), network.logPath(1));
    expect(await second.ended).toMatchObject({ code: 1, failure: { code: "STORE_LOCKED" } });
    await goesOn(network);
  });

  it("strangers who send garbage to all ports stop nobody", async () => {
    const ports = {
      p2p: network.indices.map((index) => network.p2pPort(index)),
      http: network.indices.map((index) => Number(new URL(network.urlOf(index)).port)),
    };
    const strangers = new HostileClients(() => ports, random);
    try {
      while (strangers.count < HOSTILE_CONNECTIONS) await goesOn(network);
      await nothingIsLost();
    } finally {
      await strangers.stop();
    }
  });
});

describe("a validator that has lost its disk", { timeout: PATIENCE }, () => {
  const lost = 3;
  const others = [0, 1, 2];

  beforeAll(async () => {
    // What it alone has acknowledged is lost with its disk, so there is nothing of the kind.
    await settle();
    await network.end(lost, "SIGKILL");
    await network.wipe(lost);
    load.start();
    await goesOn(network, others);
  }, PATIENCE);

  it("comes back by a snapshot, as a follower that signs nothing, and has the state of the others", async () => {
    const { role } = await network.start(lost, "--near-blocks", "0");
    expect(role).toBe("follower");
    expect(network.process(lost).hasSaid("snapshot imported")).toBe(true);
    await goesOn(network);
    const [own = 0] = await heights(network, [lost]);
    const [chain, theirs] = await Promise.all([lost, 0].map((index) => chainFrom(own, network.urlOf(index), own + 5)));
    expect(chain && theirs && conflicts(chain, theirs)).toEqual([]);
    expect(await metric(network.urlOf(lost), "ogpu_votes_total", '"sent"')).toBe(0);
    expect(network.process(lost).problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("THIS VALIDATOR DOES NOT SIGN"),
    ]);
  });

  it("still follows after a kill, and still signs nothing", async () => {
    await network.end(lost, "SIGKILL");
    expect(await network.start(lost)).toMatchObject({ role: "follower" });
    await goesOn(network);
    expect(await metric(network.urlOf(lost), "ogpu_votes_total", '"sent"')).toBe(0);
  });
});

describe("all stopped with SIGTERM under load", { timeout: PATIENCE }, () => {
  it("they end with exit code 0, and have on disk what they acknowledged", async () => {
    const ends = await Promise.all(network.indices.map((index) => network.end(index, "SIGTERM")));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    await load.stop();
    expect(await unaccounted(network, load)).toEqual([]);
  });

  it("all that was minted and not burned is there, in every database", async () => {
    for (const index of network.indices) {
      const { problems, supply } = await audit(network, index);
      expect(problems).toEqual([]);
      expect(supply.burned).toBeGreaterThan(0n);
    }
  });
});
