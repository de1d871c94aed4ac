/**
 * The lead counter of tier 1. One public counter for each disputed tile: it steps up for a vote that found what the worker
 * committed and down for any other, and stays for silence; it never resets. After each poll of k votes it is looked at:
 * a lead of d decides. Pure: the module, the simulator and the analysis use these same functions.
 */

export interface CounterRules {
  /** k: votes of one poll. */
  readonly pollSize: number;
  /** d: the lead that decides. */
  readonly lead: number;
  /** Votes that are drawn at most. */
  readonly maxDraws: number;
}

export interface Counter {
  /** Votes for the worker less votes against it. */
  readonly lead: number;
  /** Votes drawn, the silent ones among them. */
  readonly draws: number;
}

export type VoteSide = 1 | 0 | -1;

export type CounterState = "open" | "true" | "false" | "exhausted";

export const FRESH_COUNTER: Counter = { lead: 0, draws: 0 };

export function counterState({ lead, draws }: Counter, rules: CounterRules): CounterState {
  if (lead >= rules.lead) return "true";
  if (lead <= -rules.lead) return "false";
  return draws >= rules.maxDraws ? "exhausted" : "open";
}

/** Counts votes in their order, poll by poll, until one decides: what comes after that does not count. */
export function countVotes(counter: Counter, sides: readonly VoteSide[], rules: CounterRules): Counter {
  let { lead, draws } = counter;
  for (let at = 0; at < sides.length; at += rules.pollSize) {
    if (counterState({ lead, draws }, rules) !== "open") break;
    const poll = sides.slice(at, at + rules.pollSize);
    lead += poll.reduce<number>((sum, side) => sum + side, 0);
    draws += poll.length;
  }
  return { lead, draws };
}

/**
 * How many votes to draw at once: as many polls as the fastest decision from here takes. No poll before the last of them
 * can decide, so counting them together gives what counting one after the other gives; but their voters seal before
 * any of them reveals, and a benign vote takes one turn instead of four.
 */
export function waveSize(counter: Counter, rules: CounterRules): number {
  if (counterState(counter, rules) !== "open") return 0;
  const polls = Math.ceil((rules.lead - Math.abs(counter.lead)) / rules.pollSize);
  return Math.min(polls * rules.pollSize, rules.maxDraws - counter.draws);
}

/** Where everybody votes: more than two thirds of all stake that may vote decides, in either direction. */
export function stakeDecision(unitsFor: bigint, unitsAgainst: bigint, allUnits: bigint): Exclude<CounterState, "open"> {
  if (3n * unitsFor > 2n * allUnits) return "true";
  if (3n * unitsAgainst > 2n * allUnits) return "false";
  return "exhausted";
}
