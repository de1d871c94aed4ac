import { defineConfig } from "vitest/config";
import { SLOW } from "./vitest.config.ts";

/** What `npm test` leaves out: programs as people run them, networks of them, and a GPU's driver played by ours. */
export default defineConfig({
  test: {
    include: [...SLOW],
    testTimeout: 300_000,
    hookTimeout: 240_000,
    pool: "forks",
    maxWorkers: "100%",
  },
});
