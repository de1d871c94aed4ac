import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { STANDARD_KERNELS, standardKernel, standardName } from "../../../compute/kernels/standard-kernels.ts";
import { checkKernel } from "../../../compute/ptx/check.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

function has(program: string): boolean {
  return spawnSync(program, ["--version"]).error === undefined;
}

describe("standard kernels", () => {
  it("are all known by their text, and by no other", () => {
    for (const name of STANDARD_KERNELS) {
      const source = standardKernel(name);
      expect(standardName(source)).toBe(name);
      expect(standardName({ ...source, ptx: `${source.ptx}\n` })).toBeUndefined();
      expect(checkKernel(source.ptx, name).kernel.name).toBe(name);
    }
  });

  it("are every kernel of the committed PTX", () => {
    const found = readdirSync(join(ROOT, "compute/kernels/ptx")).map((file) => file.replace(".ptx", ""));
    const sources = readdirSync(join(ROOT, "compute/kernels")).filter((file) => file.endsWith(".cu"));
    expect(found.sort()).toEqual(sources.map((file) => file.replace(".cu", "")).sort());
  });
});

describe.runIf(has("nvcc"))("nvcc", () => {
  it("makes the committed PTX of the sources, to the letter", () => {
    execFileSync(process.execPath, [join(ROOT, "scripts/compile-kernels.mjs"), "--check"], { cwd: ROOT });
  });
});

/** All that the installed toolkit can make code for. */
function architectures(): readonly string[] {
  return execFileSync("nvcc", ["--list-gpu-code"], { encoding: "utf8" }).trim().split(/\s+/);
}

describe.runIf(has("nvcc") && has("ptxas"))("ptxas", () => {
  it("knows several architectures", () => {
    expect(architectures().length).toBeGreaterThan(5);
  });

  it.each(has("nvcc") ? architectures() : [])("assembles the committed PTX for %s", (architecture) => {
    const folder = mkdtempSync(join(tmpdir(), "ogpu-ptxas-"));
    try {
      for (const file of readdirSync(join(ROOT, "compute/kernels/ptx"))) {
        const args = [
          `-arch=${architecture}`,
          join(ROOT, "compute/kernels/ptx", file),
          "-o",
          join(folder, "out.cubin"),
        ];
        execFileSync("ptxas", args);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
