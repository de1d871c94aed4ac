import { setTimeout as delay } from "node:timers/promises";
import type { ClockPort } from "../../compute/agent/ports.ts";

export const systemClock: ClockPort = {
  now: () => Date.now(),
  wait: async (milliseconds, signal) => {
    // Who is told to stop has waited long enough.
    await delay(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};
