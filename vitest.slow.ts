import { defineConfig } from "vitest/config";

/** Networks of real processes, killed and cut off under load: for `npm run test:slow`. One at a time. */
export default defineConfig({
  test: {
    include: ["test/processes/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: "forks",
    fileParallelism: false,
  },
});
