/** Which launch made what a buffer holds, by arithmetic: loops may have more iterations than can be walked. */
import { launchesIn } from "./schedule.ts";
import type { ArgumentSpec, LaunchSpec, Program, StepSpec } from "./types.ts";

interface Around {
  readonly count: number;
  /** Launches of one iteration. */
  readonly each: number;
}

/** The last launch before this one that writes the buffer; `undefined` when it still is what it was at the start. */
export function lastWriterBefore(program: Program, launch: number, buffer: number): number | undefined {
  let last: number | undefined;
  const search = (steps: readonly StepSpec[], loops: readonly Around[], before: number): void => {
    let offset = before;
    for (const step of steps) {
      if (step.kind === "loop")
        search(step.body, [...loops, { count: step.count, each: launchesIn(step.body) }], offset);
      else {
        for (const found of writesBefore(step, loops, offset, launch, buffer)) {
          if (last === undefined || found > last) last = found;
        }
      }
      offset += launchesIn([step]);
    }
  };
  search(program.steps, [], 0);
  return last;
}

/** The last one below `launch` for each argument through which this launch of the text writes the buffer. */
function writesBefore(
  spec: LaunchSpec,
  loops: readonly Around[],
  offset: number,
  launch: number,
  buffer: number,
): readonly number[] {
  return spec.tiles.flatMap(({ parameter }) => {
    const found = lastIteration(loops, 0, launch - 1 - offset, spec.arguments[parameter], buffer);
    return found === undefined ? [] : [offset + found];
  });
}

/**
 * The launches that iterations of the loops from `depth` on put before the last one in which the argument is the
 * buffer; at most `most`. The iteration of one loop alone decides what an argument is. Where the last iteration that
 * `most` allows is too short for it, the one before is whole: so two tries are enough.
 */
function lastIteration(
  loops: readonly Around[],
  depth: number,
  most: number,
  argument: ArgumentSpec | undefined,
  buffer: number,
): number | undefined {
  if (most < 0) return undefined;
  const loop = loops[depth];
  if (loop === undefined) {
    const isIt = argument?.kind === "alternate" || (argument?.kind === "buffer" && argument.buffer === buffer);
    return isIt ? 0 : undefined;
  }
  let iteration: number | undefined = Math.min(loop.count - 1, Math.floor(most / loop.each));
  for (let tries = 0; tries < 2; tries++) {
    iteration = lastAllowed(iteration, depth, argument, buffer);
    if (iteration === undefined) return undefined;
    const inside = lastIteration(loops, depth + 1, most - iteration * loop.each, argument, buffer);
    if (inside !== undefined) return iteration * loop.each + inside;
    iteration--;
  }
  return undefined;
}

/** The last iteration up to this one in which the argument is the buffer, as far as the loop at `depth` decides it. */
function lastAllowed(
  most: number,
  depth: number,
  argument: ArgumentSpec | undefined,
  buffer: number,
): number | undefined {
  if (most < 0) return undefined;
  if (argument?.kind !== "alternate" || argument.depth !== depth) return most;
  const { buffers } = argument;
  for (let back = 0; back < buffers.length && back <= most; back++) {
    if (buffers[(most - back) % buffers.length] === buffer) return most - back;
  }
  return undefined;
}
