/** `npm run sim`: a network of validators under one seed, or many. */
import { runProgram } from "./program.ts";

process.exitCode = await runProgram(process.argv.slice(2), {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
