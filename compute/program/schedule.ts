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

export function* scheduleOf(program: Program): Generator<ScheduledLaunch> {
  const places = new Map<LaunchSpec, number>();
  numberLaunches(program.steps, places);
  const counter = { index: 0 };
  yield* scheduleSteps(program.steps, [], places, counter);
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
  counter: { index: number },
): Generator<ScheduledLaunch> {
  for (const step of steps) {
    if (step.kind === "loop") {
      for (let i = 0; i < step.count; i++) yield* scheduleSteps(step.body, [...iterations, i], places, counter);
      continue;
    }
    yield {
      index: counter.index++,
      place: places.get(step) ?? 0,
      launch: step,
      arguments: step.arguments.map((argument) => bind(argument, iterations)),
    };
  }
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
