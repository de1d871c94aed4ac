import { describe, expect, it } from "vitest";
import { makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

/** The first blocks of a chain with short epochs: proposals, votes, certificates, commits, seals, log rewrites. */
const BOUNDARIES = 70;

describe("a crash between any two writes", () => {
  it.each([false, true])("loses nothing that was said, and finality goes on (all nodes: %s)", async (all) => {
    const base = makeScenario({ seed: "boundaries", validators: 4, minutes: 0.35, faults: [] });
    for (let boundary = 0; boundary < BOUNDARIES; boundary++) {
      const scenario = { ...base, blocksPerEpoch: 5, crashAtWrite: { node: 1, boundary, all } };
      const { violations } = await simulate(scenario);
      expect({ boundary, violations }).toEqual({ boundary, violations: [] });
    }
  });
});
