/**
 * What settling a pool task costs and how long it takes. The cost is one validator's processor time for all transactions of tasks
 * with three seats, from the submission to the payment, beside what their gas stands for (10 gas a microsecond, about the pace of
 * contracts). The time, at full size only, is that of small tasks on a devnet of processes, at rest otherwise.
 */
import type { BenchCase, BenchResult, Measurement } from "../case.ts";
import { median } from "../interleave.ts";
import { withScratchFolder } from "../scratch.ts";
import { STAGES, type TaskTimes, timeTasks } from "../settlement/devnet-tasks.ts";
import { PoolChain, SEATS } from "../settlement/pool-chain.ts";

interface Params extends Readonly<Record<string, number>> {
  /** Tasks that are settled side by side, and how often that is measured. */
  readonly together: number;
  readonly rounds: number;
  /** On the devnet; 0: there is none. */
  readonly devnetTasks: number;
  readonly validators: number;
}

export const benchCase: BenchCase<Params> = {
  name: "settlement",
  description: "settling pool tasks: a validator's processor time and gas, and seconds to payment on a devnet",
  sizes: {
    smoke: { together: 2, rounds: 1, devnetTasks: 0, validators: 0 },
    full: { together: 16, rounds: 8, devnetTasks: 5, validators: 4 },
  },
  run,
};

/** Seconds: the devnet's windows are short, so that a small task is done before anybody gets impatient. */
const PAID_TARGET = 30;
const GAS_PER_MILLISECOND = 10_000;

async function run({ together, rounds, devnetTasks, validators }: Params): Promise<BenchResult> {
  const pool = new PoolChain(together);
  if (rounds > 1) {
    // Once before, so that compilation is not part of it.
    pool.settle();
    pool.forget();
  }
  for (let round = 0; round < rounds; round++) pool.settle();
  const { tasks, blocks, transactions, gas, recovering, executing } = pool.costs;
  const milliseconds = recovering + executing;
  const { gasLimit, intervalMilliseconds } = pool.chain.spec.block;
  const times =
    devnetTasks === 0 ? [] : await withScratchFolder((folder) => timeTasks(folder, validators, devnetTasks));
  const paid = times.length === 0 ? [] : [median(times.map((each) => each.paid))];
  return {
    measurements: [
      { name: `settled, ${SEATS} seats`, value: (tasks * 1000) / milliseconds, unit: "tasks/processor s" },
      { name: "a task: executing", value: executing / tasks, unit: "ms" },
      { name: "a task: recovering senders", value: recovering / tasks, unit: "ms" },
      { name: "a task: gas", value: gas / tasks / 1e6, unit: "Mgas" },
      { name: "a task: transactions", value: transactions / tasks, unit: "transactions" },
      { name: "blocks", value: blocks, unit: "blocks" },
      {
        ...{ name: "full blocks hold", unit: "tasks/s" },
        value: (Number(gasLimit) * tasks * 1000) / gas / intervalMilliseconds,
      },
      ...latencies(times),
    ],
    comparisons: [
      {
        ...{ name: "settling, time beside price", target: { atMost: 1 } },
        ratio: (milliseconds * GAS_PER_MILLISECOND) / gas,
      },
      ...paid.map((seconds) => ({
        ...{ name: `paid after / ${PAID_TARGET} s`, ratio: seconds / PAID_TARGET, target: { atMost: 1 } },
      })),
    ],
    agreed: undefined,
  };
}

/** Medians: of the time since the submission, and of the time since the stage before. */
function latencies(times: readonly TaskTimes[]): readonly Measurement[] {
  if (times.length === 0) return [];
  return STAGES.flatMap((stage, index) => {
    const before = STAGES[index - 1];
    const since = (each: TaskTimes): number => each[stage] - (before === undefined ? 0 : each[before]);
    return [
      { name: `devnet: ${stage}`, value: median(times.map((each) => each[stage])), unit: "s" },
      { name: `devnet: ${stage}, since the stage before`, value: median(times.map(since)), unit: "s" },
    ];
  });
}
