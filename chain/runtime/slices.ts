import type { Pause } from "../../base/work.ts";

/**
 * Lets the event loop go round whenever a work has taken so many milliseconds of it, or half as many as others took the
 * last time: however much they have to do, works get a third of the thread. Several works that are under way together do
 * not count as others to each other: each would give the next one reason to take longer.
 */
export function slicer(milliseconds: number, now: () => number = () => performance.now()): () => Pause {
  /** What all works have taken together. */
  let taken = 0;
  return () => {
    let start = now();
    let end = start + milliseconds;
    return () => {
      const left = now();
      if (left < end) return undefined;
      taken += left - start;
      const before = taken;
      return new Promise((resolve) => {
        setImmediate(() => {
          start = now();
          const others = start - left - (taken - before);
          end = start + Math.max(milliseconds, others / 2);
          resolve();
        });
      });
    };
  };
}
