import { describe, expect, it } from "vitest";
import { ACTORS } from "./actors/all-actors.ts";
import { blsKeys } from "./bls-keys.ts";
import { expectHeld } from "./expect-held.ts";
import { type AppName, FAULTS, makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

/** Together about a minute of one core: a seed of whole nodes takes four times as long as one of consensus alone. */
const COUNTER_GROUPS = 10;
const LEDGER_GROUPS = 6;
const SEEDS_PER_COUNTER_GROUP = 8;
const SEEDS_PER_LEDGER_GROUP = 4;
const MINUTES = 0.5;

async function expectGroupHeld(app: AppName, first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    await expectHeld(makeScenario({ app, seed: String(seed), minutes: MINUTES }));
  }
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, group) => group);
}

async function expectHeldWithBls(app: AppName, seed: string): Promise<void> {
  const faults = ["crash", "byzantine", "epochs"] as const;
  const scenario = makeScenario({ app, seed, validators: 4, minutes: 0.3, faults });
  const { heights } = await expectHeld(scenario, { keys: blsKeys() }, { bls: true });
  expect(Math.min(...heights)).toBeGreaterThan(5);
}

describe("networks of 4 to 10 validators", () => {
  it.each(upTo(COUNTER_GROUPS))("agree under any faults (group %i)", async (group) => {
    await expectGroupHeld("counter", group * SEEDS_PER_COUNTER_GROUP, SEEDS_PER_COUNTER_GROUP);
  });

  it("hold with real BLS signatures", async () => {
    await expectHeldWithBls("counter", "1");
  });

  it("have a liar wherever liars are among the faults", () => {
    const lying = upTo(200).map((seed) => makeScenario({ seed: String(seed) }));
    const without = lying.filter(({ faults, actors }) => faults.has("byzantine") && actors.size === 0);
    expect(without.map(({ seed }) => seed)).toEqual([]);
  });
});

describe("networks of whole nodes", () => {
  it.each(upTo(LEDGER_GROUPS))("keep ledger, mempool and store right under any faults (group %i)", async (group) => {
    await expectGroupHeld("ledger", group * SEEDS_PER_LEDGER_GROUP, SEEDS_PER_LEDGER_GROUP);
  });

  it.each(["1", "2"])("hold with real BLS signatures (seed %s)", async (seed) => {
    await expectHeldWithBls("ledger", seed);
  });

  it.each([...ACTORS.keys()])("hold against a %s", async (actor) => {
    const faults = ["byzantine", "crash"] as const;
    const scenario = makeScenario({ app: "ledger", seed: "3", validators: 4, minutes: 0.3, faults, actor });
    const { lies } = await expectHeld(scenario, {}, { actor });
    expect([...scenario.actors.values()]).toEqual([actor]);
    expect(lies).toBeGreaterThan(0);
  });

  it("change their validators at every epoch", async () => {
    const faults = ["epochs", "crash"] as const;
    const scenario = makeScenario({ app: "ledger", seed: "1", validators: 7, minutes: MINUTES, faults });
    expect((await expectHeld(scenario)).epochs).toBeGreaterThan(2);
  });

  it("let one that lost its disk catch up by a snapshot", async () => {
    const faults = ["epochs", "wipe", "crash"] as const;
    const scenario = makeScenario({ app: "ledger", seed: "1", validators: 7, minutes: 0.6, faults });
    expect((await expectHeld(scenario)).imports).toBeGreaterThan(0);
  });

  it("let one that lost its chain alone catch up and go on as a validator", async () => {
    const faults = ["epochs", "lost-chain", "crash-all"] as const;
    const scenario = makeScenario({ app: "ledger", seed: "1", validators: 4, minutes: 0.6, faults });
    expect((await expectHeld(scenario)).imports).toBeGreaterThan(0);
  });

  it("let it catch up by a snapshot although one of those that serve it lies", async () => {
    const actor = "false-server";
    const faults = ["epochs", "wipe", "byzantine"] as const;
    const scenario = makeScenario({ app: "ledger", seed: "5", validators: 7, minutes: MINUTES, faults, actor });
    const { imports, lies } = await expectHeld(scenario, {}, { actor });
    expect(imports).toBeGreaterThan(0);
    expect(lies).toBeGreaterThan(1);
  });

  it("hold with every fault at once", async () => {
    const scenario = makeScenario({ app: "ledger", seed: "1", validators: 7, minutes: 0.8, faults: FAULTS });
    const { heights } = await expectHeld(scenario);
    expect(Math.min(...heights)).toBeGreaterThan(5);
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
