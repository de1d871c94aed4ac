/**
 * What the node counts and measures, in Prometheus' text format. The only file that knows prom-client: the parts of
 * the node see three small interfaces.
 */

import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram, Registry } from "prom-client";
import type { VoteKind } from "../../base/votes.ts";

export interface Counter {
  /** Never less than 0; 1 unless told. */
  add(amount?: number): void;
}

export interface Gauge {
  set(value: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

export type Direction = "received" | "sent";
const DIRECTIONS: readonly Direction[] = ["received", "sent"];

export interface Metrics {
  /** Of the last final block. */
  readonly height: Gauge;
  /** From a block's time to the moment it is final here. */
  readonly finalitySeconds: Histogram;
  readonly view: Gauge;
  /** Views entered: more of them than blocks means that views were given up. */
  readonly viewChanges: Counter;
  votes(kind: VoteKind, direction: Direction): Counter;
  readonly peers: Gauge;
  readonly mempoolTransactions: Gauge;
  readonly mempoolBytes: Gauge;
  /** The height as a share of what most of the peers have: 1 unless the node is behind them. */
  readonly syncProgress: Gauge;
  /** Final ones, and the transactions in them. */
  readonly blocks: Counter;
  readonly transactions: Counter;
  readonly evidence: Counter;
  readonly alarms: Counter;
  /** Everything, as Prometheus reads it. */
  text(): Promise<string>;
  readonly contentType: string;
  /** Stops measuring the event loop. */
  close(): void;
}

/** Around the target of 300 ms, finer where it matters. */
const FINALITY_BUCKETS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30];
const KINDS: readonly VoteKind[] = ["PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE"];
/** Milliseconds. A timer of this period is the only cost of measuring. */
const LOOP_RESOLUTION = 20;
const LOOP_QUANTILES = [0.5, 0.99, 1];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string): Gauge => new PromGauge({ name, help, registers });
  const counter = (name: string, help: string): Counter => adding(new PromCounter({ name, help, registers }));
  const votes = new PromCounter({
    ...{ name: "ogpu_votes_total", help: "Votes sent and received", registers },
    labelNames: ["kind", "direction"],
  });
  const byVote = new Map(
    KINDS.flatMap((kind) =>
      DIRECTIONS.map((direction) => [`${kind} ${direction}`, adding(votes.labels(kind, direction))]),
    ),
  );
  const stopLoop = measureEventLoop(registry);
  measureProcess(registry);
  return {
    height: gauge("ogpu_height", "Height of the last final block"),
    finalitySeconds: new PromHistogram({
      ...{ name: "ogpu_finality_seconds", help: "From a block's time to its finality here", registers },
      buckets: FINALITY_BUCKETS,
    }),
    view: gauge("ogpu_view", "The view that consensus is in"),
    viewChanges: counter(
      "ogpu_view_changes_total",
      "Views that were entered; more than blocks means that some were given up",
    ),
    votes: (kind, direction) => byVote.get(`${kind} ${direction}`) as Counter,
    peers: gauge("ogpu_peers", "Connected peers"),
    mempoolTransactions: gauge("ogpu_mempool_transactions", "Transactions that wait"),
    mempoolBytes: gauge("ogpu_mempool_bytes", "Bytes of the transactions that wait"),
    syncProgress: gauge("ogpu_sync_progress", "Height as a share of what most peers have, 1 unless behind"),
    blocks: counter("ogpu_blocks_total", "Final blocks since the start of the process"),
    transactions: counter("ogpu_transactions_total", "Transactions in them"),
    evidence: counter("ogpu_evidence_total", "Offences of validators that were seen"),
    alarms: counter(
      "ogpu_alarms_total",
      "Alarms of the consensus core, and bugs that execution met; any is a reason to look",
    ),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    close: stopLoop,
  };
}

/** Starts at 0: with labels, a counter is not there before it has counted. */
function adding(counter: { inc(amount: number): void }): Counter {
  counter.inc(0);
  return { add: (amount = 1) => counter.inc(amount) };
}

/** Since the last time somebody asked. */
function measureEventLoop(registry: Registry): () => void {
  const histogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION });
  histogram.enable();
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  const delay = new PromGauge({
    ...{ name: "ogpu_event_loop_delay_seconds", help: "How late the event loop was", registers: [registry] },
    labelNames: ["quantile"],
    collect: () => {
      for (const quantile of LOOP_QUANTILES) {
        // What the histogram holds is the time between two ticks of its timer; none before the first.
        const late = histogram.count === 0 ? 0 : histogram.percentile(100 * quantile) / 1e9 - LOOP_RESOLUTION / 1e3;
        delay.set({ quantile }, Math.max(0, late));
      }
      histogram.reset();
    },
  });
  const utilisation = new PromGauge({
    ...{ name: "ogpu_event_loop_utilization", help: "The part of time in which the event loop was busy" },
    registers: [registry],
    collect: () => {
      const now = performance.eventLoopUtilization();
      utilisation.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
  return () => void histogram.disable();
}

/** By the names that Prometheus' own clients use. */
function measureProcess(registry: Registry): void {
  const registers = [registry];
  const cpu = new PromCounter({
    ...{ name: "process_cpu_seconds_total", help: "Processor time of the process", registers },
    collect: () => {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
    },
  });
  const resident: PromGauge = new PromGauge({
    ...{ name: "process_resident_memory_bytes", help: "Resident memory of the process", registers },
    collect: () => resident.set(process.memoryUsage.rss()),
  });
  const heap: PromGauge = new PromGauge({
    ...{ name: "nodejs_heap_size_used_bytes", help: "JavaScript heap in use", registers },
    collect: () => heap.set(process.memoryUsage().heapUsed),
  });
}
