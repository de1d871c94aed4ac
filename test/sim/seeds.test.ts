import { describe, expect, it } from "vitest";
import { blsKeys } from "./bls-keys.ts";
import { FAULTS, makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

const GROUPS = 15;
const SEEDS_PER_GROUP = 8;

describe("networks of 4 to 10 validators", () => {
  it.each(Array.from({ length: GROUPS }, (_, group) => group))(
    "hold what must hold under any faults (group %i)",
    async (group) => {
      for (let index = 0; index < SEEDS_PER_GROUP; index++) {
        const seed = String(group * SEEDS_PER_GROUP + index);
        const result = await simulate(makeScenario({ seed, minutes: 0.6 }));
        expect({ seed, violations: result.violations }).toEqual({ seed, violations: [] });
      }
    },
  );

  it("change their validators at every epoch", async () => {
    const result = await simulate(
      makeScenario({ seed: "epochs", validators: 7, minutes: 0.6, faults: ["epochs", "crash"] }),
    );
    expect(result.violations).toEqual([]);
    expect(result.epochs).toBeGreaterThan(2);
  });

  it("hold with every fault at once", async () => {
    const result = await simulate(makeScenario({ seed: "everything", validators: 7, minutes: 1, faults: FAULTS }));
    expect(result.violations).toEqual([]);
    expect(Math.min(...result.heights)).toBeGreaterThan(5);
  });

  it("hold with real BLS signatures", async () => {
    const scenario = makeScenario({
      seed: "bls",
      validators: 4,
      minutes: 0.6,
      faults: ["crash", "byzantine", "epochs"],
    });
    const result = await simulate(scenario, { keys: blsKeys() });
    expect(result.violations).toEqual([]);
    expect(Math.min(...result.heights)).toBeGreaterThan(5);
  });
});

describe("the simulator", () => {
  it("gives the same trace for the same seed and another for another", async () => {
    const hash = async (seed: string): Promise<string> =>
      (await simulate(makeScenario({ seed, minutes: 0.3, faults: FAULTS }))).traceHash;
    expect(await hash("a")).toBe(await hash("a"));
    expect(await hash("a")).not.toBe(await hash("b"));
  });
});
