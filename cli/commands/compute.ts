import type { CommandGroup } from "../command.ts";
import { computeCheck } from "./compute-check.ts";
import { computeRun } from "./compute-run.ts";
import { computeSelftest } from "./compute-selftest.ts";

export const compute: CommandGroup = {
  name: "compute",
  summary: "Check and run kernels, test devices",
  commands: [computeCheck, computeRun, computeSelftest],
};
