import type { CommandGroup } from "../command.ts";
import { computeCheck } from "./compute-check.ts";
import { computeRun } from "./compute-run.ts";

export const compute: CommandGroup = {
  name: "compute",
  summary: "Check and run kernels",
  commands: [computeCheck, computeRun],
};
