/** Runs detectors over blocks and keeps what they found last. Pure. */
import type { Anomaly, Detector, Finding, WatchedBlock } from "./anomaly.ts";
import { DoubtfulResults } from "./detectors/doubtful-results.ts";
import { MissedVotes } from "./detectors/missed-votes.ts";
import { Penalties } from "./detectors/penalties.ts";
import { PriceSpikes } from "./detectors/price-spikes.ts";
import { SlowFinality } from "./detectors/slow-finality.ts";
import { StuckJobs } from "./detectors/stuck-jobs.ts";
import { MAX_ANOMALIES } from "./limits.ts";

/** What every node watches for. */
export function standardDetectors(heartbeatMilliseconds: number): readonly Detector[] {
  return [
    new MissedVotes(),
    new SlowFinality(heartbeatMilliseconds),
    new PriceSpikes(),
    new Penalties(),
    new DoubtfulResults(),
    new StuckJobs(),
  ];
}

export class AnomalyWatch {
  private readonly detectors: readonly Detector[];
  private readonly found: Anomaly[] = [];
  private nextId = 1;
  private block = 0;

  constructor(detectors: readonly Detector[]) {
    this.detectors = detectors;
  }

  /** The last ones, the newest first. */
  recent(limit: number): readonly Anomaly[] {
    return this.found.slice(-limit).reverse();
  }

  onBlock(block: WatchedBlock, milliseconds: number): readonly Anomaly[] {
    this.block = block.number;
    return this.keep(
      this.detectors.flatMap((detector) => detector.onBlock(block)),
      milliseconds,
    );
  }

  onTime(milliseconds: number): readonly Anomaly[] {
    return this.keep(
      this.detectors.flatMap((detector) => detector.onTime?.(milliseconds) ?? []),
      milliseconds,
    );
  }

  private keep(findings: readonly Finding[], milliseconds: number): readonly Anomaly[] {
    const fresh = findings.map((finding) => ({ ...finding, id: this.nextId++, blockNumber: this.block, milliseconds }));
    this.found.push(...fresh);
    if (this.found.length > MAX_ANOMALIES) this.found.splice(0, this.found.length - MAX_ANOMALIES);
    return fresh;
  }
}
