/** Which tile a number stands for: each of a range of launches has as many numbers as compute units it may use. */
import { assert } from "../../base/errors.ts";
import { launchesIn } from "./schedule.ts";
import type { LaunchRange } from "./segments.ts";
import { launchFuel } from "./tiles.ts";
import type { Program, StepSpec } from "./types.ts";

export interface DrawnPlace {
  readonly launch: number;
  readonly tile: number;
}

/**
 * The place of `number`, taken modulo the compute units of the range, which has at least one launch. By arithmetic: a
 * program of a few bytes may have 2^40 launches. A number of 256 bits favours no tile by more than 2^-128.
 */
export function drawPlace(program: Program, { first, end }: LaunchRange, number: bigint): DrawnPlace {
  const start = fuelBefore(program.steps, first);
  const units = fuelBefore(program.steps, end) - start;
  assert(units > 0n, "the range has a launch");
  return placeOf(program.steps, start + (number % units));
}

/** Compute units of all launches of the range. */
export function fuelOf(program: Program, { first, end }: LaunchRange): bigint {
  return fuelBefore(program.steps, end) - fuelBefore(program.steps, first);
}

function fuelOfSteps(steps: readonly StepSpec[]): bigint {
  return steps.reduce((sum, step) => sum + fuelOfStep(step), 0n);
}

function fuelOfStep(step: StepSpec): bigint {
  return step.kind === "launch" ? launchFuel(step) : BigInt(step.count) * fuelOfSteps(step.body);
}

/** Compute units of the first `launches` launches that the steps make. */
function fuelBefore(steps: readonly StepSpec[], launches: number): bigint {
  let rest = launches;
  let sum = 0n;
  for (const step of steps) {
    if (rest <= 0) break;
    const inside = launchesIn([step]);
    if (rest >= inside || step.kind === "launch") sum += fuelOfStep(step);
    else {
      const each = launchesIn(step.body);
      sum += BigInt(Math.floor(rest / each)) * fuelOfSteps(step.body) + fuelBefore(step.body, rest % each);
    }
    rest -= inside;
  }
  return sum;
}

function placeOf(program: readonly StepSpec[], unit: bigint): DrawnPlace {
  let steps = program;
  let rest = unit;
  let launch = 0;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as StepSpec;
    const units = fuelOfStep(step);
    if (rest >= units) {
      rest -= units;
      launch += launchesIn([step]);
      continue;
    }
    if (step.kind === "launch") return { launch, tile: Number(rest / BigInt(step.fuel)) };
    const each = fuelOfSteps(step.body);
    launch += Number(rest / each) * launchesIn(step.body);
    rest %= each;
    steps = step.body;
    at = -1;
  }
  throw new Error("invariant violated: the unit is one of the program's");
}
