/** The command that runs a scenario again, for whoever reads of its failure. */
import type { PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import type { Scenario } from "./scenario.ts";

/** What a scenario does not tell of how it was made and run. */
export interface ReplayOptions {
  readonly wideArea?: boolean | undefined;
  readonly actor?: string | undefined;
  readonly bls?: boolean | undefined;
  readonly bugs?: ReadonlySet<PlantedBug> | undefined;
}

export function replayCommand(scenario: Scenario, { wideArea, actor, bls, bugs }: ReplayOptions = {}): string {
  const { seed, app, validators, minutes, faults } = scenario;
  const words = [
    `npm run sim -- --app ${app} --seed ${seed} --validators ${validators} --minutes ${minutes}`,
    `--faults ${[...faults].join(",") || "none"}`,
    ...(actor === undefined ? [] : [`--actor ${actor}`]),
    ...(wideArea ? ["--wide-area"] : []),
    ...(bls ? ["--bls"] : []),
    ...(bugs === undefined || bugs.size === 0 ? [] : [`--bug ${[...bugs].join(",")}`]),
  ];
  return words.join(" ");
}
