import { describe, expect, it } from "vitest";
import { type AppName, makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

/** The first blocks of a chain with short epochs: proposals, votes, certificates, commits, seals, log rewrites. */
const BOUNDARIES = 70;
/** Whole nodes write more, and take longer: every fifth boundary of twice as many. */
const LEDGER_BOUNDARIES = 140;
const LEDGER_STEP = 5;

async function crashAt(app: AppName, boundary: number, all: boolean): Promise<void> {
  const base = makeScenario({ app, seed: "boundaries", validators: 4, minutes: 0.3, faults: [] });
  const { violations } = await simulate({ ...base, blocksPerEpoch: 5, crashAtWrite: { node: 1, boundary, all } });
  expect({ boundary, violations }).toEqual({ boundary, violations: [] });
}

describe("a crash between any two writes", () => {
  it.each([false, true])("loses nothing that was said, and finality goes on (all nodes: %s)", async (all) => {
    for (let boundary = 0; boundary < BOUNDARIES; boundary++) await crashAt("counter", boundary, all);
  });

  it.each([false, true])("loses no state, block or transaction of whole nodes (all nodes: %s)", async (all) => {
    for (let boundary = all ? 2 : 0; boundary < LEDGER_BOUNDARIES; boundary += LEDGER_STEP) {
      await crashAt("ledger", boundary, all);
    }
  });
});
