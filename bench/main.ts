/** `npm run bench`: measures our operations beside their peers. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BenchResult, targetMet, targetText } from "./case.ts";
import { caseNames, loadCase } from "./find-cases.ts";
import { machineFacts } from "./machine.ts";
import { runCase, type Size } from "./run-case.ts";

const HELP = `Measures operations beside their peers, each case in its own process.

  npm run bench -- [case...]    all cases when none is named

  --smoke        small sizes: shows that the cases work, the figures mean little
  --json <file>  also write the results as JSON
  --check        exit code 1 when a target is missed
  --list         the cases
  --help         this text

Exit code: 0 done, 1 a case failed or ours and the peer disagreed, 2 wrong usage.`;

interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly result?: BenchResult;
  readonly error?: string;
}

interface Flags {
  readonly smoke: boolean;
  readonly check: boolean;
  readonly list: boolean;
  readonly help: boolean;
  readonly json?: string;
}

function readArguments(): { values: Flags; positionals: string[] } {
  return parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      json: { type: "string" },
    },
  });
}

async function list(): Promise<void> {
  for (const name of await caseNames()) console.log(`${name.padEnd(16)} ${(await loadCase(name)).description}`);
}

async function runOne(name: string, size: Size): Promise<Outcome> {
  const start = performance.now();
  const seconds = (): number => Math.round(performance.now() - start) / 1000;
  try {
    const result = await runCase(name, size);
    return { name, seconds: seconds(), result };
  } catch (error) {
    return { name, seconds: seconds(), error: error instanceof Error ? error.message : String(error) };
  }
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);
}

function print({ name, seconds, result, error }: Outcome, size: Size): void {
  console.log(`\n${name} (${seconds.toFixed(1)} s)`);
  if (error !== undefined) console.log(`  FAILED: ${error}`);
  for (const { name: what, value, unit } of result?.measurements ?? []) {
    console.log(`  ${what.padEnd(40)} ${format(value).padStart(12)} ${unit}`);
  }
  for (const comparison of result?.comparisons ?? []) {
    // Small sizes are dominated by fixed costs: judging them would only teach people to ignore the word.
    const verdict = size === "smoke" ? "not judged at this size" : targetMet(comparison) ? "met" : "MISSED";
    const ratio = `${comparison.ratio.toFixed(2)}x`.padStart(12);
    console.log(`  ${comparison.name.padEnd(40)} ${ratio} (${targetText(comparison.target)}: ${verdict})`);
  }
  if (result?.agreed === false) console.log("  DISAGREED: ours and the peer computed different results");
}

function failed({ result, error }: Outcome, checkTargets: boolean): boolean {
  if (error !== undefined || result === undefined || result.agreed === false) return true;
  return checkTargets && !result.comparisons.every(targetMet);
}

function document(outcomes: readonly Outcome[]): readonly object[] {
  return outcomes.map(({ result, ...rest }) => ({
    ...rest,
    ...result,
    comparisons: result?.comparisons.map((comparison) => ({ ...comparison, met: targetMet(comparison) })),
  }));
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (values.list) {
    await list();
    return 0;
  }
  const known = await caseNames();
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`error: there is no case ${unknown.join(", ")}; the cases are: ${known.join(", ")}`);
    return 2;
  }
  const size: Size = values.smoke ? "smoke" : "full";
  const machine = await machineFacts();
  console.log(`${machine.cpu}, ${machine.cores} cores, load ${machine.load}, Node ${machine.node}, ${machine.commit}`);
  const outcomes: Outcome[] = [];
  for (const name of positionals.length > 0 ? positionals : known) {
    const outcome = await runOne(name, size);
    print(outcome, size);
    outcomes.push(outcome);
  }
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ size, machine, cases: document(outcomes) }, undefined, 2)}\n`);
  }
  return outcomes.some((outcome) => failed(outcome, values.check && size === "full")) ? 1 : 0;
}

// A reader such as `head` may close the pipe early; that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = 2;
    console.error(`error: ${error instanceof Error ? error.message : String(error)}; see npm run bench -- --help`);
  },
);
