/** What `npm run sim` does: runs one seed or many, tells what held, and how to see a failure again. */
import { HELP, type NetworkArguments, readArguments, UsageError } from "./arguments.ts";
import { blsKeys } from "./bls-keys.ts";
import { jobsReport } from "./compute/jobs-report.ts";
import { describeError } from "./describe-error.ts";
import { replayCommand } from "./replay.ts";
import { makeScenario, type Scenario } from "./scenario.ts";
import { type SimulationResult, simulate } from "./simulation.ts";

const PROGRESS_EVERY = 20;

/** What the program does to the world, and what it runs. */
export interface ProgramPorts {
  print(line: string): void;
  /** For people who wait, or who called it wrongly. */
  note(line: string): void;
  readonly simulate?: typeof simulate;
}

/** Resolves with the exit code. */
export async function runProgram(words: readonly string[], ports: ProgramPorts): Promise<number> {
  try {
    const options = readArguments(words);
    if (options.type === "network") return await runSeeds(options, ports);
    const lines = options.type === "help" ? [HELP] : jobsReport(options.seed, options.jobs, options.lead);
    for (const line of lines) ports.print(line);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    ports.note(`error: ${error.message}`);
    return 2;
  }
}

async function runSeeds(options: NetworkArguments, ports: ProgramPorts): Promise<number> {
  const { seeds, firstSeed, isNightly, json } = options;
  const started = performance.now();
  let failures = 0;
  for (let done = 1; done <= seeds; done++) {
    if (!(await runSeed(firstSeed + done - 1, options, ports))) failures++;
    if (!isNightly || done % PROGRESS_EVERY > 0) continue;
    const left = ((seeds - done) * (performance.now() - started)) / done / 60_000;
    ports.note(`${done} of ${seeds} seeds, ${failures} failed, about ${left.toFixed(1)} minutes left`);
  }
  if (seeds > 1 && !json) ports.print(`${seeds - failures} seeds held, ${failures} failed`);
  return failures === 0 ? 0 : 1;
}

/** Whether it held. Whatever happens in it, the other seeds get their turn. */
async function runSeed(seed: number, options: NetworkArguments, ports: ProgramPorts): Promise<boolean> {
  const app = options.apps[seed % options.apps.length];
  const scenario = makeScenario({ ...options, app, seed: String(seed) });
  const command = replayCommand(scenario, options);
  const started = performance.now();
  let result: SimulationResult;
  try {
    result = await (ports.simulate ?? simulate)(scenario, {
      bugs: options.bugs,
      ...(options.bls ? { keys: blsKeys() } : {}),
      ...(options.trace ? { onTrace: ports.print } : {}),
    });
  } catch (error) {
    // The network could not even be made.
    const violations = [`thrown: ${describeError(error)}`];
    if (options.json) ports.print(JSON.stringify({ ...describe(scenario), violations, replay: command }));
    else
      for (const line of [`seed ${seed} (${app}): FAILED`, ...failure(scenario, violations, command)])
        ports.print(line);
    return false;
  }
  const milliseconds = Math.round(performance.now() - started);
  const held = result.violations.length === 0;
  if (options.json) {
    ports.print(
      JSON.stringify({ ...describe(scenario), ...result, milliseconds, megabytes: megabytes(), replay: command }),
    );
  } else if (!held || !options.isNightly) {
    ports.print(summary(scenario, result, milliseconds));
    if (!held) for (const line of failure(scenario, result.violations, command)) ports.print(line);
  }
  return held;
}

function megabytes(): number {
  return Math.round(process.resourceUsage().maxRSS / 1_024);
}

function describe({ seed, app, validators, minutes, faults, actors }: Scenario): object {
  return { seed, app, validators, minutes, faults: [...faults], actors: Object.fromEntries(actors) };
}

function summary({ seed, app, validators }: Scenario, result: SimulationResult, milliseconds: number): string {
  const { violations, traceHash, steps, heights, epochs, transactions, imports, finality, bytes } = result;
  return [
    `seed ${seed} (${app}): ${violations.length === 0 ? "held" : "FAILED"}`,
    `trace ${traceHash}`,
    `${validators} validators`,
    `${Math.max(...heights)} blocks`,
    `${epochs} epochs`,
    `${transactions} transactions`,
    ...(imports > 0 ? [`${imports} snapshots`] : []),
    `final after ${finality.p50}/${finality.p95} ms (p50/p95)`,
    `${bytes.up} bytes up and ${bytes.down} down per node and block`,
    `${steps} steps in ${milliseconds} ms`,
    `${megabytes()} MB`,
  ].join(", ");
}

function failure({ faults, actors }: Scenario, violations: readonly string[], command: string): readonly string[] {
  return [
    `  faults: ${[...faults].join(", ") || "none"}; actors: ${[...actors.values()].join(", ") || "none"}`,
    ...violations.map((violation) => `  ${violation}`),
    `  replay: ${command}`,
  ];
}
