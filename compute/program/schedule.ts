/** The launches of a program in the order in which they run, with the arguments of each iteration. */
import { assert } from "../../base/errors.ts";
import type { ArgumentSpec, LaunchSpec, Program, StepSpec } from "./types.ts";

export type BoundArgument =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "buffer"; readonly buffer: number };

export interface ScheduledLaunch {
  /** Counts every iteration: the number that commitments use. */
  readonly index: number;
  /** The position among the launches of the text. */
  readonly place: number;
  readonly launch: LaunchSpec;
  readonly arguments: readonly BoundArgument[];
}

/** All of them, or those from `first` up to `end`: what lies before is skipped without going through it. */
export function* scheduleOf(
  program: Program,
  { first, end }: { readonly first: number; readonly end: number } = { first: 0, end: Number.POSITIVE_INFINITY },
): Generator<ScheduledLaunch> {
  const places = new Map<LaunchSpec, number>();
  numberLaunches(program.steps, places);
  yield* scheduleSteps(program.steps, [], places, { index: 0, first, end });
}

/** The launch with this number, found without going through those before it; `undefined` when there are fewer. */
export function launchAt(program: Program, index: number): ScheduledLaunch | undefined {
  if (!Number.isSafeInteger(index) || index < 0) return undefined;
  const places = new Map<LaunchSpec, number>();
  numberLaunches(program.steps, places);
  let steps = program.steps;
  let rest = index;
  const iterations: number[] = [];
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as StepSpec;
    const inside = launchesIn([step]);
    if (rest >= inside) {
      rest -= inside;
      continue;
    }
    if (step.kind === "launch") return scheduled(step, index, iterations, places);
    const each = launchesIn(step.body);
    iterations.push(Math.floor(rest / each));
    rest %= each;
    steps = step.body;
    at = -1;
  }
  return undefined;
}

/** How many launches the steps make; exact, because a program has at most 2^40. */
export function launchesIn(steps: readonly StepSpec[]): number {
  return steps.reduce((sum, step) => sum + (step.kind === "launch" ? 1 : step.count * launchesIn(step.body)), 0);
}

function numberLaunches(steps: readonly StepSpec[], places: Map<LaunchSpec, number>): void {
  for (const step of steps) {
    if (step.kind === "launch") places.set(step, places.size);
    else numberLaunches(step.body, places);
  }
}

function* scheduleSteps(
  steps: readonly StepSpec[],
  iterations: readonly number[],
  places: ReadonlyMap<LaunchSpec, number>,
  counter: { index: number; readonly first: number; readonly end: number },
): Generator<ScheduledLaunch> {
  for (const step of steps) {
    if (counter.index >= counter.end) return;
    const before = counter.first - counter.index;
    const each = before <= 0 ? 0 : launchesIn(step.kind === "loop" ? step.body : [step]);
    const skipped = before <= 0 ? 0 : Math.min(Math.floor(before / each), step.kind === "loop" ? step.count : 1);
    counter.index += skipped * each;
    if (step.kind === "launch") {
      if (skipped === 0) yield scheduled(step, counter.index++, iterations, places);
      continue;
    }
    for (let i = skipped; i < step.count && counter.index < counter.end; i++) {
      yield* scheduleSteps(step.body, [...iterations, i], places, counter);
    }
  }
}

function scheduled(
  launch: LaunchSpec,
  index: number,
  iterations: readonly number[],
  places: ReadonlyMap<LaunchSpec, number>,
): ScheduledLaunch {
  const bound = launch.arguments.map((argument) => bind(argument, iterations));
  return { index, place: places.get(launch) ?? 0, launch, arguments: bound };
}

function bind(argument: ArgumentSpec, iterations: readonly number[]): BoundArgument {
  if (argument.kind === "scalar") return { kind: "bytes", bytes: argument.bytes };
  if (argument.kind === "buffer") return argument;
  const iteration = iterations[argument.depth];
  assert(iteration !== undefined, "the program was validated");
  if (argument.kind === "alternate") {
    return { kind: "buffer", buffer: argument.buffers[iteration % argument.buffers.length] as number };
  }
  const value = BigInt.asUintN(64, argument.start + argument.step * BigInt(iteration));
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return { kind: "bytes", bytes: bytes.subarray(0, argument.width) };
}
