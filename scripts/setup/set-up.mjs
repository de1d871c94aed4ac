/** All of set-up: what is missing is made, in order. */
import { addonIsCurrent, buildAddon } from "./addon.mjs";
import { build, buildIsCurrent } from "./build.mjs";
import { buildDashboard, dashboardIsCurrent } from "./dashboard.mjs";
import { SetupError } from "./failure.mjs";
import { install, installIsCurrent } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { checkNativePackages, nativeCheckIsCurrent } from "./native.mjs";

/** Node 20.19 is the first 20 that loads everything we depend on; package.json's `engines` says the same. */
const OLDEST_NODE = [20, 19];

/** In this order, because each needs the one before. */
const STEPS = [
  { isCurrent: installIsCurrent, run: install },
  { isCurrent: nativeCheckIsCurrent, run: checkNativePackages },
  { isCurrent: addonIsCurrent, run: buildAddon },
  { isCurrent: buildIsCurrent, run: build },
  { isCurrent: dashboardIsCurrent, run: buildDashboard },
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

/** Whether there was something to do. */
async function makeReady() {
  checkNode();
  if (STEPS.every((step) => step.isCurrent())) return false;
  await withLock(async () => {
    // Asked again: another process may have done it while this one waited.
    for (const step of STEPS) if (!step.isCurrent()) await step.run();
  });
  return true;
}

/** "done", "nothing to do", or "failed" after saying why; the exit code is then set. */
export async function setUp() {
  try {
    return (await makeReady()) ? "done" : "nothing to do";
  } catch (error) {
    process.exitCode = 1;
    if (!(error instanceof SetupError)) throw error;
    console.error(`\nset-up failed: ${error.message}\n${error.next}`);
    return "failed";
  }
}
