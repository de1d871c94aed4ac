/** OpenBLAS of the machine (Debian: libopenblas0-pthread), through a small addon that is compiled when it is first needed. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface OpenBlas {
  /** c = a * b of n by n. */
  product(threads: number, n: number, a: Float32Array, b: Float32Array, c: Float32Array): void;
}

interface OpenBlasAddon extends OpenBlas {
  open(path: string): boolean;
}

/** The checkout, from the sources and from `dist`. */
function root(): string {
  const places = ["../", "../../"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return places.find((place) => existsSync(join(place, "package-lock.json"))) ?? "";
}

/** `undefined` where there is no compiler, or no OpenBLAS. */
export function findOpenBlas(): OpenBlas | undefined {
  const folder = join(root(), "build/native");
  const target = join(folder, "openblas.node");
  const source = join(root(), "bench/native/openblas.cc");
  const isCurrent = existsSync(target) && statSync(target).mtimeMs > statSync(source).mtimeMs;
  if (!isCurrent && !compile(folder, source, target)) return undefined;
  const addon = createRequire(import.meta.url)(target) as OpenBlasAddon;
  return addon.open("libopenblas.so.0") ? addon : undefined;
}

function compile(folder: string, source: string, target: string): boolean {
  mkdirSync(folder, { recursive: true });
  const fresh = `${target}.${process.pid}`;
  const packages = join(root(), "node_modules");
  const headers = [join(packages, "node-addon-api"), join(packages, "node-api-headers/include")];
  const flags = ["-std=c++17", "-O2", "-fPIC", "-shared", "-DNODE_ADDON_API_CPP_EXCEPTIONS", "-DNAPI_VERSION=8"];
  const args = [...flags, ...headers.flatMap((path) => ["-isystem", path]), source, "-ldl", "-o", fresh];
  if (spawnSync("c++", args).status !== 0) return false;
  renameSync(fresh, target);
  return true;
}
