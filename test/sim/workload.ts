/** What clients do while a simulation runs. */
import type { SimNode } from "./sim-node.ts";

export interface Workload {
  /** Begins; no new transaction comes after that time. */
  start(until: number): void;
  /** All that were sent. */
  readonly total: number;
  /** Those that the node has not seen final. */
  unfinishedOn(node: SimNode): number;
}
