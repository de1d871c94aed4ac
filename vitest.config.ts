import { defineConfig } from "vitest/config";
import { ALONE, LATE, SLOW } from "./test/suites.ts";

const EVERYTHING = "test/**/*.test.ts";

export default defineConfig({
  test: {
    exclude: [...SLOW],
    projects: [
      { extends: true, test: { name: "shared", include: [EVERYTHING], exclude: [...SLOW, ...ALONE], isolate: false } },
      { extends: true, test: { name: "alone", include: [...ALONE] } },
    ],
    // Property tests and the small benchmark sizes take seconds, many on a busy machine; a hang must still end the run.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: LATE,
    pool: "forks",
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: "100%",
  },
});
