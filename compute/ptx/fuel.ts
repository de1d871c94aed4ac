/** What each instruction costs: compute units, of which a tile has a budget. The table is part of the engine version. */
import type { Instruction, Op } from "./ir.ts";

/** Everything that is not listed costs 1. The figures follow the time that the WebAssembly engine takes. */
const COSTS: Partial<Record<Op, number>> = {
  fixnan: 0,
  ld: 2,
  st: 4,
  red: 4,
  div: 8,
  rem: 8,
  fdiv: 4,
  fsqrt: 6,
  fma: 3,
  prmt: 8,
  bfe: 8,
  bfi: 4,
  brev: 8,
  barrier: 8,
  shfl: 16,
  vote: 16,
  match: 16,
  warpsync: 8,
};

const FMA64 = 24;

export function fuelOf({ op, type }: Instruction): number {
  if (op === "fma" && type === "f64") return FMA64;
  return COSTS[op] ?? 1;
}
