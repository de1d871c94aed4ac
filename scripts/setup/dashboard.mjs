/** Builds the dashboard when what it is made of has changed. Without it a node works all the same, and says so at `/`. */
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { wantedInstall } from "./install.mjs";
import { at, ROOT } from "./paths.mjs";
import { runProgram } from "./run-program.mjs";
import { digest, stampIs, writeStamp } from "./stamp.mjs";

const STAMP = at("build/.dashboard-stamp");
const PROGRAM = "scripts/build-dashboard.mjs";
/** Its own sources, and those that it shares with the node: the typed client, the ABIs, the light client. */
const SOURCES = [
  "dashboard",
  "base",
  "rpc/client",
  "compute/program",
  "compute/ptx",
  "compute/kernels",
  "compute/onnx",
  "vm/interfaces/abi",
  "chain/light-client",
  "chain/consensus",
  "chain/blocks",
];

function facts(folder) {
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return facts(path);
    const { size, mtimeMs } = statSync(at(path));
    return [`${path} ${size} ${mtimeMs}`];
  });
}

function wanted() {
  const { size, mtimeMs } = statSync(at(PROGRAM));
  return digest([wantedInstall(), `${size} ${mtimeMs}`, ...SOURCES.flatMap(facts).sort()].join("\n"));
}

export function dashboardIsCurrent() {
  // A checkout without the sources, as in a package, has nothing to build.
  if (!SOURCES.every((folder) => existsSync(at(folder))) || !existsSync(at(PROGRAM))) return true;
  return stampIs(STAMP, wanted()) && existsSync(at("build/dashboard/index.html"));
}

export async function buildDashboard() {
  const stamp = wanted();
  console.error("set-up: building the dashboard");
  mkdirSync(at("build"), { recursive: true });
  const { code, output } = await runProgram(process.execPath, [at(PROGRAM)], { cwd: ROOT });
  if (code === 0) writeStamp(STAMP, stamp);
  else
    console.warn(
      `set-up: warning: no dashboard, its build failed:\n${output.trim().split("\n").slice(0, 20).join("\n")}`,
    );
}
