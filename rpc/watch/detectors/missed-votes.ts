import type { Detector, Finding, WatchedBlock } from "../anomaly.ts";
import { MISSED_BLOCKS } from "../limits.ts";

/** A validator whose signature is in no certificate for a while, told once when it begins and once when it is back. */
export class MissedVotes implements Detector {
  private epoch = -1;
  private missed: number[] = [];

  onBlock({ epoch, weights, signers }: WatchedBlock): readonly Finding[] {
    // Positions mean somebody else in another epoch.
    if (epoch !== this.epoch) this.missed = weights.map(() => 0);
    this.epoch = epoch;
    return this.missed.flatMap((before, index) => {
      const after = signers.has(index) ? 0 : before + 1;
      this.missed[index] = after;
      if (after === MISSED_BLOCKS) return [missing(index, epoch)];
      return after === 0 && before >= MISSED_BLOCKS ? [back(index, epoch, before)] : [];
    });
  }
}

function missing(validator: number, epoch: number): Finding {
  return {
    kind: "missed-votes",
    severity: "warning",
    message: `Validator ${validator} has signed none of the last ${MISSED_BLOCKS} blocks.`,
    data: { validator, epoch, blocks: MISSED_BLOCKS },
  };
}

function back(validator: number, epoch: number, blocks: number): Finding {
  return {
    kind: "missed-votes",
    severity: "notice",
    message: `Validator ${validator} signs again, after ${blocks} blocks without it.`,
    data: { validator, epoch, blocks },
  };
}
