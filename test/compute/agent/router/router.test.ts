import { describe, expect, it } from "vitest";
import { Prng } from "../../../../base/prng.ts";
import { advise, type Candidate, type Wanted } from "../../../../compute/agent/router/advise.ts";
import { measured, NO_ROUND_TRIPS, roundTrip } from "../../../../compute/agent/router/proximity.ts";
import {
  firstModel,
  learn,
  predict,
  predictLate,
  type SpeedModel,
} from "../../../../compute/agent/router/speed-model.ts";

/** Jobs of all sizes from somebody who takes `overhead` seconds and computes at `speed`, with so much noise. */
function history(
  model: SpeedModel,
  seed: string,
  overhead: number,
  speed: number,
  noise: number,
  jobs: number,
): SpeedModel {
  const prng = new Prng(seed);
  let now = model;
  for (let job = 0; job < jobs; job++) {
    const units = 10 ** (7 + prng.below(4_000) / 1_000);
    const factor = 1 + noise * (prng.below(2_001) / 1_000 - 1);
    now = learn(now, { units, seconds: (overhead + units / speed) * factor });
  }
  return now;
}

function close(got: number, wanted: number, share: number): void {
  expect(Math.abs(got - wanted) / wanted).toBeLessThan(share);
}

describe("the model of a provider's speed", () => {
  it("learns overhead and speed from a wrong start, for small jobs and large ones alike", () => {
    const model = history(firstModel(1e6), "exact", 2, 5e8, 0, 60);
    for (const units of [1e6, 1e8, 1e10, 1e11]) close(predict(model, units), 2 + units / 5e8, 0.01);
    expect(model.observations).toBe(60);
  });

  it("is not led astray by noise, and knows how far off it is", () => {
    const model = history(firstModel(1e9), "noise", 1, 2e8, 0.2, 400);
    for (const units of [1e7, 1e9, 1e11]) close(predict(model, units), 1 + units / 2e8, 0.1);
    expect(Math.sqrt(model.error)).toBeGreaterThan(0.05);
    expect(Math.sqrt(model.error)).toBeLessThan(0.25);
    expect(predictLate(model, 1e9)).toBeGreaterThan(predict(model, 1e9) * 1.1);
  });

  it("follows a provider that has changed", () => {
    const fast = history(firstModel(1e9), "before", 1, 1e9, 0.05, 200);
    const slow = history(fast, "after", 1, 1e8, 0.05, 200);
    close(predict(slow, 1e10), 101, 0.15);
  });

  it("ignores what cannot be, and never predicts less than nothing", () => {
    const model = history(firstModel(1e9), "sane", 1, 1e9, 0.1, 10);
    for (const seconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e9])
      expect(learn(model, { units: 1e9, seconds })).toBe(model);
    expect(learn(model, { units: Number.NaN, seconds: 1 })).toBe(model);
    let wild = model;
    const prng = new Prng("wild");
    for (let i = 0; i < 2_000; i++) {
      wild = learn(wild, { units: 10 ** prng.below(14), seconds: 10 ** (prng.below(9) - 3) });
      expect(predict(wild, 10 ** prng.below(14))).toBeGreaterThanOrEqual(0);
      expect(Object.values(wild.sums).every(Number.isFinite)).toBe(true);
    }
  });
});

describe("advice on where a job goes", () => {
  const near = measured(NO_ROUND_TRIPS, 10);
  const base: Candidate = {
    ...{ provider: "a", tier: 1, capabilities: 3n, memoryBytes: 8n, model: firstModel(1e9), roundTrips: near },
    ...{ load: 0, accepted: 50, failed: 0 },
  };
  const wanted: Wanted = { units: 1e10, tier: 1, capabilities: 1n, memoryBytes: 8n, transferBytes: 1_000 };
  const order = (...candidates: readonly Candidate[]): readonly string[] =>
    advise(candidates, wanted, 10).map(({ provider }) => provider);

  it("prefers the faster, the idler, the nearer and the more reliable, all else being equal", () => {
    const better = { ...base, provider: "z" };
    for (const worse of [
      { ...base, model: firstModel(5e8) },
      { ...base, load: 1 },
      { ...base, roundTrips: measured(NO_ROUND_TRIPS, 900) },
      { ...base, failed: 50 },
      { ...base, accepted: 0 },
    ])
      expect(order(worse, better)).toEqual(["z", "a"]);
  });

  it("leaves out who has not the tier, the memory or what the program needs, or never answers", () => {
    const silent = measured(NO_ROUND_TRIPS, undefined);
    const unfit: readonly Candidate[] = [
      ...[
        { ...base, tier: 2 },
        { ...base, memoryBytes: 7n },
        { ...base, capabilities: 2n },
      ],
      { ...base, roundTrips: silent },
    ];
    expect(order(...unfit)).toEqual([]);
    expect(order({ ...base, roundTrips: NO_ROUND_TRIPS })).toEqual(["a"]);
  });

  it("is the same whatever order candidates come in, and no longer than asked for", () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ ...base, provider: `p${i}`, load: i % 4 }));
    expect(advise(many.toReversed(), wanted, 5)).toEqual(advise(many, wanted, 5));
    expect(advise(many, wanted, 5).length).toBe(5);
  });

  it("takes the shortest of the last round trips", () => {
    let trips = NO_ROUND_TRIPS;
    for (const sample of [90, 30, undefined, 45]) trips = measured(trips, sample);
    expect(roundTrip(trips)).toBe(30);
    for (let i = 0; i < 16; i++) trips = measured(trips, 60);
    expect([roundTrip(trips), trips.samples.length]).toEqual([60, 16]);
  });
});
