import type { Pause } from "../../base/work.ts";

/**
 * Lets the event loop go round whenever the work has taken so many milliseconds of it, or half as many as others took the
 * last time: however much they have to do, the work gets a third of the thread.
 */
export function slicesOf(milliseconds: number, now: () => number = () => performance.now()): Pause {
  let end = now() + milliseconds;
  return () => {
    const left = now();
    if (left < end) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        const back = now();
        end = back + Math.max(milliseconds, (back - left) / 2);
        resolve();
      });
    });
  };
}
