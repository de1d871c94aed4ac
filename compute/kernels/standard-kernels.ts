/** The PTX of the standard kernels: the committed output of nvcc, cut into one text for each kernel. */
import { assert } from "../../base/errors.ts";
import type { KernelSource } from "../program/types.ts";
import { ptxText } from "./ptx-text.ts";

/** File -> its kernels. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  gemm: ["gemm"],
  conv: ["conv"],
  "gemm-int8": ["gemm_int8"],
  elementwise: [
    ...["negate", "absolute", "reciprocal", "square_root", "relu", "exponential", "logarithm", "hyperbolic_tangent"],
    ...["error_function", "sigmoid", "gelu", "add", "subtract", "multiply", "divide", "minimum", "maximum"],
  ],
  rows: [
    ...["reduce_sum", "reduce_mean", "reduce_sum_square", "reduce_product", "reduce_max", "reduce_min"],
    ...["softmax", "layer_norm", "rms_norm"],
  ],
  pool: ["max_pool", "average_pool"],
};

export const STANDARD_KERNELS: readonly string[] = Object.values(FILES).flat();

const texts = new Map<string, string>();

/** The header of the module, and the kernels that follow it. */
function cut(file: string): void {
  const [header = "", ...kernels] = ptxText(`ptx/${file}`).split(/^(?=\.visible \.entry )/m);
  for (const kernel of kernels) {
    const name = /^\.visible \.entry (\w+)/.exec(kernel)?.[1] ?? "";
    // What lies between two kernels is comments.
    texts.set(name, `${header.replaceAll(/^\s*\/\/.*\n/gm, "")}${kernel.slice(0, kernel.lastIndexOf("}") + 1)}\n`);
  }
}

/** A kernel as programs carry it. */
export function standardKernel(name: string): KernelSource {
  const file = Object.keys(FILES).find((key) => FILES[key]?.includes(name));
  assert(file !== undefined, `${name} is a standard kernel`);
  if (!texts.has(name)) cut(file);
  const ptx = texts.get(name);
  assert(ptx !== undefined, `${file} has the kernel ${name}`);
  return { ptx, entry: name };
}

/** The name of a standard kernel, if that is what it is to the letter. */
export function standardName({ ptx, entry }: KernelSource): string | undefined {
  if (!STANDARD_KERNELS.includes(entry)) return undefined;
  return standardKernel(entry).ptx === ptx ? entry : undefined;
}
