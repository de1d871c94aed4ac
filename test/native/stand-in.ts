/** Compiles the stand-in for libcuda.so.1, once for each state of its sources. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FLAGS = ["-std=c++17", "-O2", "-march=native", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden"];

/** The checkout, from the sources and from `dist`. */
function root(): string {
  const places = ["../../", "../../../"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return places.find((place) => existsSync(join(place, "package-lock.json"))) ?? "";
}

/** The library's path; `undefined` where there is no compiler. */
export function buildStandIn(): string | undefined {
  const folder = join(root(), "test/native/stand-in");
  const sources = readdirSync(folder).sort();
  const hash = createHash("sha256").update(FLAGS.join());
  for (const name of sources) hash.update(readFileSync(join(folder, name)));
  hash.update(readFileSync(join(root(), "compute/native/cuda/driver.h")));
  const target = join(root(), "build/native", `libcuda-${hash.digest("hex").slice(0, 16)}.so.1`);
  if (existsSync(target)) return target;
  mkdirSync(join(root(), "build/native"), { recursive: true });
  // Beside its place first: several test files may start at the same time.
  const fresh = `${target}.${process.pid}`;
  const units = sources.filter((name) => name.endsWith(".cc")).map((name) => join(folder, name));
  const { error, status, stderr } = spawnSync("c++", [...FLAGS, "-pthread", ...units, "-o", fresh], {
    encoding: "utf8",
  });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`the stand-in does not compile:\n${stderr}`);
  renameSync(fresh, target);
  return target;
}
