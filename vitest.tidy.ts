import { defineConfig } from "vitest/config";

/** The rules of the source tree alone, for `npm run check`; `npm test` runs them with everything else. */
export default defineConfig({
  test: {
    // They read the whole tree: on a busy machine that takes a while.
    testTimeout: 120_000,
    include: ["test/tidy/**/*.test.ts"],
  },
});
