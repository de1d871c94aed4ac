import { describe, expect, it } from "vitest";
import { PLANTED_BUGS, type PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import { type FaultName, makeScenario, type Scenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

interface Hunt {
  readonly faults: readonly FaultName[];
  readonly actor?: string;
  /** The invariant that must notice it. */
  readonly finds: RegExp;
}

/** Where each trap lies. Nothing else is chosen: the seeds are those from 0 on. */
const HUNTS: Readonly<Record<PlantedBug, Hunt>> = {
  "lose-notarized-bodies": { faults: ["crash-all"], finds: /progress:/ },
  "forget-own-nullify": { faults: ["partition", "crash-all", "byzantine"], actor: "silent", finds: /progress:/ },
  "finalize-after-timeout": { faults: ["loss", "partition"], finds: /no-honest-evidence:/ },
  "reject-mixed-views": { faults: ["loss", "reordering", "partition"], finds: /progress:/ },
  "finalize-in-view-only": { faults: ["byzantine", "slow"], actor: "finalize-withholder", finds: /progress:|rest:/ },
  "sign-below-floor": { faults: ["loss", "partition", "lost-chain"], finds: /no-honest-evidence:/ },
};

const MOST_SEEDS = 40;

function scenarioOf(seed: number, { faults, actor }: Hunt): Scenario {
  return makeScenario({ seed: `planted ${seed}`, validators: 4, minutes: 0.6, faults, actor });
}

describe("planted bugs", () => {
  it.each(PLANTED_BUGS)(
    "%s is found within a bounded number of seeds, and without it those seeds hold",
    async (bug) => {
      const hunt = HUNTS[bug];
      for (let seed = 0; seed < MOST_SEEDS; seed++) {
        const scenario = scenarioOf(seed, hunt);
        const { violations } = await simulate(scenario, { bugs: new Set([bug]) });
        if (!violations.some((violation) => hunt.finds.test(violation))) continue;
        expect((await simulate(scenario)).violations).toEqual([]);
        return;
      }
      expect.fail(`${bug} was not found in ${MOST_SEEDS} seeds`);
    },
  );
});
