/**
 * Compiles our own addons with the C++ compiler of the machine and headers from npm packages. Without a compiler everything
 * still works: kernels then run in WebAssembly, GPUs are not used, and the key of every signature is recovered.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { wantedInstall } from "./install.mjs";
import { at, ROOT } from "./paths.mjs";
import { runProgram } from "./run-program.mjs";
import { digest, stampIs, writeStamp } from "./stamp.mjs";

const FOLDER = at("build/native");
const STAMP = at("build/native/.stamp");
const COMPILERS = [process.env.CXX, "c++", "g++", "clang++"];

const COMMON = ["-std=c++17", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra"];
/** Bits depend on these: nothing is fused that the source does not fuse, and nothing is assumed about NaNs. */
const EXACT = [
  "-O3",
  "-ffp-contract=off",
  "-fno-math-errno",
  "-fno-trapping-math",
  "-Wno-unknown-pragmas",
  "-x",
  "c++",
];

/** `without`: what then happens. */
const ADDONS = [
  {
    file: at("build/native/opengpu.node"),
    name: "compute addon",
    sources: ["compute/native", "compute/kernels"],
    units: computeUnits,
    without: "kernels run in WebAssembly, many times slower, and GPUs are not used",
  },
  {
    file: at("build/native/senders.node"),
    name: "addon for signatures",
    sources: ["chain/senders/native"],
    units: senderUnits,
    without: "signatures of known senders take more than twice as long to check",
  },
];
const SOURCES = ADDONS.flatMap(({ sources }) => sources);

function addonHeaders() {
  return [
    // All of them: whatever else was thrown would end the process. And so would one that cannot be told to a thread which is
    // being ended, where every call back into it fails.
    ...["-DNODE_ADDON_API_CPP_EXCEPTIONS_ALL", "-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS", "-DNAPI_VERSION=8"],
    ...["-isystem", at("node_modules/node-addon-api"), "-isystem", at("node_modules/node-api-headers/include")],
  ];
}

/** A source of a folder, with the flags it is compiled by. */
function unit(folder, source, flags, object = source) {
  return { source: `${folder}/${source}`, object: `${object.replaceAll("/", "-")}.o`, flags };
}

function senderUnits() {
  // Limbs are added one by one: as vectors they would have to be put together first (measured).
  const flags = ["-O3", "-fno-tree-vectorize", ...addonHeaders()];
  return ["addon.cc", "known-keys.cc"].map((source) =>
    unit("chain/senders/native", source, flags, `senders-${source}`),
  );
}

/** The kernels are compiled for any processor, for those with AVX2 and FMA, and for those with AVX-512. */
function computeUnits() {
  const fast = process.arch === "x64";
  const variants = fast ? ["-DOGPU_HAS_X86_VARIANTS"] : [];
  const plain = ["addon.cc", "cpu/cpu-device.cc", "cpu/worker-pool.cc", "hash/sha256.cc", "hash/tile-addresses.cc"];
  const cuda = ["cuda/driver.cc", "cuda/session.cc", "cuda/cuda-device.cc"];
  const folder = "compute/native";
  const list = [...plain, ...cuda].map((source) => unit(folder, source, ["-O2", ...addonHeaders(), ...variants]));
  const variant = (name, flags) =>
    unit(folder, "cpu/variant.cc", [...EXACT, `-DOGPU_VARIANT=${name}`, ...flags], `variant-${name}`);
  list.unshift(variant("portable", variants));
  if (fast) {
    const fma = [...variants, "-mavx2", "-mfma"];
    const avx512 = ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vnni"];
    list.unshift(variant("avx512", [...fma, ...avx512]), variant("fma", fma));
  }
  return list;
}

/** The compiler's path, or `undefined`. */
function findCompiler() {
  if (process.platform !== "linux" && process.platform !== "darwin") return undefined;
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of COMPILERS) {
    if (name === undefined || name === "") continue;
    if (name.includes("/") && existsSync(name)) return name;
    const folder = folders.find((path) => path !== "" && existsSync(join(path, name)));
    if (folder !== undefined) return join(folder, name);
  }
  return undefined;
}

function sourceFacts(folder) {
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourceFacts(path);
    if (!/\.(?:cc|h|cu)$/.test(path)) return [];
    const { size, mtimeMs } = statSync(at(path));
    return [`${path} ${size} ${mtimeMs}`];
  });
}

function wanted() {
  const flags = ADDONS.flatMap(({ units }) => units()).map((unit) => unit.flags.join(" "));
  const facts = [...SOURCES.flatMap(sourceFacts).sort(), ...flags];
  return digest([wantedInstall(), process.arch, findCompiler() ?? "no compiler", ...facts].join("\n"));
}

export function addonIsCurrent() {
  // A checkout without the sources, as in a package, has nothing to compile.
  if (!SOURCES.every((folder) => existsSync(at(folder)))) return true;
  return stampIs(STAMP, wanted());
}

export async function buildAddon() {
  const stamp = wanted();
  const compiler = findCompiler();
  mkdirSync(FOLDER, { recursive: true });
  if (compiler !== undefined) console.error("set-up: compiling the native addons");
  for (const addon of ADDONS) {
    const problem = compiler === undefined ? "there is no C++ compiler" : await compile(compiler, addon);
    if (problem === undefined) continue;
    rmSync(addon.file, { force: true });
    const next = "Install g++ or clang++ and run set-up again.";
    console.warn(`set-up: warning: no ${addon.name}, ${problem}: ${addon.without}. ${next}`);
  }
  writeStamp(STAMP, stamp);
}

/** What went wrong, or `undefined`. */
async function compile(compiler, addon) {
  const waiting = addon.units();
  const objects = waiting.map(({ object }) => join(FOLDER, object));
  const problems = [];
  const worker = async () => {
    for (let unit = waiting.shift(); unit !== undefined && problems.length === 0; unit = waiting.shift()) {
      const { source, object, flags } = unit;
      const args = [...COMMON, ...flags, "-c", at(source), "-o", join(FOLDER, object)];
      const { code, output } = await runProgram(compiler, args, { cwd: ROOT });
      if (code !== 0) problems.push(output === "" ? `${compiler} ended with ${code}` : output);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  if (problems.length > 0) return refusal(compiler, problems[0]);
  const form = process.platform === "darwin" ? ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared", "-ldl"];
  // Beside its place first, so that no process loads half a file.
  const fresh = `${addon.file}.new`;
  const { code, output } = await runProgram(compiler, [...objects, ...form, "-pthread", "-o", fresh], { cwd: ROOT });
  if (code !== 0) return refusal(compiler, output);
  renameSync(fresh, addon.file);
  return undefined;
}

function refusal(compiler, output) {
  return `${compiler} does not compile it:\n${output.split("\n").slice(0, 10).join("\n")}\n`;
}
