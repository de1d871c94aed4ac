/** How fast the chain is, from its last blocks. Pure. */
import type { RecentBlock } from "../../rpc/client/answers.ts";

export interface Pace {
  /** Milliseconds from a block's making until the node saw it final; `undefined` where none was seen. */
  readonly medianFinality: number | undefined;
  readonly slowFinality: number | undefined;
  /** Over the last minute. */
  readonly transactionsPerMinute: number;
  readonly blocksPerMinute: number;
}

const MINUTE = 60_000;

export function latencyOf({ milliseconds, finalMilliseconds }: RecentBlock): number | undefined {
  return finalMilliseconds === null ? undefined : Math.max(0, finalMilliseconds - milliseconds);
}

export function paceOf(blocks: readonly RecentBlock[], now: number): Pace {
  const latencies = blocks.flatMap((block) => latencyOf(block) ?? []).sort((a, b) => a - b);
  const recent = blocks.filter(({ milliseconds }) => milliseconds > now - MINUTE);
  return {
    medianFinality: latencies[Math.floor(latencies.length / 2)],
    slowFinality: latencies[Math.floor(latencies.length * 0.95)],
    transactionsPerMinute: recent.reduce((sum, { transactions }) => sum + transactions, 0),
    blocksPerMinute: recent.length,
  };
}
