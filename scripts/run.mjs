/**
 * Sets up what is missing and then is the program that was asked for, in the same process: of two commands joined by
 * a shell, a signal to `npm start` would end the first or the shell, and the other would run on.
 *
 *   node scripts/run.mjs <program> [words...]
 */
import { pathToFileURL } from "node:url";
import { endWithParent } from "./setup/end-with-parent.mjs";
import { at } from "./setup/paths.mjs";
import { setUp } from "./setup/set-up.mjs";

const PROGRAMS = new Map([
  ["ogpu", "dist/cli/main.js"],
  ["bench", "dist/bench/main.js"],
  ["conformance", "dist/test/conformance/main.js"],
  ["sim", "dist/test/sim/main.js"],
  ["soak", "dist/test/processes/soak.js"],
]);

endWithParent();
const [name = ""] = process.argv.slice(2);
const program = PROGRAMS.get(name);
if (program === undefined) {
  console.error(`node scripts/run.mjs <program> [words...], where the program is ${[...PROGRAMS.keys()].join(", ")}`);
  process.exitCode = 2;
} else if ((await setUp()) !== "failed") {
  // As if it had been called directly.
  process.argv.splice(1, 2, at(program));
  await import(pathToFileURL(at(program)));
}
