/**
 * Makes a checkout ready to run: packages from the lock file, native packages that load, compiled sources.
 * `npm start`, `npm test` and the others call it first, so it does only what is missing, and finds out in a
 * few milliseconds that nothing is. Plain JavaScript over Node's own modules, because it runs before anything
 * is installed.
 *
 *   node scripts/setup.mjs [--quiet]     quiet: no word when there is nothing to do
 */
import { build, buildIsCurrent } from "./setup/build.mjs";
import { SetupError } from "./setup/failure.mjs";
import { install, installIsCurrent } from "./setup/install.mjs";
import { withLock } from "./setup/lock.mjs";
import { checkNativePackages, nativeCheckIsCurrent } from "./setup/native.mjs";

/** Node 20.19 is the first 20 that loads everything we depend on; package.json's `engines` says the same. */
const OLDEST_NODE = [20, 19];

/**
 * In this order, because each needs the one before. A step for addons of our own belongs between the native
 * check and the build.
 */
const STEPS = [
  { isCurrent: installIsCurrent, run: install },
  { isCurrent: nativeCheckIsCurrent, run: checkNativePackages },
  { isCurrent: buildIsCurrent, run: build },
];

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new SetupError(
    `Node.js ${OLDEST_NODE.join(".")} or newer is needed, this is ${process.versions.node}.`,
    "Install a current version from https://nodejs.org and run the same command again.",
  );
}

async function main() {
  checkNode();
  if (STEPS.every((step) => step.isCurrent())) return false;
  await withLock(async () => {
    // Asked again: another process may have done it while this one waited.
    for (const step of STEPS) if (!step.isCurrent()) await step.run();
  });
  return true;
}

main().then(
  (didSomething) => {
    if (!didSomething && !process.argv.includes("--quiet")) console.log("set-up: nothing to do");
  },
  (error) => {
    process.exitCode = 1;
    if (!(error instanceof SetupError)) throw error;
    console.error(`\nset-up failed: ${error.message}\n${error.next}`);
  },
);
