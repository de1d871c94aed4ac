/** A node's meter over the metrics. */
import type { NodeMeter } from "../runtime/node-meter.ts";
import type { Metrics } from "./metrics.ts";

export function meterOf(metrics: Metrics): NodeMeter {
  let last: { readonly epoch: number; readonly view: number } | undefined;
  return {
    opened: (height) => metrics.height.set(height),
    block: (height, transactions) => {
      metrics.height.set(height);
      metrics.blocks.add();
      metrics.transactions.add(transactions);
    },
    finality: (seconds) => metrics.finalitySeconds.observe(seconds),
    view: (epoch, view) => {
      if (last?.epoch === epoch && last.view === view) return;
      // A node that starts anew has entered none of the views before.
      const before = last === undefined ? view : last.epoch === epoch ? last.view : 0;
      last = { epoch, view };
      metrics.view.set(view);
      metrics.viewChanges.add(Math.max(0, view - before));
    },
    vote: (kind, direction) => metrics.votes(kind, direction).add(),
    evidence: () => metrics.evidence.add(),
    alarm: () => metrics.alarms.add(),
    gauges: ({ peers, transactions, bytes }) => {
      metrics.peers.set(peers);
      metrics.mempoolTransactions.set(transactions);
      metrics.mempoolBytes.set(bytes);
    },
  };
}
