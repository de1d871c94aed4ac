/** What the market's events say of one provider: when its devices were busy, and what it was paid. Pure. */

export type ActivityEvent = { readonly seconds: number; readonly job: bigint } & (
  | { readonly kind: "drawn"; readonly device: bigint }
  | { readonly kind: "awarded" | "sealed" | "committed" }
  | { readonly kind: "paid"; readonly wei: bigint }
);

/** In seconds since 1970. `device` is not known of auctions: a provider chooses it by itself. */
export interface BusyInterval {
  readonly device: bigint | undefined;
  readonly from: number;
  readonly to: number;
}

/**
 * A racer is busy from its draw to its seal, or to the device's next draw when it seals nothing; whoever has won an auction
 * from the award to the last commitment. What has not ended lasts until `now`. Events in the order of the chain.
 */
export function busyIntervals(events: readonly ActivityEvent[], now: number): readonly BusyInterval[] {
  const done: BusyInterval[] = [];
  const racing = new Map<bigint, { readonly device: bigint; readonly from: number }>();
  const awarded = new Map<bigint, { readonly from: number; to: number | undefined }>();
  const end = (job: bigint, to: number): void => {
    const race = racing.get(job);
    if (race === undefined) return;
    done.push({ ...race, to });
    racing.delete(job);
  };
  for (const event of events) {
    const { job, seconds } = event;
    if (event.kind === "drawn") {
      for (const [other, { device }] of [...racing]) if (device === event.device) end(other, seconds);
      racing.set(job, { device: event.device, from: seconds });
    } else if (event.kind === "awarded") {
      awarded.set(job, { from: seconds, to: undefined });
    } else if (event.kind === "sealed" || event.kind === "committed") {
      end(job, seconds);
      const work = awarded.get(job);
      if (work !== undefined) work.to = seconds;
    }
  }
  for (const { device, from } of racing.values()) done.push({ device, from, to: now });
  for (const { from, to = now } of awarded.values()) done.push({ device: undefined, from, to });
  return done;
}

/** The share of the time from `from` to `to` that any of the intervals covers, 0 to 1. */
export function busyShare(intervals: readonly BusyInterval[], from: number, to: number): number {
  if (to <= from) return 0;
  const inside = intervals
    .map((interval) => ({ from: Math.max(from, interval.from), to: Math.min(to, interval.to) }))
    .filter((interval) => interval.to > interval.from)
    .sort((a, b) => a.from - b.from);
  let [covered, reached] = [0, from];
  for (const interval of inside) {
    covered += Math.max(0, interval.to - Math.max(reached, interval.from));
    reached = Math.max(reached, interval.to);
  }
  return covered / (to - from);
}

export interface Period {
  /** When it begins. */
  readonly seconds: number;
  readonly earned: bigint;
  readonly busy: number;
}

/** Seconds that one bar of a chart may stand for. */
const STEPS = [10, 60, 300, 900, 3600, 21_600, 86_400, 604_800] as const;
const MOST_PERIODS = 40;

/** From the first event to `now`, in equal parts that people know: never more than 40. */
export function periodsOf(events: readonly ActivityEvent[], now: number): readonly Period[] {
  const first = events[0]?.seconds;
  if (first === undefined) return [];
  const step = STEPS.find((each) => (now - first) / each < MOST_PERIODS - 1) ?? 604_800;
  const start = Math.floor(first / step) * step;
  const count = Math.min(MOST_PERIODS, Math.floor((now - start) / step) + 1);
  const begin = Math.floor(now / step) * step - (count - 1) * step;
  const intervals = busyIntervals(events, now);
  return Array.from({ length: count }, (_, index) => {
    const from = begin + index * step;
    const paid = events.filter(({ kind, seconds }) => kind === "paid" && seconds >= from && seconds < from + step);
    return {
      seconds: from,
      earned: paid.reduce((sum, event) => (event.kind === "paid" ? sum + event.wei : sum), 0n),
      busy: busyShare(intervals, from, Math.min(now, from + step)),
    };
  });
}
