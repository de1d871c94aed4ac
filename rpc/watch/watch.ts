/** Watches the chain as it grows: facts of the last blocks, and what was unusual about them. */
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { ChainReads } from "../chain-view.ts";
import type { Anomaly } from "./anomaly.ts";
import { AnomalyWatch, standardDetectors } from "./anomaly-watch.ts";
import { type BlockFacts, factsOf } from "./block-facts.ts";
import { MAX_RECENT_BLOCKS } from "./limits.ts";
import { moduleEvents } from "./module-events.ts";

export interface Watched {
  readonly facts: BlockFacts;
  readonly anomalies: readonly Anomaly[];
}

export class Watch {
  private readonly chain: ChainReads;
  private readonly anomalies: AnomalyWatch;
  /** By number: those that were seen becoming final. */
  private readonly seen = new Map<number, BlockFacts>();

  constructor(chain: ChainReads) {
    this.chain = chain;
    this.anomalies = new AnomalyWatch(standardDetectors(chain.spec.consensus.heartbeatMilliseconds));
  }

  onBlock(block: StoredHeader, now: number): Watched {
    const facts = factsOf(this.chain, block, now);
    this.seen.set(facts.number, facts);
    this.seen.delete(facts.number - MAX_RECENT_BLOCKS);
    const events = moduleEvents(this.chain, block);
    return { facts, anomalies: this.anomalies.onBlock({ ...facts, signers: new Set(facts.signers), events }, now) };
  }

  onTime(now: number): readonly Anomaly[] {
    return this.anomalies.onTime(now);
  }

  recentAnomalies(limit: number): readonly Anomaly[] {
    return this.anomalies.recent(limit);
  }

  /** Up to the head, the oldest first. */
  recentBlocks(count: number): readonly BlockFacts[] {
    const head = Number(this.chain.head.header.number);
    const facts: BlockFacts[] = [];
    for (let number = Math.max(0, head - count + 1); number <= head; number++) {
      const block = this.chain.header(number);
      const known = this.seen.get(number) ?? (block && factsOf(this.chain, block, undefined));
      if (known !== undefined) facts.push(known);
    }
    return facts;
  }
}
