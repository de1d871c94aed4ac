/** `npm run sim`: a network of validators under one seed, or many. */
import { parseArgs } from "node:util";
import { PLANTED_BUGS, type PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import { ACTORS } from "./actors/all-actors.ts";
import { blsKeys } from "./bls-keys.ts";
import { jobsReport } from "./compute/jobs-report.ts";
import { APPS, type AppName, FAULTS, type FaultName, makeScenario, type Scenario } from "./scenario.ts";
import { type SimulationResult, simulate } from "./simulation.ts";

const NIGHTLY_SEEDS = 3_000;
const PROGRESS_EVERY = 20;

const HELP = `Runs a network of simulated validators with faults, all from one seed, and checks what must hold.

  npm run sim -- --seed 1 --validators 7 --minutes 2
  npm run sim -- --nightly
  npm run sim -- --app counter --validators 1000 --wide-area --faults none --minutes 0.5
  npm run sim -- --jobs 5000 --lead 5

  --app name        ledger: whole nodes (the default); counter: consensus alone, over a counter; with commas, in turn
  --seed N          the seed (default 1)
  --seeds N         so many seeds, from --seed on
  --nightly         ${NIGHTLY_SEEDS} seeds of both kinds unless told otherwise; only failures and progress are printed
  --validators N    how many nodes (default: 4 to 10, from the seed)
  --minutes N       virtual minutes (default 1)
  --faults list     with commas, of: ${FAULTS.join(", ")}; "none" for none (default: drawn from the seed)
  --wide-area       latencies between continents, blocks of a second
  --actor name      what the liars do: ${[...ACTORS.keys()].join(", ")}
  --bls             real signatures
  --bug name        plants a bug (counter only): ${PLANTED_BUGS.join(", ")}
  --jobs N          no network: so many jobs, verified under each attack and share of the stake
  --lead N          the lead that decides their votes (default 20)
  --trace           every step
  --json            the result as JSON
  --help            this text

Exit code: 0 everything held, 1 something did not, 2 called wrongly.`;

interface Arguments {
  readonly apps: readonly AppName[];
  readonly firstSeed: number;
  readonly seeds: number;
  readonly isNightly: boolean;
  readonly validators: number | undefined;
  readonly minutes: number | undefined;
  readonly faults: readonly FaultName[] | undefined;
  readonly wideArea: boolean;
  readonly actor: string | undefined;
  readonly bugs: ReadonlySet<PlantedBug>;
  readonly bls: boolean;
  readonly trace: boolean;
  readonly json: boolean;
}

class UsageError extends Error {}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const OPTIONS = {
  app: { type: "string" },
  seed: { type: "string", default: "1" },
  seeds: { type: "string" },
  nightly: { type: "boolean", default: false },
  validators: { type: "string" },
  minutes: { type: "string" },
  faults: { type: "string" },
  "wide-area": { type: "boolean", default: false },
  actor: { type: "string" },
  bug: { type: "string" },
  bls: { type: "boolean", default: false },
  jobs: { type: "string" },
  lead: { type: "string", default: "20" },
  trace: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** What parseArgs gives for these options. */
interface Values {
  readonly app?: string;
  readonly seed: string;
  readonly seeds?: string;
  readonly nightly: boolean;
  readonly validators?: string;
  readonly minutes?: string;
  readonly faults?: string;
  readonly "wide-area": boolean;
  readonly actor?: string;
  readonly bug?: string;
  readonly bls: boolean;
  readonly jobs?: string;
  readonly lead: string;
  readonly trace: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

function readValues(): Values {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function main(): Promise<number> {
  const values = readValues();
  if (values.help) {
    print(HELP);
    return 0;
  }
  if (values.jobs !== undefined) {
    const [seed, jobs] = [positive("seed", values.seed, 0), positive("jobs", values.jobs, 1)];
    for (const line of jobsReport(seed, jobs, positive("lead", values.lead, 1))) print(line);
    return 0;
  }
  const options = readArguments(values);
  const started = performance.now();
  let failures = 0;
  for (let done = 0; done < options.seeds; done++) {
    if (!(await runSeed(options.firstSeed + done, options))) failures++;
    if (options.isNightly && (done + 1) % PROGRESS_EVERY === 0) {
      reportProgress(done + 1, options.seeds, failures, performance.now() - started);
    }
  }
  if (options.seeds > 1 && !options.json) print(`${options.seeds - failures} seeds held, ${failures} failed`);
  return failures === 0 ? 0 : 1;
}

function readArguments(values: Values): Arguments {
  const optional = (name: "validators" | "minutes", least: number): number | undefined => {
    const text = values[name];
    return text === undefined ? undefined : positive(name, text, least);
  };
  const apps = readNames("app", values.app, APPS) ?? (values.nightly ? APPS : (["ledger"] as const));
  const bugs = new Set(readNames("bug", values.bug, PLANTED_BUGS) ?? []);
  if (bugs.size > 0 && apps.includes("ledger")) throw new UsageError("--bug needs --app counter");
  return {
    apps,
    firstSeed: positive("seed", values.seed, 0),
    seeds: positive("seeds", values.seeds ?? String(values.nightly ? NIGHTLY_SEEDS : 1), 1),
    isNightly: values.nightly,
    validators: optional("validators", 4),
    minutes: optional("minutes", 0.1),
    faults: readNames("faults", values.faults, FAULTS),
    wideArea: values["wide-area"],
    actor: readNames("actor", values.actor, [...ACTORS.keys()])?.[0],
    bugs,
    bls: values.bls,
    trace: values.trace,
    json: values.json,
  };
}

function reportProgress(done: number, seeds: number, failures: number, milliseconds: number): void {
  const left = ((seeds - done) * milliseconds) / done / 60_000;
  process.stderr.write(`${done} of ${seeds} seeds, ${failures} failed, about ${left.toFixed(1)} minutes left\n`);
}

function positive(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= least) return value;
  throw new UsageError(`--${name} is a number of at least ${least}`);
}

function readNames<Name extends string>(
  option: string,
  list: string | undefined,
  known: readonly Name[],
): readonly Name[] | undefined {
  if (list === undefined) return undefined;
  if (list === "none" || list === "") return [];
  return list.split(",").map((text) => {
    const name = known.find((one) => one === text);
    if (name === undefined) throw new UsageError(`--${option}: ${text} is none of ${known.join(", ")}`);
    return name;
  });
}

async function runSeed(seed: number, options: Arguments): Promise<boolean> {
  const app = options.apps[seed % options.apps.length];
  const scenario = makeScenario({ ...options, app, seed: String(seed) });
  const started = performance.now();
  const result = await simulate(scenario, {
    bugs: options.bugs,
    ...(options.bls ? { keys: blsKeys() } : {}),
    ...(options.trace ? { onTrace: print } : {}),
  });
  const milliseconds = Math.round(performance.now() - started);
  const held = result.violations.length === 0;
  const command = replay(scenario, options);
  if (options.json)
    print(JSON.stringify({ ...describe(scenario), ...result, milliseconds, ...usage(), replay: command }));
  else if (!held || !options.isNightly) printResult(scenario, result, milliseconds, command);
  return held;
}

function usage(): { readonly megabytes: number } {
  return { megabytes: Math.round(process.resourceUsage().maxRSS / 1_024) };
}

function describe({ seed, app, validators, minutes, faults, actors }: Scenario): object {
  return { seed, app, validators, minutes, faults: [...faults], actors: Object.fromEntries(actors) };
}

function printResult(scenario: Scenario, result: SimulationResult, milliseconds: number, command: string): void {
  const { violations, traceHash, steps, heights, epochs, transactions, imports, finality, bytes } = result;
  const { app, validators, actors, faults } = scenario;
  const size = imports > 0 ? `, ${imports} snapshots` : "";
  print(
    `seed ${scenario.seed} (${app}): ${violations.length === 0 ? "held" : "FAILED"}, trace ${traceHash}, ${validators} validators, ${Math.max(...heights)} blocks, ${epochs} epochs, ${transactions} transactions${size}, final after ${finality.p50}/${finality.p95} ms (p50/p95), ${bytes.up} bytes up and ${bytes.down} down per node and block, ${steps} steps in ${milliseconds} ms, ${usage().megabytes} MB`,
  );
  if (violations.length === 0) return;
  print(`  faults: ${[...faults].join(", ") || "none"}; actors: ${[...actors.values()].join(", ") || "none"}`);
  for (const violation of violations) print(`  ${violation}`);
  print(`  replay: ${command}`);
}

function replay({ seed, app, validators, minutes, faults }: Scenario, options: Arguments): string {
  const { bls, bugs, actor, wideArea } = options;
  const list = [...faults].join(",") || "none";
  const bug = [...bugs].map((name) => ` --bug ${name}`).join("");
  return `npm run sim -- --app ${app} --seed ${seed} --validators ${validators} --minutes ${minutes} --faults ${list}${actor === undefined ? "" : ` --actor ${actor}`}${wideArea ? " --wide-area" : ""}${bls ? " --bls" : ""}${bug}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 2;
}
