import { defineConfig } from "vitest/config";

/** Minutes of starting programs, killing them and waiting for them: `npm run test:slow`, which CI runs too. */
export const SLOW: readonly string[] = [
  "test/processes/**/*.test.ts",
  "test/cli/chain-commands.test.ts",
  "test/cli/devnet.test.ts",
  "test/cli/network.test.ts",
  "test/cli/validator.test.ts",
  "test/chain/runtime/node.test.ts",
  "test/compute/device/cuda-ptx.test.ts",
];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...SLOW],
    // Property tests and the small benchmark sizes take seconds; a hang must still end the run.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: "100%",
  },
});
