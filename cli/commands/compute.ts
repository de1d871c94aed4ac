import type { CommandGroup } from "../command.ts";
import { computeBench } from "./compute-bench.ts";
import { computeCheck } from "./compute-check.ts";
import { computeExample } from "./compute-example.ts";
import { computeRun } from "./compute-run.ts";
import { computeSelftest } from "./compute-selftest.ts";

export const compute: CommandGroup = {
  name: "compute",
  summary: "Check and run kernels, test devices",
  commands: [computeCheck, computeRun, computeExample, computeBench, computeSelftest],
};
