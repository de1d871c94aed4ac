/** The command line of the simulator. */
import { parseArgs } from "node:util";
import { PLANTED_BUGS, type PlantedBug } from "../../chain/consensus/planted-bugs.ts";
import { ACTORS } from "./actors/all-actors.ts";
import { APPS, type AppName, FAULTS, type FaultName } from "./scenario.ts";

const NIGHTLY_SEEDS = 3_000;

/** In less time clients would send nothing, since the last of their transactions get eight seconds to become final. */
const LEAST_MINUTES = 0.2;

export const HELP: string = `Runs a network of simulated validators with faults, all from one seed, and checks what must hold.

  npm run sim -- --seed 1 --validators 7 --minutes 2
  npm run sim -- --nightly
  npm run sim -- --app counter --validators 1000 --wide-area --faults none --minutes 0.5
  npm run sim -- --jobs 5000 --lead 5

  --app name        ledger: whole nodes (the default); counter: consensus alone, over a counter; with commas, in turn
  --seed N          the seed (default 1)
  --seeds N         so many seeds, from --seed on
  --nightly         ${NIGHTLY_SEEDS} seeds of both kinds unless told otherwise; only failures and progress are printed
  --validators N    how many nodes (default: 4 to 10, from the seed)
  --minutes N       virtual minutes, ${LEAST_MINUTES} or more (default 1)
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

export interface NetworkArguments {
  readonly type: "network";
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

export type Arguments =
  | { readonly type: "help" }
  | { readonly type: "jobs"; readonly seed: number; readonly jobs: number; readonly lead: number }
  | NetworkArguments;

export class UsageError extends Error {}

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

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

/** Throws UsageError. */
export function readArguments(words: readonly string[]): Arguments {
  const values = readValues(words);
  if (values.help) return { type: "help" };
  const seed = integer("seed", values.seed, 0);
  if (values.jobs === undefined) return readNetwork(values, seed);
  return { type: "jobs", seed, jobs: integer("jobs", values.jobs, 1), lead: integer("lead", values.lead, 1) };
}

function readValues(words: readonly string[]): Values {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readNetwork(values: Values, firstSeed: number): NetworkArguments {
  const apps = readNames("app", values.app, APPS) ?? (values.nightly ? APPS : (["ledger"] as const));
  if (apps.length === 0) throw new UsageError(`--app is one of ${APPS.join(", ")}`);
  const bugs = new Set(readNames("bug", values.bug, PLANTED_BUGS) ?? []);
  if (bugs.size > 0 && apps.includes("ledger")) throw new UsageError("--bug needs --app counter");
  const { validators, minutes } = values;
  return {
    type: "network",
    apps,
    firstSeed,
    seeds: integer("seeds", values.seeds ?? String(values.nightly ? NIGHTLY_SEEDS : 1), 1),
    isNightly: values.nightly,
    validators: validators === undefined ? undefined : integer("validators", validators, 4),
    minutes: minutes === undefined ? undefined : number("minutes", minutes, LEAST_MINUTES),
    faults: readNames("faults", values.faults, FAULTS),
    wideArea: values["wide-area"],
    actor: readNames("actor", values.actor, [...ACTORS.keys()])?.[0],
    bugs,
    bls: values.bls,
    trace: values.trace,
    json: values.json,
  };
}

function number(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= least) return value;
  throw new UsageError(`--${name} is a number of at least ${least}`);
}

function integer(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} is a whole number of at least ${least}`);
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
