/** Compiles the TypeScript sources to dist/, and clears away what removed sources left there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { commonFailure, SetupError } from "./failure.mjs";
import { wantedInstall } from "./install.mjs";
import { at, ROOT } from "./paths.mjs";
import { runProgram } from "./run-program.mjs";
import { digest, stampIs, writeStamp } from "./stamp.mjs";

const DIST = at("dist");
const STAMP = at("dist/.opengpu-build");
const COMPILER_STATE = at("dist/.tsbuildinfo");

/** What tsc makes of one source. */
const OUTPUTS = [".js", ".js.map", ".d.ts"];

export function buildIsCurrent() {
  return stampIs(STAMP, wantedBuild());
}

export async function build() {
  // Taken before compiling: a source that changes meanwhile makes the next run build again.
  const wanted = wantedBuild();
  console.error("set-up: compiling");
  mkdirSync(DIST, { recursive: true });
  await compile();
  if (missingOutputs().length > 0) {
    // Somebody deleted from dist/, and the incremental compiler trusts its own record of what is there.
    rmSync(COMPILER_STATE, { force: true });
    await compile();
  }
  removeStaleOutputs();
  writeStamp(STAMP, wanted);
}

/** The folders that tsconfig.json includes: it is the one list of them. */
function sourceFolders() {
  return JSON.parse(readFileSync(at("tsconfig.json"), "utf8")).include;
}

/** Every file below a folder of the checkout, as a path from its root. */
function filesIn(folder) {
  const entries = existsSync(at(folder)) ? readdirSync(at(folder), { withFileTypes: true }) : [];
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/**
 * Names, sizes and times of the sources, not their content: reading a thousand files would cost more than the rest
 * of set-up, and an editor or git that changes a file also changes its time.
 */
function wantedBuild() {
  const files = [...sourceFolders().flatMap(filesIn), "tsconfig.json", "package.json"];
  const facts = files.sort().map((path) => {
    const { size, mtimeMs } = statSync(at(path), { throwIfNoEntry: false }) ?? { size: -1, mtimeMs: 0 };
    return `${path} ${size} ${mtimeMs}`;
  });
  return digest([wantedInstall(), ...facts].join("\n"));
}

async function compile() {
  const { code, output } = await runProgram(process.execPath, [at("node_modules/typescript/bin/tsc")], { cwd: ROOT });
  if (code === 0) return;
  throw (
    commonFailure(output) ??
    new SetupError(
      `the sources do not compile:\n${firstLines(output)}`,
      "Mend these errors and run the same command again.",
    )
  );
}

/** One mistake in a type can make hundreds of errors, of which the first few say it all. */
function firstLines(output) {
  const lines = output.trim().split("\n");
  const shown = lines.slice(0, 30);
  return [...shown, ...(lines.length > shown.length ? [`... and ${lines.length - shown.length} more lines`] : [])].join(
    "\n",
  );
}

/** The outputs that the sources ask for. */
function expectedOutputs() {
  const sources = sourceFolders().flatMap(filesIn);
  const compiled = sources.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
  return compiled.flatMap((path) => OUTPUTS.map((extension) => `dist/${path.slice(0, -3)}${extension}`));
}

function missingOutputs() {
  return expectedOutputs().filter((path) => !existsSync(at(path)));
}

/** JSON that sources import is copied to dist/ by the compiler, so it stays while its source is there. */
function removeStaleOutputs() {
  const expected = new Set(expectedOutputs());
  const isCopy = (path) => path.endsWith(".json") && existsSync(at(path.slice("dist/".length)));
  for (const path of filesIn("dist")) {
    if (!path.startsWith("dist/.") && !expected.has(path) && !isCopy(path)) rmSync(at(path));
  }
  removeEmptyFolders("dist");
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(at(folder), { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(`${folder}/${entry.name}`);
  }
  if (readdirSync(at(folder)).length === 0) rmdirSync(at(folder));
}
