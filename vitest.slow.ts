import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LATE, SLOW } from "./test/suites.ts";

/** Where the longest files are, the longest first: one that began last would run alone at the end. */
const LONGEST: readonly string[] = [
  "test/processes/",
  "test/economy/",
  "test/vm/modules/",
  "test/dashboard/",
  "test/rpc/",
  "test/cli/",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((folder) => moduleId.includes(`/${folder}`));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/** What `npm test` leaves out: programs as people run them, networks of them, and a GPU's driver played by ours. */
export default defineConfig({
  test: {
    include: [...SLOW],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    isolate: false,
    // Programs that wait for blocks and deadlines leave the processors idle for a third of the time, so there are more of
    // these than processors.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    retry: LATE,
    sequence: { sequencer: LongestFirst },
  },
});
