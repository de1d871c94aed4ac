/** `npm run conformance`: runs other people's test files through our code. */
import { parseArgs } from "node:util";
import { findSuites } from "./runner/find-suites.ts";
import { type PlannedRun, planAll, planOne, UsageError } from "./runner/plan.ts";
import { addTallies, exitCodeOf, runSuite, type SuiteReport, tallyText } from "./runner/run-suite.ts";
import { VECTOR_FILES } from "./runner/vectors.ts";

const HELP = `Runs a suite of public test files and closes with "N passed, N failed, N skipped".

  npm run conformance -- <suite> <folder or file>   one suite
  npm run conformance -- all <vectors folder>       every suite over its files in that folder

  --list         the suites
  --json         the results as one JSON document instead of text
  --help         this text

Exit code: 0 nothing failed, 1 a case failed, 2 wrong usage or no case was found.`;

const PROGRESS_EVERY = 50;

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const suites = await findSuites();
  if (values.list) {
    for (const { name, description } of suites) console.log(`${name.padEnd(20)} ${description}`);
    return 0;
  }
  const [name, path, ...rest] = positionals;
  if (name === undefined || path === undefined || rest.length > 0) {
    throw new UsageError("expected a suite and a path; see npm run conformance -- --help");
  }
  const planned = name === "all" ? planAll(suites, VECTOR_FILES, path) : planOne(suites, name, path);
  const reports: SuiteReport[] = [];
  for (const run of planned) reports.push(await runPrinting(run, values.json));
  const total = addTallies(reports);
  console.log(values.json ? JSON.stringify({ ...total, suites: reports }, undefined, 2) : tallyText(total));
  return exitCodeOf(total);
}

function readArguments(): { values: { help: boolean; list: boolean; json: boolean }; positionals: string[] } {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        list: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function runPrinting({ suite, path }: PlannedRun, quiet: boolean): Promise<SuiteReport> {
  const progress = process.stderr.isTTY === true;
  const clear = progress ? "\r\x1b[K" : "";
  let seen = 0;
  const report = await runSuite(suite, path, (result, soFar) => {
    if (progress && seen++ % PROGRESS_EVERY === 0) process.stderr.write(`${clear}${suite.name}: ${tallyText(soFar)}`);
    if (quiet || result.outcome === "passed") return;
    process.stderr.write(clear);
    console.log(`${result.outcome}: ${suite.name}: ${result.name}: ${result.reason ?? "no reason given"}`);
  });
  process.stderr.write(clear);
  if (!quiet) console.log(`${suite.name} ${path}: ${tallyText(report)}`);
  return report;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = 2;
    if (error instanceof UsageError) console.error(`error: ${error.message}`);
    else console.error(error);
  },
);
