/** The PTX of the kernels of ONNX operators: the committed output of nvcc, cut into one text for each kernel. */
import { existsSync, readFileSync } from "node:fs";
import { assert } from "../../../base/errors.ts";
import type { KernelSource } from "../../program/types.ts";

export const ONNX_KERNEL_FILES: readonly string[] = ["shapes", "unary", "binary", "rows", "products"];

let texts: ReadonlyMap<string, string> | undefined;

/** From the sources and from `dist`, which lies one folder further down. */
function readPtx(file: string): string {
  const places = [`./ptx/${file}.ptx`, `../../../../compute/kernels/onnx/ptx/${file}.ptx`];
  const place = places.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  assert(place !== undefined, `the PTX of ${file} is part of the package`);
  return readFileSync(place, "utf8");
}

/** One text for each kernel, with the header of its module. */
function cut(file: string): readonly (readonly [string, string])[] {
  const [header = "", ...kernels] = readPtx(file).split(/^(?=\.visible \.entry )/m);
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
