import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ActivityEvent,
  type BusyInterval,
  busyIntervals,
  busyShare,
  periodsOf,
} from "../../dashboard/pages/provider/activity.ts";

const span = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }))
  .map(([a, b]): BusyInterval => ({ device: 1n, from: Math.min(a, b), to: Math.max(a, b) }));

describe("how busy a provider was", () => {
  it("counts a race from draw to seal, or to the device's next draw, and what has not ended until now", () => {
    const events: readonly ActivityEvent[] = [
      { kind: "drawn", seconds: 10, job: 1n, device: 1n },
      { kind: "drawn", seconds: 12, job: 2n, device: 2n },
      { kind: "sealed", seconds: 14, job: 1n },
      { kind: "drawn", seconds: 20, job: 3n, device: 2n },
      { kind: "committed", seconds: 21, job: 1n },
    ];
    expect(busyIntervals(events, 30)).toEqual([
      { device: 1n, from: 10, to: 14 },
      { device: 2n, from: 12, to: 20 },
      { device: 2n, from: 20, to: 30 },
    ]);
  });

  it("counts an auction from the award to the last commitment, without a device", () => {
    const events: readonly ActivityEvent[] = [
      { kind: "awarded", seconds: 5, job: 1n },
      { kind: "committed", seconds: 9, job: 1n },
      { kind: "committed", seconds: 15, job: 1n },
      { kind: "awarded", seconds: 18, job: 2n },
    ];
    expect(busyIntervals(events, 20)).toEqual([
      { device: undefined, from: 5, to: 15 },
      { device: undefined, from: 18, to: 20 },
    ]);
  });

  it("counts every second once, as looking at each of them does", () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 8 }), span, (intervals, { from, to }) => {
        const seconds = Array.from({ length: to - from }, (_, i) => from + i);
        const covered = seconds.filter((second) =>
          intervals.some((each) => each.from <= second && second + 1 <= each.to),
        );
        expect(busyShare(intervals, from, to)).toBeCloseTo(to === from ? 0 : covered.length / (to - from), 9);
      }),
    );
  });
});

describe("earnings over time", () => {
  it("are all in some period, however long the time is, and there are 40 periods at most", () => {
    const payment = fc.record({
      kind: fc.constant("paid" as const),
      seconds: fc.integer({ min: 1_700_000_000, max: 1_708_000_000 }),
      job: fc.bigInt(1n, 99n),
      wei: fc.bigInt(1n, 10n ** 20n),
    });
    fc.assert(
      fc.property(fc.array(payment, { minLength: 1, maxLength: 20 }), fc.nat(10_000), (payments, later) => {
        const events = payments.toSorted((a, b) => a.seconds - b.seconds);
        const now = (events.at(-1)?.seconds ?? 0) + later;
        const periods = periodsOf(events, now);
        expect(periods.length).toBeLessThanOrEqual(40);
        const total = (of: readonly bigint[]) => of.reduce((sum, wei) => sum + wei, 0n);
        expect(total(periods.map(({ earned }) => earned))).toBe(total(events.map(({ wei }) => wei)));
      }),
    );
  });

  it("are nothing before the first job", () => {
    expect(periodsOf([], 100)).toEqual([]);
  });
});
