/** Packages, exactly as the lock file says. */
import { existsSync, readFileSync } from "node:fs";
import { commonFailure, SetupError } from "./failure.mjs";
import { at, ROOT } from "./paths.mjs";
import { runProgram } from "./run-program.mjs";
import { digest, readOrEmpty, stampIs, writeStamp } from "./stamp.mjs";

const STAMP = at("node_modules/.opengpu-install");

/** Changes with the lock file and with the platform, as when a checkout is mounted into a container. */
export function wantedInstall() {
  return digest(`${readOrEmpty(at("package-lock.json"))} ${process.platform} ${process.arch}`);
}

export function installIsCurrent() {
  return stampIs(STAMP, wantedInstall());
}

export async function install() {
  const wanted = wantedInstall();
  // After a plain `npm install` the packages are there already, and replacing them under a running program
  // would be rude.
  if (!packagesMatchLock()) await installFromLock();
  writeStamp(STAMP, wanted);
}

/** Compares with npm's own record of what it installed. */
function packagesMatchLock() {
  const installed = packagesOf(at("node_modules/.package-lock.json"));
  const wanted = packagesOf(at("package-lock.json"));
  if (installed === undefined || wanted === undefined) return false;
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    if (path === "") continue;
    // Optional packages are mostly other platforms'. A missing one for this platform shows in the native check.
    if (installed[path] === undefined && optional) continue;
    if (installed[path]?.version !== version || !existsSync(at(path))) return false;
  }
  return Object.keys(installed).every((path) => wanted[path] !== undefined);
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, "utf8")).packages;
  } catch {
    return undefined;
  }
}

async function installFromLock() {
  console.error("set-up: installing packages from package-lock.json");
  // Development packages too, whatever NODE_ENV says: the compiler is one. No install scripts: what is native
  // comes prebuilt, and a package's script is code that nobody here has read.
  const args = ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await runNpm(args);
  if (code !== 0) throw installFailure(code, output);
}

/** The npm that called us, or else the one on the path. */
function runNpm(args) {
  const npm = process.env.npm_execpath;
  if (npm !== undefined && /npm-cli\.c?js$/.test(npm))
    return runProgram(process.execPath, [npm, ...args], { cwd: ROOT });
  return runProgram("npm", args, { cwd: ROOT, shell: process.platform === "win32" });
}

function installFailure(code, output) {
  if (code === "ENOENT") {
    return new SetupError(
      "npm was not found.",
      "Install Node.js from https://nodejs.org, which brings npm, and try again.",
    );
  }
  const known = commonFailure(output);
  if (known !== undefined) return known;
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i.test(output)) {
    return new SetupError(
      "the package registry could not be reached.",
      "Check the network and npm's proxy and registry settings (npm config list), then run the same command again.",
    );
  }
  if (/EUSAGE|can only install packages when/.test(output)) {
    return new SetupError(
      "package.json and package-lock.json do not belong together.",
      "Run npm install, commit the lock file it writes, then run the same command again.",
    );
  }
  return new SetupError(
    `npm ci ended with ${code}:\n${output.trim()}`,
    "Mend what npm says and run the same command again.",
  );
}
