import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("../../../compute/examples/", import.meta.url));
const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith(".cu") ? [file.slice(0, -3)] : []));

function hasNvcc(): boolean {
  try {
    execFileSync("nvcc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

it.runIf(hasNvcc()).each(names)(
  "the committed PTX of %s is what nvcc makes of the source",
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), "examples-"));
    try {
      const output = join(folder, "out.ptx");
      execFileSync("nvcc", ["-ptx", "-arch=compute_75", "-fmad=false", join(FOLDER, `${name}.cu`), "-o", output]);
      const code = (path: string): string => readFileSync(path, "utf8").replace(/^\/\/.*\n/gm, "");
      expect(code(output)).toBe(code(join(FOLDER, `${name}.ptx`)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  60_000,
);
