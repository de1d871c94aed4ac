import { describe, expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { accountKey } from "../support/economy-chain.ts";
import {
  CLIENT,
  MARKET,
  MarketChain,
  NO_CALLBACK,
  OWNER,
  PROVIDERS,
  SOURCE,
  TIER,
  WORKERS,
  word,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

const PRICE = OGPU / 1_000n;
/** A tenth of the source's collateral. */
const WORKER_LOCK = SOURCE.collateral / 10n;

describe("a source", () => {
  const chain = new MarketChain();
  chain.addWorkers();
  const args = (change: Record<string, unknown> = {}) => {
    const all = { program: chain.program, tier: TIER, ...SOURCE, ...change };
    const { program, tier, racers, collateral, seats, assurance, maxPrice, taskSeconds } = all;
    return [program, tier, racers, collateral, seats, assurance, maxPrice, taskSeconds] as const;
  };

  it.each([
    [{ program: word(7) }, "UnknownProgram"],
    [{ tier: 16 }, "OutOfRange"],
    [{ racers: 0 }, "OutOfRange"],
    [{ racers: 9 }, "OutOfRange"],
    [{ seats: 0 }, "OutOfRange"],
    [{ seats: 33 }, "OutOfRange"],
    [{ assurance: 2 }, "OutOfRange"],
    [{ taskSeconds: 0n }, "OutOfRange"],
    [{ taskSeconds: 3_601n }, "OutOfRange"],
    [{ collateral: 1n << 97n }, "OutOfRange"],
    [{ maxPrice: 1n << 97n }, "OutOfRange"],
  ])("with %o is refused: %s", (change, name) => {
    expect(chain.revertOf(MARKET, "createSource", args(change), { key: OWNER })).toMatchObject({ name });
  });

  it("is its owner's to change and to close", () => {
    const id = chain.createSource();
    const { racers, collateral, seats, assurance, taskSeconds } = SOURCE;
    const change = [id, racers, collateral, seats, assurance, 5n, taskSeconds] as const;
    expect(chain.revertOf(MARKET, "updateSource", change, { key: CLIENT })).toMatchObject({ name: "NotOwner" });
    expect(chain.revertOf(MARKET, "closeSource", [id], { key: CLIENT })).toMatchObject({ name: "NotOwner" });
    expect(chain.revertOf(MARKET, "closeSource", [99n], { key: OWNER })).toMatchObject({ name: "NoSource" });
    chain.send(MARKET, "updateSource", change, { key: OWNER });
    const submit = [id, [...chain.inputs()], NO_CALLBACK] as const;
    expect(chain.revertOf(MARKET, "submitTask", submit, { value: OGPU })).toEqual({
      name: "PriceAboveCap",
      args: [PRICE, 5n],
    });
    chain.send(MARKET, "closeSource", [id], { key: OWNER });
    for (const [name, call] of [
      ["closeSource", () => chain.revertOf(MARKET, "closeSource", [id], { key: OWNER })],
      ["updateSource", () => chain.revertOf(MARKET, "updateSource", change, { key: OWNER })],
      ["submitTask", () => chain.revertOf(MARKET, "submitTask", submit, { value: OGPU })],
      ["joinSource", () => chain.revertOf(MARKET, "joinSource", [id, 1n], { key: WORKERS[0] as TestKey })],
    ] as const) {
      expect(call(), name).toEqual({ name: "SourceClosed", args: [id] });
    }
    expect(chain.view(MARKET, "sourceOf", [id])).toMatchObject({ open: false, maxPrice: 5n });
    expect(chain.view(MARKET, "openSources", [0n, 100n]).map((source) => source.id)).not.toContain(id);
  });

  it("is joined by an available provider's device of its tier, once", () => {
    const id = chain.createSource();
    const [worker, other] = WORKERS as [TestKey, TestKey];
    const join = (device: bigint, key: TestKey, value = OGPU) =>
      chain.revertOf(MARKET, "joinSource", [id, device], { key, value });
    expect(join(1n, CLIENT)).toMatchObject({ name: "NotAvailable" });
    expect(join(9n, worker)).toMatchObject({ name: "NoDevice" });
    const slow = chain.addDevice(worker, 0);
    expect(join(slow, worker)).toEqual({ name: "WrongTier", args: [0, TIER] });
    expect(join(1n, worker, WORKER_LOCK - 1n)).toEqual({
      name: "NotEnoughSent",
      args: [WORKER_LOCK - 1n, WORKER_LOCK],
    });
    chain.join(id, worker);
    expect(join(1n, worker)).toMatchObject({ name: "AlreadyMember" });
    expect(chain.revertOf(MARKET, "leaveSource", [id, 1n], { key: other })).toMatchObject({ name: "NotMember" });
    expect(chain.view(MARKET, "membersOf", [id, 0n, 10n])).toMatchObject([
      { device: 1n, job: 0n, locked: WORKER_LOCK },
    ]);
    chain.send(MARKET, "leaveSource", [id, 1n], { key: worker });
    expect(chain.view(MARKET, "membershipsOf", [worker.address, 0n, 10n])).toEqual([]);
    // The lock came back, and serves the next time.
    chain.send(MARKET, "joinSource", [id, 1n], { key: worker });
  });

  it("takes no more devices of a provider than its collateral is for, and no device into more than eight sources", () => {
    const key = accountKey(8);
    chain.send(PROVIDERS, "register", ["small", ""], { key, value: 15n * OGPU });
    const ids = Array.from({ length: 9 }, () => chain.createSource());
    const devices = [chain.addDevice(key), chain.addDevice(key)] as [bigint, bigint];
    for (const id of ids.slice(0, 8)) chain.join(id, key, devices[0]);
    const join = (id: bigint, device: bigint) =>
      chain.revertOf(MARKET, "joinSource", [id, device], { key, value: OGPU });
    expect(join(ids[8] as bigint, devices[0])).toEqual({ name: "Full", args: [8n] });
    expect(join(ids[0] as bigint, devices[1])).toEqual({ name: "TooLittleCollateral", args: [15n * OGPU, 20n * OGPU] });
  });
});
