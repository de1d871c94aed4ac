/**
 * Makes a checkout ready to run: packages from the lock file, native packages that load, compiled sources.
 * `npm test` and the others call it first, so it does only what is missing, and finds out in a few milliseconds
 * that nothing is. Plain JavaScript over Node's own modules, because it runs before anything is installed.
 *
 *   node scripts/setup.mjs [--quiet]     quiet: no word when there is nothing to do
 */
import { setUp } from "./setup/set-up.mjs";

const outcome = await setUp();
if (outcome === "nothing to do" && !process.argv.includes("--quiet")) console.log("set-up: nothing to do");
