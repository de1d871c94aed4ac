/** Whose turn it is in a job: docs/spec/market.md, "Duties". */
import type { DutyArguments, DutyCheck } from "../duties/duty-check.ts";
import { requireBidTurn } from "./auction.ts";
import { requireDemand } from "./demands.ts";
import { DEMAND_KIND } from "./numbers.ts";
import { requireRevealTurn, requireSealTurn } from "./race.ts";
import { requireSegmentTurn } from "./segments.ts";

/** An answer that is late is still one, as long as nobody has noted that it is missing. */
function answers(kind: number): DutyCheck {
  return (call, args) => {
    requireDemand(call, { job: jobIn(args), kind, item: Number(args.integer(1, 32)), chunk: args.integer(2, 64) });
    return true;
  };
}

function jobIn(args: DutyArguments): bigint {
  return args.integer(0, 256);
}

export const MARKET_DUTIES: Readonly<Record<string, DutyCheck>> = {
  commitSealed: (call, args) => {
    requireSealTurn(call, jobIn(args), args.integer(1, 256));
    return true;
  },
  reveal: (call, args) => {
    requireRevealTurn(call, jobIn(args));
    return true;
  },
  revealBid: (call, args) => {
    requireBidTurn(call, jobIn(args));
    return true;
  },
  commitSegment: (call, args) => {
    requireSegmentTurn(call, jobIn(args), Number(args.integer(1, 32)));
    return true;
  },
  answerInput: answers(DEMAND_KIND.input),
  answerOutput: answers(DEMAND_KIND.output),
  answerCheckpoint: answers(DEMAND_KIND.checkpoint),
};
