/**
 * Compiles the standard kernels to PTX with nvcc. The PTX is checked in, because it is what programs are made of, and what
 * their results are defined by: everybody must have the same text.
 *
 *   node scripts/compile-kernels.mjs [--check]     check: write nothing, say which file differs
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at, ROOT } from "./setup/paths.mjs";
import { runProgram } from "./setup/run-program.mjs";

const FLAGS = ["-ptx", "-std=c++17", "-O3", "-arch=compute_75", "-fmad=false", "-ftz=false", "-prec-div=true"];

const check = process.argv.includes("--check");
const names = readdirSync(at("compute/kernels"))
  .filter((file) => file.endsWith(".cu"))
  .map((file) => file.slice(0, -3));

for (const name of names) {
  const made = join(tmpdir(), `ogpu-${process.pid}-${name}.ptx`);
  const args = [...FLAGS, `compute/kernels/${name}.cu`, "-o", made];
  const { code, output } = await runProgram("nvcc", args, { cwd: ROOT });
  if (code !== 0) {
    console.error(code === "ENOENT" ? "nvcc is not there" : output);
    process.exit(1);
  }
  // The header names the compiler's build; the rest is the same from build to build.
  const text = readFileSync(made, "utf8").replace(/^(?:\/\/.*\n|\n)+/, "");
  rmSync(made);
  const path = at(`compute/kernels/ptx/${name}.ptx`);
  if (!check) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${name}.ptx is not what nvcc makes of ${name}.cu`);
    process.exitCode = 1;
  }
}
