/** What is done to a network under load. Each ends when the network goes on and everybody is there again. */
import { setTimeout as delay } from "node:timers/promises";
import type { Prng } from "../../../base/prng.ts";
import { heightOf, metric } from "./chain-copy.ts";
import type { ProcessNetwork } from "./process-network.ts";
import { until } from "./until.ts";

/** A kill comes at any moment of the few blocks after the last fault. Milliseconds. */
const LONGEST_WAIT = 1_000;
/** Milliseconds in which finality is back when enough validators run: 3.4 s at most where ten threads shared two cores. */
const SOON = 20_000;
const TICK = 100;
/** How often a node that hears nothing says so before that is believed. */
const NULLIFY_REPEATS = 3;

export async function heights(network: ProcessNetwork, indices: readonly number[]): Promise<readonly number[]> {
  return await Promise.all(indices.map((index) => heightOf(network.urlOf(index))));
}

/** Until all of them have some more final blocks than any of them has now. */
export async function goesOn(network: ProcessNetwork, indices: readonly number[] = network.indices): Promise<void> {
  await untilNewBlocks(network, indices, () => false);
}

/**
 * The same, and soon: a stall that ends after all is one, so the failure is none that is tried once more (LATE in
 * test/suites.ts). The seconds are counted by a timer's ticks: while the machine stands still there are none.
 */
export async function goesOnSoon(network: ProcessNetwork, indices: readonly number[] = network.indices): Promise<void> {
  let ticks = 0;
  const clock = setInterval(() => ticks++, TICK);
  const isLate = (): boolean => ticks * TICK > SOON;
  try {
    await untilNewBlocks(network, indices, isLate);
    if (!isLate()) return;
  } finally {
    clearInterval(clock);
  }
  const now = JSON.stringify(await heights(network, indices));
  throw new Error(`finality of validators ${indices} is not back after ${SOON / 1000} s: ${now}`);
}

async function untilNewBlocks(
  network: ProcessNetwork,
  indices: readonly number[],
  isOver: () => boolean,
): Promise<void> {
  const aim = Math.max(...(await heights(network, indices))) + 2;
  await until(
    `validators ${indices} have block ${aim}`,
    async () => isOver() || (await heights(network, indices)).every((height) => height >= aim) || undefined,
    () => heights(network, indices),
  );
}

export async function anyMoment(random: Prng): Promise<void> {
  await delay(random.below(LONGEST_WAIT));
}

function others(network: ProcessNetwork, gone: readonly number[]): readonly number[] {
  return network.indices.filter((index) => !gone.includes(index));
}

/** The others go on without it, and it comes back. */
export async function killOne(network: ProcessNetwork, random: Prng): Promise<void> {
  await killInTurn(network, random, 1);
}

export async function killTwoInTurn(network: ProcessNetwork, random: Prng): Promise<void> {
  await killInTurn(network, random, 2);
}

export async function killEachInTurn(network: ProcessNetwork, random: Prng): Promise<void> {
  await killInTurn(network, random, network.indices.length);
}

/** The next is killed when the last is just back, and has not caught up yet. */
async function killInTurn(network: ProcessNetwork, random: Prng, count: number): Promise<void> {
  await anyMoment(random);
  for (const victim of random.shuffle([...network.indices]).slice(0, count)) {
    await network.end(victim, "SIGKILL");
    await goesOnSoon(network, others(network, [victim]));
    await network.start(victim);
  }
  await goesOnSoon(network);
}

export async function killAll(network: ProcessNetwork, random: Prng): Promise<void> {
  await anyMoment(random);
  await Promise.all(network.indices.map((index) => network.end(index, "SIGKILL")));
  await network.startAll();
  await goesOnSoon(network);
}

/** Nobody has a quorum: nothing becomes final until they hear each other again. Answers with the heights meanwhile. */
export async function cutInHalves(network: ProcessNetwork, random: Prng): Promise<readonly number[]> {
  const shuffled = random.shuffle([...network.indices]);
  const middle = shuffled.length / 2;
  await anyMoment(random);
  network.cut([shuffled.slice(0, middle), shuffled.slice(middle)], "refused");
  const atFirst = await withoutProgress(network, 1);
  const later = await withoutProgress(network, NULLIFY_REPEATS);
  if (atFirst.join() !== later.join()) throw new Error(`blocks became final without a quorum: ${atFirst} -> ${later}`);
  network.heal();
  await goesOn(network);
  return later;
}

/** The heights after everybody has told the others so many times that it gives the view up. */
async function withoutProgress(network: ProcessNetwork, times: number): Promise<readonly number[]> {
  const { indices } = network;
  const nullified = (): Promise<readonly number[]> =>
    Promise.all(indices.map((index) => metric(network.urlOf(index), "ogpu_votes_total", '"NULLIFY"', '"sent"')));
  const before = await nullified();
  await until(
    "all validators give the view up",
    async () => (await nullified()).every((count, index) => count >= (before[index] ?? 0) + times) || undefined,
    nullified,
  );
  return await heights(network, indices);
}

/** The three go on; the one stands still, although nobody closes its connections, and catches up afterwards. */
export async function cutOneOff(network: ProcessNetwork, random: Prng): Promise<void> {
  const alone = random.below(network.indices.length);
  const rest = others(network, [alone]);
  await anyMoment(random);
  network.cut([[alone], rest], "silent");
  await goesOn(network, rest);
  const [height = 0] = await heights(network, [alone]);
  await goesOn(network, rest);
  const [later = 0] = await heights(network, [alone]);
  if (height !== later) throw new Error(`validator ${alone} finalised ${later - height} blocks alone`);
  network.heal();
  await goesOn(network);
}

/** Asked to stop in the middle of everything. Answers with the exit codes. */
export async function stopAndStart(
  network: ProcessNetwork,
  victims: readonly number[],
  random: Prng,
): Promise<readonly (number | null)[]> {
  await anyMoment(random);
  const ends = await Promise.all(victims.map((index) => network.end(index, "SIGTERM")));
  await network.startAll(victims);
  await goesOn(network);
  return ends.map(({ code }) => code);
}
