/**
 * Rates of several contestants, measured by turns. On a shared machine the speed drifts by tens of percent
 * within seconds, so each round runs everybody, in alternating order, and a ratio is the median of the ratios
 * within a round, not the ratio of two rates measured apart.
 */
import { performance } from "node:perf_hooks";
import { Bench } from "tinybench";

export interface Contestant {
  readonly name: string;
  /** Does a piece of work and returns how many operations that was. Only this is timed. */
  run(): number | Promise<number>;
  /** Puts things back before each round; not timed. */
  prepare?(): void | Promise<void>;
}

export interface Interleaved {
  /** Operations per second: the median over the rounds. */
  rate(name: string): number;
  /** How many times as fast `name` is as `peer`: the median over the rounds. */
  ratio(name: string, peer: string): number;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("the median of nothing");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** One round more than asked is run first and thrown away, so that compilation and cold caches do not count. */
export async function interleave(rounds: number, contestants: readonly Contestant[]): Promise<Interleaved> {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const contestant of order) {
      await contestant.prepare?.();
      const start = performance.now();
      const operations = await contestant.run();
      // A clock that did not move would make an infinite rate.
      const seconds = Math.max(performance.now() - start, 0.001) / 1000;
      if (round > 0) rates.get(contestant.name)?.push(operations / seconds);
    }
  }
  return summarize(rates);
}

export interface MicroTask {
  readonly name: string;
  /** One operation, too short to be timed alone. */
  run(): unknown;
}

/** The same for tiny synchronous operations: tinybench samples each for `milliseconds` in every round. */
export async function interleaveMicro(
  rounds: number,
  milliseconds: number,
  tasks: readonly MicroTask[],
): Promise<Interleaved> {
  const batches = tasks.map((task) => ({ task, size: batchSize(task) }));
  const rates = new Map<string, number[]>(tasks.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { task, size } of round % 2 === 0 ? batches : [...batches].reverse()) {
      rates.get(task.name)?.push(await microRate(task, size, milliseconds));
    }
  }
  return summarize(rates);
}

/**
 * Calls per sample, so that one sample lasts about a tenth of a millisecond: reading the clock around each call
 * costs as much as hashing 64 bytes.
 */
function batchSize(task: MicroTask): number {
  for (let size = 1; ; size *= 2) {
    const start = performance.now();
    for (let i = 0; i < size; i++) task.run();
    if (performance.now() - start >= 0.1 || size >= 1 << 20) return size;
  }
}

async function microRate(task: MicroTask, size: number, milliseconds: number): Promise<number> {
  const bench = new Bench({ time: milliseconds, warmupTime: milliseconds / 4, throws: true });
  bench.add(task.name, () => {
    for (let i = 0; i < size; i++) task.run();
  });
  const [result] = (await bench.run()).map((finished) => finished.result);
  if (result?.state !== "completed") throw new Error(`${task.name} was not measured: ${result?.state}`);
  return (size * 1000) / result.latency.p50;
}

function summarize(rates: ReadonlyMap<string, readonly number[]>): Interleaved {
  const of = (name: string): readonly number[] => {
    const found = rates.get(name);
    if (found === undefined) throw new RangeError(`no contestant is called ${name}`);
    return found;
  };
  return {
    rate: (name) => median(of(name)),
    ratio: (name, peer) => {
      const peers = of(peer);
      return median(of(name).map((rate, round) => rate / (peers[round] as number)));
    },
  };
}
