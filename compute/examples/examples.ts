/** All examples, in the order in which docs/examples.md explains them. */
import type { Example } from "./example.ts";
import { heatEquation } from "./heat-equation.ts";
import { histogramSort } from "./histogram-sort.ts";
import { imageFilter } from "./image-filter.ts";
import { mlpTraining } from "./mlp-training.ts";
import { monteCarlo } from "./monte-carlo.ts";
import { nBody } from "./n-body.ts";
import { sha256Search } from "./sha256-search.ts";

export const EXAMPLES: readonly Example[] = [
  ...[sha256Search, nBody, heatEquation, monteCarlo, histogramSort, imageFilter, mlpTraining],
];
