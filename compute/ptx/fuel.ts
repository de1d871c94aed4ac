/**
 * What each instruction costs: compute units, of which a tile has a budget. The table is part of the engine version.
 *
 * One unit is about a nanosecond of the WebAssembly engine on one core, for a chain in which each instruction waits for
 * the one before (`npm run bench -- ptx-fuel` measures every class). What matters is that no class is much dearer than
 * its price, because a program could then take more time than it pays for; cheaper is fine, and whole numbers do.
 */
import type { Instruction, Op } from "./ir.ts";
import { isFloat } from "./scalar-types.ts";

/** Everything that is not listed costs 1. */
const COSTS: Partial<Record<Op, number>> = {
  fixnan: 0,
  ld: 2,
  st: 6,
  red: 6,
  div: 8,
  rem: 8,
  fdiv: 4,
  fsqrt: 6,
  fma: 8,
  fmin: 2,
  fmax: 2,
  dp4a: 2,
  prmt: 8,
  bfe: 8,
  bfi: 8,
  brev: 4,
  barrier: 8,
  shfl: 64,
  vote: 48,
  match: 128,
  warpsync: 48,
};

const FMA64 = 24;
const DIVIDE64 = 8;
const HIGH64 = 6;
const TOWARDS_ZERO = 8;
const FROM_FLOAT = 6;
const HALF = 10;

export function fuelOf({ op, type, from, mode }: Instruction): number {
  if (op === "fma" && type === "f64") return FMA64;
  if (op === "fdiv" && type === "f64") return DIVIDE64;
  if (mode === "rz" && (op === "fadd" || op === "fsub" || op === "fmul")) return TOWARDS_ZERO;
  if ((op === "mul" || op === "mad") && mode === "hi" && type.endsWith("64")) return HIGH64;
  if (op === "cvt") return conversionFuel(type, from);
  return COSTS[op] ?? 1;
}

function conversionFuel(type: Instruction["type"], from: Instruction["from"]): number {
  if (type === "f16" || from === "f16") return HALF;
  if (isFloat(from) && !isFloat(type)) return FROM_FLOAT;
  return isFloat(type) && !isFloat(from) ? 2 : 1;
}
