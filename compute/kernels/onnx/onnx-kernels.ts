/** The PTX of the kernels of ONNX operators: the committed output of nvcc, cut into one text for each kernel. */
import { assert } from "../../../base/errors.ts";
import type { KernelSource } from "../../program/types.ts";
import { ptxText } from "../ptx-text.ts";

export const ONNX_KERNEL_FILES: readonly string[] = ["shapes", "unary", "binary", "rows", "products"];

let texts: ReadonlyMap<string, string> | undefined;

/** One text for each kernel, with the header of its module. */
function cut(file: string): readonly (readonly [string, string])[] {
  const [header = "", ...kernels] = ptxText(`onnx/ptx/${file}`).split(/^(?=\.visible \.entry )/m);
  const start = header.replaceAll(/^\s*\/\/.*\n/gm, "");
  return kernels.map((kernel) => {
    const name = /^\.visible \.entry (\w+)/.exec(kernel)?.[1] ?? "";
    return [name, `${start}${kernel.slice(0, kernel.lastIndexOf("}") + 1)}\n`];
  });
}

export function hasOnnxKernel(entry: string): boolean {
  texts ??= new Map(ONNX_KERNEL_FILES.flatMap(cut));
  return texts.has(entry);
}

export function onnxKernel(entry: string): KernelSource {
  const known = hasOnnxKernel(entry);
  const ptx = texts?.get(entry);
  assert(known && ptx !== undefined, `${entry} is a kernel`);
  return { ptx, entry };
}
