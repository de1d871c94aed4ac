import { expect } from "vitest";
import { type ReplayOptions, replayCommand } from "./replay.ts";
import type { Scenario } from "./scenario.ts";
import { type SimulationOptions, type SimulationResult, simulate } from "./simulation.ts";

/** Whoever reads of a failure reads how to see it again. */
export async function expectHeld(
  scenario: Scenario,
  options: SimulationOptions = {},
  replay: ReplayOptions = {},
): Promise<SimulationResult> {
  const result = await simulate(scenario, options);
  expect(result.violations, replayCommand(scenario, { bugs: options.bugs, ...replay })).toEqual([]);
  return result;
}
