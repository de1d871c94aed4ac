/** What is told about launches by arithmetic is what going through all of them tells. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawPlace, fuelOf } from "../../../compute/program/draw-place.ts";
import { lastWriterBefore } from "../../../compute/program/last-writer.ts";
import { launchAt, launchesIn, type ScheduledLaunch, scheduleOf } from "../../../compute/program/schedule.ts";
import { segmentRange } from "../../../compute/program/segments.ts";
import { tilesOf } from "../../../compute/program/tiles.ts";
import type { ArgumentSpec, LaunchSpec, LoopSpec, Program, StepSpec } from "../../../compute/program/types.ts";

const BUFFERS = 5;
const buffer = fc.integer({ min: 0, max: BUFFERS - 1 });

function argument(depth: number): fc.Arbitrary<ArgumentSpec> {
  const fixed = buffer.map((number): ArgumentSpec => ({ kind: "buffer", buffer: number }));
  if (depth === 0) return fixed;
  const loop = fc.integer({ min: 0, max: depth - 1 });
  return fc.oneof(
    fixed,
    fc
      .record({ depth: loop, buffers: fc.array(buffer, { minLength: 1, maxLength: 4 }) })
      .map((fields): ArgumentSpec => ({ kind: "alternate", ...fields })),
    loop.map((at): ArgumentSpec => ({ kind: "counter", depth: at, width: 4, start: 3n, step: 2n })),
  );
}

function launch(depth: number): fc.Arbitrary<LaunchSpec> {
  const fields = {
    fuel: fc.integer({ min: 1, max: 9 }),
    blocks: fc.integer({ min: 1, max: 4 }),
    bound: fc.array(argument(depth), { minLength: 1, maxLength: 3 }),
    writes: fc.subarray([0, 1, 2]),
    whole: fc.boolean(),
  };
  return fc.record(fields).map(({ fuel, blocks, bound, writes, whole }) => ({
    ...{ kind: "launch", kernel: 0, grid: [blocks, 1, 1], block: [1, 1, 1], dynamicShared: 0, fuel, bytes: 0 },
    arguments: bound,
    tiles: writes
      .filter((parameter) => parameter < bound.length && bound[parameter]?.kind !== "counter")
      .map((parameter) => ({ parameter, tile: whole ? { kind: "whole" } : { kind: "run", bytes: 4 } })),
  }));
}

function steps(depth: number): fc.Arbitrary<readonly StepSpec[]> {
  const one = launch(depth);
  if (depth === 3) return fc.array(one, { minLength: 1, maxLength: 2 });
  const loop = fc
    .record({ count: fc.integer({ min: 1, max: 5 }), body: steps(depth + 1) })
    .map((fields): LoopSpec => ({ kind: "loop", ...fields }));
  return fc.array(fc.oneof(one, loop), { minLength: 1, maxLength: 3 });
}

const programs: fc.Arbitrary<Program> = steps(0).map((all) => ({
  ...{ engine: 1, kernels: [], outputs: [], steps: all },
  buffers: Array.from({ length: BUFFERS }, (_, i) => ({ name: `b${i}`, kind: "zero", bytes: 16 })),
}));

function writes(scheduled: ScheduledLaunch, wanted: number): boolean {
  return scheduled.launch.tiles.some(({ parameter }) => {
    const bound = scheduled.arguments[parameter];
    return bound?.kind === "buffer" && bound.buffer === wanted;
  });
}

describe("a launch by its number", () => {
  it("is the one that the schedule has there", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const all = [...scheduleOf(program)];
        expect(launchesIn(program.steps)).toBe(all.length);
        all.forEach((scheduled, index) => {
          expect(launchAt(program, index)).toEqual(scheduled);
        });
        for (const none of [all.length, -1, 0.5, Number.NaN]) expect(launchAt(program, none)).toBeUndefined();
      }),
    );
  });
});

describe("the last writer of a buffer", () => {
  it("is the one that is met when going back from the launch", () => {
    fc.assert(
      fc.property(programs, (program) => {
        const all = [...scheduleOf(program)];
        for (let wanted = 0; wanted < BUFFERS; wanted++) {
          let last: number | undefined;
          for (let at = 0; at <= all.length; at++) {
            expect(lastWriterBefore(program, at, wanted)).toBe(last);
            if (at < all.length && writes(all[at] as ScheduledLaunch, wanted)) last = at;
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a drawn place", () => {
  it("gives every tile of the range as many numbers as it has fuel, in their order", () => {
    fc.assert(
      fc.property(programs, fc.integer({ min: 1, max: 4 }), fc.nat(), (program, segments, pick) => {
        const all = [...scheduleOf(program)];
        const range = segmentRange(all.length, segments, pick % segments);
        const expected = all
          .slice(range.first, range.end)
          .flatMap(({ index, launch: spec }) =>
            Array.from({ length: tilesOf(spec) }, (_, tile) =>
              new Array(spec.fuel).fill({ launch: index, tile }),
            ).flat(),
          );
        expect(fuelOf(program, range)).toBe(BigInt(expected.length));
        // Every number of a small range, and some of a large one.
        const stride = Math.max(1, Math.floor(expected.length / 50));
        for (let number = pick % stride; number < expected.length; number += stride) {
          expect(drawPlace(program, range, BigInt(number))).toEqual(expected[number]);
          expect(drawPlace(program, range, BigInt(number + 7 * expected.length))).toEqual(expected[number]);
        }
      }),
    );
  });

  it("is found in a program of 2^40 launches", () => {
    const [one] = fc.sample(launch(0), { numRuns: 1, seed: 1 });
    const body: LaunchSpec = { ...(one as LaunchSpec), fuel: 2 ** 44, grid: [2 ** 24, 1, 1], tiles: [] };
    const loops: StepSpec = { kind: "loop", count: 2 ** 20, body: [{ kind: "loop", count: 2 ** 20, body: [body] }] };
    const program: Program = { engine: 1, kernels: [], buffers: [], outputs: [], steps: [loops] };
    const range = segmentRange(2 ** 40, 4096, 4095);
    expect(range).toEqual({ first: 2 ** 40 - 2 ** 28, end: 2 ** 40 });
    expect(drawPlace(program, range, fuelOf(program, range) - 1n)).toEqual({ launch: 2 ** 40 - 1, tile: 2 ** 24 - 1 });
    expect(drawPlace(program, range, 0n)).toEqual({ launch: range.first, tile: 0 });
  });
});

describe("segments", () => {
  it("cut the launches without gap or overlap, as evenly as can be", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 50 }), (launches, segments) => {
        const ranges = Array.from({ length: segments }, (_, segment) => segmentRange(launches, segments, segment));
        expect(ranges[0]?.first).toBe(0);
        expect(ranges.at(-1)?.end).toBe(launches);
        ranges.slice(1).forEach(({ first }, i) => {
          expect(first).toBe(ranges[i]?.end);
        });
        const sizes = ranges.map(({ first, end }) => end - first);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
