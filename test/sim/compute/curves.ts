/** The curves of docs/spec/verification.md: what an adversary's share does to safety, cost and latency. */
import { type Chart, drawChart, type Series } from "./chart.ts";
import { exactWalk, type WalkRules } from "./exact-walk.ts";
import { type Gang, type JobRules, simulateJobs } from "./job-simulation.ts";

const RULES: JobRules = {
  pollSize: 5,
  lead: 20,
  maxDraws: 120,
  seats: 1,
  seatFee: 1_000n,
  penaltyMultiple: 50n,
  smallSet: 0,
};
const MANY = 200;
const SHARES: readonly number[] = Array.from({ length: 41 }, (_, percent) => percent / 100);
const MEASURED: readonly number[] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4];
const JOBS = 1_500;
/** Blocks until a drawn seat has sealed, the worker has opened and the seat has revealed, when nobody waits. */
const ACTS = 3;
const DRAW_DELAY = 13;

type Walk = ReturnType<typeof exactWalk>;

function walks(name: string, rules: WalkRules, silent: boolean, value: (walk: Walk) => number): Series {
  return {
    name,
    points: SHARES.map((share) => [share, value(exactWalk(rules, 1 - share, silent ? 0 : share))] as const),
  };
}

/** Of votes alone: the one seat of tier 0 that is not the gang's brings them about. */
function measured(name: string, value: (share: number) => number): Series {
  // What never happened has no place on a logarithmic axis.
  const points = MEASURED.map((share) => [share, value(share)] as const);
  return { name, isMeasured: true, points: points.filter(([, y]) => y > 0) };
}

interface VoteFigures {
  readonly wrong: number;
  readonly draws: number;
  readonly waves: number;
}

const known = new Map<string, VoteFigures>();

function votesOf(share: number, gang: Gang, rules: JobRules): VoteFigures {
  const name = `${share} ${gang} ${rules.lead}`;
  const found = known.get(name) ?? simulateVotes(share, gang, rules);
  known.set(name, found);
  return found;
}

function simulateVotes(share: number, gang: Gang, rules: JobRules): VoteFigures {
  const people = { verifiers: MANY, gangShare: share, gang, falseShare: 1 };
  const totals = simulateJobs(Math.round(share * 100), JOBS, rules, people);
  const passed = gang === "collude" ? totals.jobs - totals.disputes : 0;
  return {
    wrong: (totals.wrong - passed) / totals.disputes,
    draws: totals.draws / totals.disputes,
    waves: totals.waves / totals.disputes,
  };
}

const SAFETY: Chart = {
  title: "Chance that a vote decides wrong (polls of 5, at most 120 draws)",
  x: "share of the stake that lies",
  y: "chance",
  xMost: 0.4,
  yLeast: -16,
  yMost: 0,
  isLogarithmic: true,
  series: [
    ...[5, 10, 15, 20].map((lead) => walks(`lead ${lead}, exact`, { ...RULES, lead }, false, ({ wrong }) => wrong)),
    measured("lead 5, simulated", (share) => votesOf(share, "collude", { ...RULES, lead: 5 }).wrong),
  ],
};

const COST: Chart = {
  title: "Votes that a dispute takes (lead 20, polls of 5)",
  x: "share of the stake that lies, or says nothing",
  y: "votes",
  xMost: 0.4,
  yLeast: 0,
  yMost: 120,
  series: [
    walks("lies, exact", RULES, false, ({ expectedDraws }) => expectedDraws),
    walks("is silent, exact", RULES, true, ({ expectedDraws }) => expectedDraws),
    measured("lies, simulated", (share) => votesOf(share, "collude", RULES).draws),
    measured("is silent, simulated", (share) => votesOf(share, "withhold", RULES).draws),
  ],
};

const REFEREE: Chart = {
  title: "Chance that a vote decides nothing, and the referee has to",
  x: "share of the stake that lies, or says nothing",
  y: "chance",
  xMost: 0.4,
  yLeast: 0,
  yMost: 0.4,
  series: [
    walks("lies, exact", RULES, false, ({ undecided }) => undecided),
    walks("is silent, exact", RULES, true, ({ undecided }) => undecided),
    walks("lies, lead 10", { ...RULES, lead: 10 }, false, ({ undecided }) => undecided),
  ],
};

const LATENCY: Chart = {
  title: "Blocks from a commitment to its decision, when everybody answers at once",
  x: "share of the stake that lies",
  y: "blocks",
  xMost: 0.4,
  yLeast: 0,
  yMost: 160,
  series: [
    { name: "undisputed, 3 seats", points: SHARES.map((share) => [share, DRAW_DELAY + 3 + ACTS] as const) },
    measured("one dispute, waves", (share) => latency(share, true)),
    measured("poll after poll", (share) => latency(share, false)),
  ],
};

/** Each draw has a block of its own; each wave, or poll, is sealed and then revealed. */
function latency(share: number, isWaves: boolean): number {
  const { draws, waves } = votesOf(share, "collude", RULES);
  const turns = isWaves ? waves : draws / RULES.pollSize;
  return DRAW_DELAY + 3 + ACTS + draws + 2 * turns;
}

/** By the name of the file. */
export function curves(): ReadonlyMap<string, string> {
  return new Map([
    ["verification-safety.svg", drawChart(SAFETY)],
    ["verification-cost.svg", drawChart(COST)],
    ["verification-referee.svg", drawChart(REFEREE)],
    ["verification-latency.svg", drawChart(LATENCY)],
  ]);
}

/** The figures that the page names. */
export function figures(): readonly string[] {
  const exact = (share: number, silent = 0, start = 0): Walk => exactWalk(RULES, 1 - share - silent, share, start);
  const one = (value: number): string => value.toFixed(1);
  return [
    "| share that lies | wrong | referee | votes | wrong after 5 own leaders in a row |",
    "|---|---|---|---|---|",
    ...[0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.333, 0.4].map((share) => {
      const { wrong, undecided, expectedDraws } = exact(share);
      const run = exact(share, 0, -5).wrong;
      const percent = `${Math.round(share * 1000) / 10} %`;
      return `| ${percent} | ${wrong.toExponential(1)} | ${undecided.toExponential(1)} | ${one(expectedDraws)} | ${run.toExponential(1)} |`;
    }),
  ];
}
