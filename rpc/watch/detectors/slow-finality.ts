import type { Detector, Finding, WatchedBlock } from "../anomaly.ts";
import { MEDIAN_BLOCKS, SILENT_HEARTBEATS, SKIPPED_VIEWS, SLOW_MILLISECONDS, SLOW_TIMES } from "../limits.ts";

/** Blocks that took far longer to become final than those before, views that brought none, and silence. */
export class SlowFinality implements Detector {
  private readonly heartbeatMilliseconds: number;
  private readonly latencies: number[] = [];
  private last: WatchedBlock | undefined;
  private isSilent = false;

  constructor(heartbeatMilliseconds: number) {
    this.heartbeatMilliseconds = heartbeatMilliseconds;
  }

  onBlock(block: WatchedBlock): readonly Finding[] {
    const findings = [...this.skipped(block), ...this.slow(block), ...this.resumed()];
    this.last = block;
    return findings;
  }

  onTime(milliseconds: number): readonly Finding[] {
    const { last } = this;
    if (last === undefined || this.isSilent) return [];
    const silence = milliseconds - (last.finalMilliseconds ?? last.milliseconds);
    if (silence < SILENT_HEARTBEATS * this.heartbeatMilliseconds) return [];
    this.isSilent = true;
    return [
      {
        kind: "slow-finality",
        severity: "critical",
        message: `No block has become final for ${seconds(silence)}; block ${last.number} was the last.`,
        data: { milliseconds: silence, lastBlock: last.number },
      },
    ];
  }

  private resumed(): readonly Finding[] {
    if (!this.isSilent) return [];
    this.isSilent = false;
    return [{ kind: "slow-finality", severity: "notice", message: "Blocks become final again.", data: {} }];
  }

  private skipped({ view, epoch, number }: WatchedBlock): readonly Finding[] {
    const { last } = this;
    const views = last === undefined || last.epoch !== epoch ? 0 : view - last.view - 1;
    if (views < SKIPPED_VIEWS) return [];
    return [
      {
        kind: "skipped-views",
        severity: "warning",
        message: `${views} views brought no block before block ${number}: their leaders were away or too slow.`,
        data: { views, block: number },
      },
    ];
  }

  private slow({ number, milliseconds, finalMilliseconds }: WatchedBlock): readonly Finding[] {
    if (finalMilliseconds === undefined) return [];
    const latency = finalMilliseconds - milliseconds;
    const usual = median(this.latencies);
    this.latencies.push(latency);
    if (this.latencies.length > MEDIAN_BLOCKS) this.latencies.shift();
    if (latency < SLOW_MILLISECONDS || latency < SLOW_TIMES * (usual ?? 0)) return [];
    const compared = usual === undefined ? "" : `, where ${seconds(usual)} is usual`;
    return [
      {
        kind: "slow-finality",
        severity: "warning",
        message: `Block ${number} took ${seconds(latency)} to become final${compared}.`,
        data: { block: number, milliseconds: latency, usual: usual ?? 0 },
      },
    ];
  }
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
