import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real validators under faults take minutes and a machine of their own: `npm run test:slow`, which CI runs too.
    exclude: ["test/processes/**"],
    // Property tests and the small benchmark sizes take seconds; a hang must still end the run.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: "100%",
  },
});
