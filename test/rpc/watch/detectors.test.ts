import { describe, expect, it } from "vitest";
import type { Finding, ModuleEvent, WatchedBlock } from "../../../rpc/watch/anomaly.ts";
import { AnomalyWatch, standardDetectors } from "../../../rpc/watch/anomaly-watch.ts";
import { MAX_ANOMALIES } from "../../../rpc/watch/limits.ts";

const HEARTBEAT = 10_000;
const EVERYBODY = [0, 1, 2, 3];

interface Told {
  readonly signers?: readonly number[];
  readonly latency?: number;
  readonly view?: number;
  readonly epoch?: number;
  readonly baseFee?: bigint;
  readonly events?: readonly ModuleEvent[];
}

/** A chain of four validators, told block by block. */
class History {
  readonly watch = new AnomalyWatch(standardDetectors(HEARTBEAT));
  private number = 0;
  private view = 0;

  block({ signers = EVERYBODY, latency = 200, view = this.view + 1, ...told }: Told = {}): readonly Finding[] {
    this.number++;
    this.view = view;
    const milliseconds = this.number * 1000;
    const block: WatchedBlock = {
      ...{ number: this.number, milliseconds, finalMilliseconds: milliseconds + latency, view },
      epoch: told.epoch ?? 0,
      baseFeePerGas: told.baseFee ?? 100n,
      weights: EVERYBODY.map(() => 1n),
      signers: new Set(signers),
      events: told.events ?? [],
    };
    return this.watch.onBlock(block, milliseconds + latency);
  }

  blocks(count: number, told: Told = {}): readonly Finding[] {
    return Array.from({ length: count }, () => this.block(told)).flat();
  }
}

describe("what nodes watch for", () => {
  it("nothing, on a healthy chain, where the last signer of a small set is often missing", () => {
    const history = new History();
    for (let round = 0; round < 50; round++) {
      expect(history.block({ signers: EVERYBODY.filter((index) => index !== round % 4) })).toEqual([]);
    }
  });

  it("a validator that signs nothing, told once, and once when it is back", () => {
    const history = new History();
    expect(history.blocks(15, { signers: [0, 1, 3] })).toEqual([]);
    expect(history.block({ signers: [0, 1, 3] })).toMatchObject([
      { kind: "missed-votes", severity: "warning", data: { validator: 2 } },
    ]);
    expect(history.blocks(20, { signers: [0, 1, 3] })).toEqual([]);
    expect(history.block()).toMatchObject([
      { kind: "missed-votes", severity: "notice", data: { validator: 2, blocks: 36 } },
    ]);
  });

  it("counts anew in an epoch in which positions are somebody else's", () => {
    const history = new History();
    history.blocks(15, { signers: [0, 1, 3] });
    expect(history.blocks(15, { signers: [0, 1, 3], epoch: 1 })).toEqual([]);
    expect(history.block({ signers: [0, 1, 3], epoch: 1 })).toHaveLength(1);
  });

  it("a block that is slow for a chain that is fast", () => {
    const history = new History();
    history.blocks(10, { latency: 200 });
    expect(history.block({ latency: 2_900 })).toEqual([]);
    expect(history.block({ latency: 3_100 })).toMatchObject([
      { kind: "slow-finality", data: { milliseconds: 3100, usual: 200 } },
    ]);
  });

  it("silence, told once, and that blocks come again", () => {
    const history = new History();
    history.block();
    expect(history.watch.onTime(1_200 + 3 * HEARTBEAT - 1)).toEqual([]);
    expect(history.watch.onTime(1_200 + 3 * HEARTBEAT)).toMatchObject([
      { kind: "slow-finality", severity: "critical" },
    ]);
    expect(history.watch.onTime(1_200 + 9 * HEARTBEAT)).toEqual([]);
    expect(history.block()).toMatchObject([{ kind: "slow-finality", severity: "notice" }]);
  });

  it("views that brought no block", () => {
    const history = new History();
    history.block({ view: 1 });
    expect(history.block({ view: 4 })).toEqual([]);
    expect(history.block({ view: 8 })).toMatchObject([{ kind: "skipped-views", data: { views: 3 } }]);
  });

  it("prices that double, of gas and of compute, told once each", () => {
    const history = new History();
    history.blocks(3, { baseFee: 100n });
    expect(history.block({ baseFee: 199n })).toEqual([]);
    expect(history.block({ baseFee: 200n })).toMatchObject([
      { kind: "price-spike", data: { what: "gas", before: "100" } },
    ]);
    expect(history.block({ baseFee: 210n })).toEqual([]);
    const price = (wei: bigint): Told => ({
      baseFee: 210n,
      events: [{ module: "pricing", name: "PriceChanged", args: { tier: 2, price: wei } }],
    });
    expect(history.block(price(10n))).toEqual([]);
    expect(history.block(price(25n))).toMatchObject([{ kind: "price-spike", data: { what: "tier 2", price: "25" } }]);
  });

  it("penalties", () => {
    const history = new History();
    const args = { operator: "0x12", signedBlocks: 3n, countedBlocks: 500n };
    const [found] = history.block({ events: [{ module: "slashing", name: "Absent", args }] });
    expect(found).toMatchObject({ kind: "penalty", severity: "warning" });
    expect(found?.message).toContain("3 of 500");
  });

  it("results that verifiers doubt, and those that were found false", () => {
    const history = new History();
    const event = (name: string, args: ModuleEvent["args"]): Told => ({
      events: [{ module: "verification", name, args }],
    });
    expect(history.block(event("Disputed", { round: 3n, launch: 4, tile: 5 }))).toMatchObject([
      { kind: "verification-mismatch", severity: "warning", data: { round: "3", tile: "5" } },
    ]);
    expect(history.block(event("Closed", { round: 3n, job: 8n, accepted: true, guilty: 0 }))).toEqual([]);
    expect(history.block(event("Closed", { round: 3n, job: 8n, accepted: false, guilty: 1 }))).toMatchObject([
      { kind: "verification-mismatch", severity: "critical", data: { job: "8" } },
    ]);
    expect(history.block(event("Closed", { round: 4n, job: 9n, accepted: false, guilty: 2 }))[0]?.severity).toBe(
      "warning",
    );
  });

  it("jobs whose time is long over, told once, unless they moved on or ended", () => {
    const history = new History();
    const changed = (job: bigint, status: number, by: bigint): ModuleEvent => ({
      ...{ module: "market", name: "JobChanged" },
      args: { job, status, reason: 0, actor: 2, by },
    });
    history.block({ events: [changed(1n, 3, 10n), changed(2n, 3, 10n), changed(3n, 1, 0n)] });
    expect(history.blocks(50, {})).toEqual([]);
    history.block({ events: [changed(2n, 6, 0n)] });
    expect(history.blocks(100, {})).toMatchObject([{ kind: "stuck-job", data: { job: "1", status: 3 } }]);
  });

  it("keeps the newest findings, numbered, and forgets the oldest", () => {
    const history = new History();
    for (let round = 0; round < MAX_ANOMALIES + 10; round++) history.block({ view: 5 * round });
    const recent = history.watch.recent(MAX_ANOMALIES);
    expect(recent).toHaveLength(MAX_ANOMALIES);
    expect(recent[0]?.id).toBe((recent[1]?.id ?? 0) + 1);
    expect(history.watch.recent(3)).toEqual(recent.slice(0, 3));
  });
});
