/** `npm run sim -- --jobs N`: jobs under each attack and share of the stake, by the decision logic of the chain. */
import { exactWalk } from "./exact-walk.ts";
import { type Gang, type JobRules, simulateJobs } from "./job-simulation.ts";

const RULES: JobRules = {
  pollSize: 5,
  lead: 20,
  maxDraws: 120,
  seats: 3,
  seatFee: 1_000n,
  penaltyMultiple: 50n,
  smallSet: 0,
};
const GANGS: readonly Gang[] = ["collude", "slander", "withhold", "copy"];
const SHARES: readonly number[] = [0, 0.1, 0.2, 0.3, 0.4];
const VERIFIERS = 200;

/** One line for each attack and share. A colluding worker falsifies everything. Money that is lost or made throws. */
export function* jobsReport(seed: number, jobs: number, lead: number): Generator<string> {
  const rules = { ...RULES, lead };
  yield `seed ${seed}, ${jobs} jobs of ${rules.seats} seats each, polls of ${rules.pollSize}, a lead of ${lead} decides`;
  yield ["attack", "share", "wrong", "expected", "referee", "disputes", "votes", "waves"].map(column).join("");
  for (const gang of GANGS) {
    for (const share of SHARES) {
      const people = { verifiers: VERIFIERS, gangShare: share, gang, falseShare: gang === "collude" ? 1 : 0 };
      const { wrong, undecided, disputes, draws, waves } = simulateJobs(seed, jobs, rules, people);
      const votes = Math.max(1, disputes);
      const cells = [gang, share, rate(wrong, jobs), expected(gang, share, rules).toExponential(1)];
      const counts = [rate(undecided, jobs), disputes, (draws / votes).toFixed(1), (waves / votes).toFixed(1)];
      yield [...cells, ...counts].map(column).join("");
    }
  }
}

/** By the exact walk: a colluding worker passes where each seat is its own or loses the vote that it brings about. */
function expected(gang: Gang, share: number, rules: JobRules): number {
  const { wrong } = exactWalk(rules, 1 - share, share);
  if (gang === "collude") return (share + (1 - share) * wrong) ** rules.seats;
  return gang === "slander" ? 1 - (1 - share * wrong) ** rules.seats : 0;
}

function rate(count: number, jobs: number): string {
  return count === 0 ? "0" : (count / jobs).toExponential(1);
}

function column(value: string | number): string {
  return String(value).padEnd(11);
}
