/** The kernels of ONNX operators: committed PTX is what nvcc makes of the sources, and every kernel can be verified. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ONNX_KERNEL_FILES, onnxKernel } from "../../../compute/kernels/onnx/onnx-kernels.ts";
import { STANDARD_KERNELS } from "../../../compute/kernels/standard-kernels.ts";
import { checkKernel, checkModule } from "../../../compute/ptx/check.ts";
import { compileKernel } from "../../../compute/ptx/wasm/compile.ts";
import { wasmApi } from "../../../compute/ptx/wasm/wasm-api.ts";

const FOLDER = new URL("../../../compute/kernels/onnx/", import.meta.url);

function ptxOf(file: string): string {
  return readFileSync(new URL(`ptx/${file}.ptx`, FOLDER), "utf8");
}

function hasNvcc(): boolean {
  try {
    execFileSync("nvcc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.each(ONNX_KERNEL_FILES)("%s", (file) => {
  it("passes the check as a whole, and cut into kernels compiles one by one", () => {
    const reports = checkModule(ptxOf(file));
    expect(reports.flatMap(({ name, problems }) => problems.map(({ message }) => `${name}: ${message}`))).toEqual([]);
    for (const { name } of reports) {
      const { ptx, entry } = onnxKernel(name);
      expect(new wasmApi.Module(compileKernel(checkKernel(ptx, entry)).wasm)).toBeDefined();
      // A program names kernels by text, people by entry: no two may have one name.
      expect(STANDARD_KERNELS).not.toContain(name);
    }
  });

  it.runIf(hasNvcc())("is what nvcc makes of its source", () => {
    const folder = mkdtempSync(join(tmpdir(), "onnx-"));
    try {
      const output = join(folder, "out.ptx");
      const source = fileURLToPath(new URL(`${file}.cu`, FOLDER));
      execFileSync("nvcc", ["-ptx", "-arch=compute_75", "-fmad=false", "-std=c++17", source, "-o", output]);
      const code = (text: string): string => text.replace(/^\/\/.*\n/gm, "");
      expect(code(readFileSync(output, "utf8"))).toBe(code(ptxOf(file)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
