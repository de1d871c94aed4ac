import { describe, expect, it } from "vitest";
import { type AppName, makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

/** The first blocks of a chain with short epochs: proposals, votes, certificates, commits, seals, log rewrites. */
const BOUNDARIES = 70;
const PER_TEST = 14;
/** Whole nodes write more and take longer: every seventh boundary of twice as many. */
const LEDGER_STEP = 7;
const LEDGER_PER_TEST = 35;

interface Part {
  readonly first: number;
  readonly all: boolean;
}

function parts(boundaries: number, perTest: number): readonly Part[] {
  const firsts = Array.from({ length: boundaries / perTest }, (_, part) => part * perTest);
  return [false, true].flatMap((all) => firsts.map((first) => ({ first, all })));
}

async function crashAt(app: AppName, boundary: number, all: boolean): Promise<void> {
  const base = makeScenario({ app, seed: "boundaries", validators: 4, minutes: 0.25, faults: [] });
  const { violations } = await simulate({ ...base, blocksPerEpoch: 5, crashAtWrite: { node: 1, boundary, all } });
  expect({ boundary, violations }).toEqual({ boundary, violations: [] });
}

describe("a crash between two writes", () => {
  it.each(parts(BOUNDARIES, PER_TEST))(
    "loses nothing that was said, and finality goes on (from $first on, all nodes: $all)",
    async ({ first, all }) => {
      for (let boundary = first; boundary < first + PER_TEST; boundary++) await crashAt("counter", boundary, all);
    },
  );

  it.each(parts(2 * BOUNDARIES, LEDGER_PER_TEST))(
    "loses no state, block or transaction of whole nodes (from $first on, all nodes: $all)",
    async ({ first, all }) => {
      const start = first + (all ? 3 : 0);
      for (let boundary = start; boundary < first + LEDGER_PER_TEST; boundary += LEDGER_STEP) {
        await crashAt("ledger", boundary, all);
      }
    },
  );
});
