/** `npm run sim`: a network of validators under one seed, or many. */
import { parseArgs } from "node:util";
import { PLANTED_BUGS, type PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import { ACTORS } from "./actors/all-actors.ts";
import { blsKeys } from "./bls-keys.ts";
import { type AppName, FAULTS, type FaultName, makeScenario, type Scenario } from "./scenario.ts";
import { type SimulationResult, simulate } from "./simulation.ts";

const HELP = `Runs a network of simulated validators with faults, all from one seed, and checks what must hold.

  npm run sim -- --seed 1 --validators 7 --minutes 2

  --app name        ledger: whole nodes (the default); counter: consensus alone, over a counter
  --seed N          the seed (default 1)
  --seeds N         so many seeds, from --seed on
  --validators N    how many nodes (default: 4 to 10, from the seed)
  --minutes N       virtual minutes (default 1)
  --faults list     with commas, of: ${FAULTS.join(", ")}; "none" for none (default: drawn from the seed)
  --wide-area       latencies between continents, blocks of a second
  --actor name      what the liars do: ${[...ACTORS.keys()].join(", ")}
  --bls             real signatures
  --bug name        plants a bug: ${PLANTED_BUGS.join(", ")}
  --trace           every step
  --json            the result as JSON
  --help            this text

Exit code: 0 everything held, 1 something did not, 2 called wrongly.`;

const APPS: readonly AppName[] = ["ledger", "counter"];

interface Arguments {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly app: AppName;
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
  app: { type: "string", default: "ledger" },
  seed: { type: "string", default: "1" },
  seeds: { type: "string", default: "1" },
  validators: { type: "string" },
  minutes: { type: "string" },
  faults: { type: "string" },
  "wide-area": { type: "boolean", default: false },
  actor: { type: "string" },
  bug: { type: "string" },
  bls: { type: "boolean", default: false },
  trace: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** What parseArgs gives for these options. */
interface Values {
  readonly app: string;
  readonly seed: string;
  readonly seeds: string;
  readonly validators?: string;
  readonly minutes?: string;
  readonly faults?: string;
  readonly "wide-area": boolean;
  readonly actor?: string;
  readonly bug?: string;
  readonly bls: boolean;
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
  const [app] = readNames("app", values.app, APPS) ?? [];
  const options: Arguments = {
    app: app ?? "ledger",
    firstSeed: positive("seed", values.seed, 0),
    seeds: positive("seeds", values.seeds, 1),
    validators: values.validators === undefined ? undefined : positive("validators", values.validators, 4),
    minutes: values.minutes === undefined ? undefined : positive("minutes", values.minutes, 0.1),
    faults: readNames("faults", values.faults, FAULTS),
    wideArea: values["wide-area"],
    actor: readNames("actor", values.actor, [...ACTORS.keys()])?.[0],
    bugs: new Set(readNames("bug", values.bug, PLANTED_BUGS) ?? []),
    bls: values.bls,
    trace: values.trace,
    json: values.json,
  };
  let failures = 0;
  for (let seed = options.firstSeed; seed < options.firstSeed + options.seeds; seed++) {
    if (!(await runSeed(String(seed), options))) failures++;
  }
  if (options.seeds > 1 && !options.json) print(`${options.seeds - failures} seeds held, ${failures} failed`);
  return failures === 0 ? 0 : 1;
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

async function runSeed(seed: string, options: Arguments): Promise<boolean> {
  const scenario = makeScenario({ ...options, seed });
  const started = performance.now();
  const result = await simulate(scenario, {
    bugs: options.bugs,
    ...(options.bls ? { keys: blsKeys() } : {}),
    ...(options.trace ? { onTrace: print } : {}),
  });
  const milliseconds = Math.round(performance.now() - started);
  const held = result.violations.length === 0;
  if (options.json)
    print(JSON.stringify({ ...describe(scenario), ...result, milliseconds, replay: replay(scenario, options) }));
  else printResult(scenario, result, milliseconds, replay(scenario, options));
  return held;
}

function describe({ seed, validators, minutes, faults, actors }: Scenario): object {
  return { seed, validators, minutes, faults: [...faults], actors: Object.fromEntries(actors) };
}

function printResult(scenario: Scenario, result: SimulationResult, milliseconds: number, command: string): void {
  const { violations, traceHash, steps, heights, epochs, imports, finality, bytesPerBlock } = result;
  const { validators, actors, faults } = scenario;
  print(
    `seed ${scenario.seed}: ${violations.length === 0 ? "held" : "FAILED"}, trace ${traceHash}, ${validators} validators, height ${Math.max(...heights)}, ${epochs} epochs, ${imports} snapshots, final after ${finality.p50}/${finality.p95} ms (p50/p95), ${bytesPerBlock} bytes per node and block, ${steps} steps in ${milliseconds} ms`,
  );
  if (violations.length === 0) return;
  print(`  faults: ${[...faults].join(", ") || "none"}; actors: ${[...actors.values()].join(", ") || "none"}`);
  for (const violation of violations) print(`  ${violation}`);
  print(`  replay: ${command}`);
}

function replay(
  { seed, app, validators, minutes, faults }: Scenario,
  { bls, bugs, actor, wideArea }: Arguments,
): string {
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
