import { afterEach, expect, it, vi } from "vitest";
import { systemClock } from "../../../chain/runtime/clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("a timer for a time too far away for the system waits for as long as it can", () => {
  vi.useFakeTimers();
  const run = vi.fn();
  systemClock.setTimer(2 ** 31, run);
  vi.advanceTimersByTime(2 ** 31 - 2);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});
