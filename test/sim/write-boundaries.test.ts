import { describe, expect, it } from "vitest";
import { type AppName, makeScenario, type Scenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

/** The node that crashes, alone or with all others. */
const NODE = 1;
const PARTS = 4;

/** The first blocks of a chain with short epochs: proposals, votes, certificates, commits, seals, log rewrites. */
function scenarioOf(app: AppName): Scenario {
  const minutes = app === "counter" ? 0.25 : 0.2;
  return { ...makeScenario({ app, seed: "1", validators: 4, minutes, faults: [] }), blocksPerEpoch: 5 };
}

/** How many the node has when nothing crashes: up to its crash, each run is the same as that one. */
const counts = new Map<AppName, Promise<number>>();

function boundariesOf(app: AppName): Promise<number> {
  const known = counts.get(app) ?? simulate(scenarioOf(app)).then((result) => result.writeBoundaries[NODE] ?? 0);
  counts.set(app, known);
  return known;
}

async function crashAt(app: AppName, boundary: number, all: boolean): Promise<void> {
  const scenario = scenarioOf(app);
  const { violations, crashes } = await simulate({ ...scenario, crashAtWrite: { node: NODE, boundary, all } });
  const expected = { boundary, all, crashes: all ? scenario.validators : 1, violations: [] };
  expect({ boundary, all, crashes, violations }).toEqual(expected);
}

const CASES = (["counter", "ledger"] as const).flatMap((app) =>
  [false, true].flatMap((all) => Array.from({ length: PARTS }, (_, part) => ({ app, all, part }))),
);

describe("a crash between two writes, at every place where there is one", () => {
  it.each(CASES)(
    "loses nothing that was said or kept, and finality goes on ($app, all nodes: $all, part $part)",
    async ({ app, all, part }) => {
      const boundaries = await boundariesOf(app);
      expect(boundaries).toBeGreaterThan(50);
      for (let boundary = part; boundary < boundaries; boundary += PARTS) await crashAt(app, boundary, all);
    },
  );
});
