import { afterEach, describe, expect, it } from "vitest";
import { meterOf } from "../../../chain/observe/meter-of.ts";
import { createMetrics, type Metrics } from "../../../chain/observe/metrics.ts";

const made: Metrics[] = [];
afterEach(() => {
  for (const metrics of made.splice(0)) metrics.close();
});

function newMetrics(): Metrics {
  const metrics = createMetrics();
  made.push(metrics);
  return metrics;
}

/** Samples by name and labels. */
async function samples(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

describe("metrics", () => {
  it("give what was counted and set", async () => {
    const metrics = newMetrics();
    metrics.height.set(12);
    metrics.view.set(15);
    metrics.peers.set(3);
    metrics.blocks.add();
    metrics.transactions.add(250);
    metrics.votes("NOTARIZE", "sent").add();
    metrics.votes("NOTARIZE", "received").add(3);
    metrics.finalitySeconds.observe(0.22);
    const found = await samples(metrics);
    expect(found.get("ogpu_height")).toBe(12);
    expect(found.get("ogpu_view")).toBe(15);
    expect(found.get("ogpu_peers")).toBe(3);
    expect(found.get("ogpu_blocks_total")).toBe(1);
    expect(found.get("ogpu_transactions_total")).toBe(250);
    expect(found.get('ogpu_votes_total{kind="NOTARIZE",direction="received"}')).toBe(3);
    expect(found.get('ogpu_votes_total{kind="NOTARIZE",direction="sent"}')).toBe(1);
    expect(found.get('ogpu_finality_seconds_bucket{le="0.2"}')).toBe(0);
    expect(found.get('ogpu_finality_seconds_bucket{le="0.25"}')).toBe(1);
  });

  it("name everything from the start, so that nobody looks for what has not happened yet", async () => {
    const names = [...(await samples(newMetrics())).keys()].map((name) => name.replace(/[{].*/, ""));
    expect(names).toEqual(
      expect.arrayContaining([
        ...["ogpu_height", "ogpu_view", "ogpu_view_changes_total", "ogpu_votes_total", "ogpu_peers"],
        ...["ogpu_mempool_transactions", "ogpu_mempool_bytes", "ogpu_sync_progress", "ogpu_blocks_total"],
        ...["ogpu_transactions_total", "ogpu_evidence_total", "ogpu_alarms_total"],
        ...["ogpu_finality_seconds_count", "ogpu_event_loop_delay_seconds", "ogpu_event_loop_utilization"],
        ...["process_cpu_seconds_total", "process_resident_memory_bytes", "nodejs_heap_size_used_bytes"],
      ]),
    );
  });

  it("measure the process, in numbers that are some", async () => {
    const metrics = newMetrics();
    await samples(metrics);
    const found = await samples(metrics);
    expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(found.get("process_cpu_seconds_total")).toBeGreaterThan(0);
    for (const [name, value] of found) expect(value, name).toBeGreaterThanOrEqual(0);
  });

  it("count what a node tells its meter", async () => {
    const metrics = newMetrics();
    const meter = meterOf(metrics);
    meter.block(7, 40);
    meter.finality(0.2);
    for (const view of [1, 1, 2, 5]) meter.view(0, view, 7);
    meter.view(1, 1, 8);
    meter.vote("FINALIZE", "sent");
    meter.evidence();
    meter.alarm();
    meter.gauges({ peers: 3, transactions: 5, bytes: 600 });
    const found = await samples(metrics);
    const expected = {
      ...{ ogpu_height: 7, ogpu_blocks_total: 1, ogpu_transactions_total: 40, ogpu_finality_seconds_count: 1 },
      ...{ ogpu_view: 1, ogpu_view_changes_total: 5, ogpu_evidence_total: 1, ogpu_alarms_total: 1, ogpu_peers: 3 },
      ...{ ogpu_mempool_transactions: 5, ogpu_mempool_bytes: 600 },
    };
    for (const [name, value] of Object.entries(expected)) expect(found.get(name), name).toBe(value);
  });

  it("of two nodes in one process stay apart", async () => {
    const [one, two] = [newMetrics(), newMetrics()];
    one.height.set(1);
    two.height.set(2);
    expect((await samples(one)).get("ogpu_height")).toBe(1);
    expect((await samples(two)).get("ogpu_height")).toBe(2);
  });
});
