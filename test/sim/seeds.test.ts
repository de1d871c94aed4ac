import { describe, expect, it } from "vitest";
import { blsKeys } from "./bls-keys.ts";
import { type AppName, FAULTS, makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

/** Together about a minute of one core: a seed of whole nodes takes four times as long as one of consensus alone. */
const COUNTER_GROUPS = 10;
const LEDGER_GROUPS = 6;
const SEEDS_PER_COUNTER_GROUP = 8;
const SEEDS_PER_LEDGER_GROUP = 4;
const MINUTES = 0.5;

async function expectToHold(app: AppName, first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    const { violations } = await simulate(makeScenario({ app, seed: String(seed), minutes: MINUTES }));
    expect({ app, seed, violations }).toEqual({ app, seed, violations: [] });
  }
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, group) => group);
}

describe("networks of 4 to 10 validators", () => {
  it.each(upTo(COUNTER_GROUPS))("agree under any faults (group %i)", async (group) => {
    await expectToHold("counter", group * SEEDS_PER_COUNTER_GROUP, SEEDS_PER_COUNTER_GROUP);
  });

  it("hold with real BLS signatures", async () => {
    const faults = ["crash", "byzantine", "epochs"] as const;
    const scenario = makeScenario({ seed: "bls", validators: 4, minutes: 0.4, faults });
    const result = await simulate(scenario, { keys: blsKeys() });
    expect(result.violations).toEqual([]);
    expect(Math.min(...result.heights)).toBeGreaterThan(5);
  });
});

describe("networks of whole nodes", () => {
  it.each(upTo(LEDGER_GROUPS))("keep ledger, mempool and store right under any faults (group %i)", async (group) => {
    await expectToHold("ledger", group * SEEDS_PER_LEDGER_GROUP, SEEDS_PER_LEDGER_GROUP);
  });

  it("change their validators at every epoch", async () => {
    const faults = ["epochs", "crash"] as const;
    const result = await simulate(
      makeScenario({ app: "ledger", seed: "epochs", validators: 7, minutes: MINUTES, faults }),
    );
    expect(result.violations).toEqual([]);
    expect(result.epochs).toBeGreaterThan(2);
  });

  it("let one that lost its disk catch up by a snapshot", async () => {
    const faults = ["epochs", "wipe", "crash"] as const;
    const result = await simulate(makeScenario({ app: "ledger", seed: "1", validators: 7, minutes: 0.6, faults }));
    expect(result.violations).toEqual([]);
    expect(result.imports).toBeGreaterThan(0);
  });

  it("hold with every fault at once", async () => {
    const result = await simulate(
      makeScenario({ app: "ledger", seed: "everything", validators: 7, minutes: 0.8, faults: FAULTS }),
    );
    expect(result.violations).toEqual([]);
    expect(Math.min(...result.heights)).toBeGreaterThan(5);
  });
});

describe("the simulator", () => {
  it.each(["counter", "ledger"] as const)("gives one trace per seed (%s)", async (app) => {
    const hash = async (seed: string): Promise<string> =>
      (await simulate(makeScenario({ app, seed, validators: 5, minutes: 0.3, faults: FAULTS }))).traceHash;
    const [first, again, other] = [await hash("a"), await hash("a"), await hash("b")];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });
});
