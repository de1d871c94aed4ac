import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Property tests and the small benchmark sizes take seconds; a hang must still end the run.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: "100%",
  },
});
