/**
 * The whole economy at once, over long random histories: every module, epochs, absences, penalties, governance that
 * changes parameters, contracts, wrong input. After every block all rules of check-block.ts must hold.
 *
 * A failure names its seed and prints the history cut down to what matters. To replay it alone:
 * `npx vitest run --config vitest.slow.ts test/economy/history.test.ts -t "seed 17$"`.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type Beginning, makeBeginning } from "./support/economy-world.ts";
import { describeHistory, imagine, type Outcome, replay, shrink } from "./support/history.ts";

const OPERATIONS = 2_000;
const SEEDS = 51;
const FIRST = 1;
const SHRINK_TRIES = 150;

let beginning: Beginning;
const outcomes: Outcome[] = [];

beforeAll(async () => {
  beginning = await makeBeginning();
});

function explain(seed: number, { broken, blocks }: Outcome): string {
  const least = shrink(beginning, blocks, SHRINK_TRIES);
  const still = replay(beginning, least).broken;
  return [
    `seed ${seed}: ${broken?.stack}`,
    `run it alone with -t "seed ${seed}$"; cut down, it is (${still?.message}):`,
    describeHistory(least),
  ].join("\n");
}

describe("the economy over long random histories", () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST + index))("keeps every rule with seed %i", (seed) => {
    const outcome = imagine(beginning, seed, OPERATIONS);
    outcomes.push(outcome);
    expect(outcome.broken === undefined ? "" : explain(seed, outcome)).toBe("");
  });

  it("is the same history for the same seed", () => {
    const again = imagine(beginning, FIRST, 300);
    expect(describeHistory(imagine(beginning, FIRST, 300).blocks)).toBe(describeHistory(again.blocks));
    expect(replay(beginning, again.blocks).succeeded).toEqual(again.succeeded);
  });

  it("has done everything often, and been refused a third of the time", () => {
    const operations = outcomes.reduce((sum, outcome) => sum + outcome.operations, 0);
    const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
    const succeeded = new Map<string, number>();
    const errors = new Map<string, number>();
    for (const outcome of outcomes) {
      for (const [name, count] of outcome.succeeded) succeeded.set(name, (succeeded.get(name) ?? 0) + count);
      for (const [name, count] of outcome.errors) errors.set(name, (errors.get(name) ?? 0) + count);
    }
    expect(operations).toBeGreaterThanOrEqual(SEEDS * OPERATIONS);
    expect(failed / operations).toBeGreaterThan(0.25);
    expect(failed / operations).toBeLessThan(0.5);
  });
});
