import { setTimeout as delay } from "node:timers/promises";
import { CodedError } from "../../base/errors.ts";
import { type Command, type CommandContext, defineCommand, type ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { readModule } from "../modules/module-commands.ts";
import { FullScreen } from "../top/full-screen.ts";
import { screenLines } from "../top/screen.ts";
import { type Snapshot, SnapshotSource } from "../top/snapshot.ts";

/** Validators that are asked for, each time. */
const VALIDATORS_ASKED = 50n;

export const top: Command = defineCommand({
  name: "top",
  summary: "Watch a node on a full screen: blocks, finality, validators, supply",
  details: "With --json: one document for each look, for as long as it runs, or one alone with --once.",
  options: {
    rpc: rpcOption,
    interval: {
      type: "integer",
      placeholder: "ms",
      description: "between two looks",
      default: 1000,
      min: 100,
      max: 60_000,
    },
    once: { type: "flag", description: "look once and end" },
  },
  examples: [{ command: "ogpu top", description: "the node of this machine" }],
  async run({ options }, context): Promise<ExitCode> {
    const { signal, report, style, event } = context;
    const source = new SnapshotSource(options.rpc);
    const first = await source.take(validatorsOf);
    if (options.once) {
      const size = { columns: 100, rows: 40 };
      report(first, screenLines(first, size, Date.now(), style).slice(0, -1).join("\n").trimEnd());
      return 0;
    }
    if (context.json) {
      event(first);
      return watch(source, options.interval, context, event);
    }
    if (!process.stdout.isTTY || !process.stdin.isTTY) {
      throw usageError("a full screen needs a terminal", "For scripts: ogpu top --once, or ogpu top --json.");
    }
    const quit = new AbortController();
    const screen = new FullScreen(process.stdin, process.stdout, () => quit.abort());
    try {
      const draw = (snapshot: Snapshot): void => screen.draw(screenLines(snapshot, screen.size, Date.now(), style));
      draw(first);
      return await watch(
        source,
        options.interval,
        { ...context, signal: AbortSignal.any([signal, quit.signal]) },
        draw,
        (text) => screen.draw([style.bad(text)]),
      );
    } finally {
      screen.close();
    }
  },
});

/** A node that does not answer now may do so later. */
async function watch(
  source: SnapshotSource,
  interval: number,
  { signal }: Pick<CommandContext, "signal">,
  show: (snapshot: Snapshot) => void,
  complain: (text: string) => void = () => undefined,
): Promise<ExitCode> {
  while (!signal.aborted) {
    await delay(interval, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    try {
      show(await source.take(validatorsOf));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      complain(error.message);
    }
  }
  return 0;
}

async function validatorsOf(rpc: string): Promise<Pick<Snapshot, "counted" | "validators">> {
  const [count, counted] = await Promise.all([
    readModule(rpc, "staking", "activeCount", []),
    readModule(rpc, "staking", "countedBlocks", []),
  ]);
  const asked = count < VALIDATORS_ASKED ? count : VALIDATORS_ASKED;
  const found = await Promise.all(
    Array.from({ length: Number(asked) }, (_, index) => readModule(rpc, "staking", "activeAt", [BigInt(index)])),
  );
  const validators = found
    .map(([operator, , , weight, signed]) => ({ operator, weight, signed: Number(signed) }))
    .sort((a, b) => (a.weight < b.weight ? 1 : a.weight > b.weight ? -1 : 0));
  return { counted: Number(counted), validators };
}
