/** A small command line to try the frame on, and a terminal that remembers. */
import { CodedError } from "../../base/errors.ts";
import { type Command, type CommandGroup, type CommandSection, defineCommand } from "../../cli/command.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";

const create: Command = defineCommand({
  name: "create",
  summary: "Create a thing",
  args: [
    { name: "file", description: "where to write it" },
    { name: "more", description: "anything else", optional: true, many: true },
  ],
  options: {
    network: {
      type: "string",
      placeholder: "name",
      description: "which network",
      choices: ["devnet", "testnet"],
      default: "devnet",
    },
    dataFolder: { type: "string", placeholder: "folder", description: "where data lies", env: "OGPU_DATA", short: "d" },
    count: { type: "integer", placeholder: "n", description: "how many", default: 3, min: 1, max: 10 },
    peer: { type: "list", placeholder: "address", description: "a peer to dial" },
    force: { type: "flag", description: "overwrite" },
  },
  examples: [{ command: "ogpu thing create a.json", description: "with the defaults" }],
  run({ args, options }, { report, progress }) {
    const count: number = options.count;
    const folder: string | undefined = options.dataFolder;
    progress("working");
    report({ args, ...options, count, folder, big: 10n ** 20n }, `created ${count} in ${folder}`);
    return 0;
  },
});

const strict: Command = defineCommand({
  name: "strict",
  summary: "Need a key",
  options: {
    key: { type: "string", placeholder: "hex", description: "the key", required: true },
    at: { type: "string", placeholder: "url", description: "where", isWebAddress: true, env: "OGPU_AT" },
  },
  run: ({ options }, { report }) => {
    report(options.key.length, options.key);
    return undefined;
  },
});

const fail: Command = defineCommand({
  name: "fail",
  summary: "Fail in the way that is asked for",
  args: [{ name: "how", description: "coded, bug or system" }],
  run({ args: [how] }) {
    if (how === "coded")
      throw new CodedError("NO_FUNDS", "the account is empty", { hint: "Send it oGPU.", missing: 5n });
    if (how === "system") throw Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
    if (how === "result") return 1;
    throw new TypeError("x is not a function");
  },
});

const thing: CommandGroup = { name: "thing", summary: "Work with things", commands: [create, strict] };

const work: Command = defineCommand({
  name: "work",
  summary: "Work until told otherwise",
  options: { hours: { type: "integer", placeholder: "n", description: "how long", default: 8 } },
  run: ({ options }, { report }) => {
    report({ hours: options.hours }, `worked for ${options.hours} hours`);
    return 0;
  },
});

const rest: Command = defineCommand({
  name: "rest",
  summary: "Do nothing",
  run: (_input, { report }) => {
    report({}, "rested");
    return 0;
  },
});

const helper: CommandGroup = { name: "helper", summary: "Have help", commands: [work, rest], alone: work };

export const SAMPLE: readonly CommandSection[] = [
  { title: "Things", entries: [{ name: "thing", summary: thing.summary, load: async () => thing }] },
  { title: "Helpers", entries: [{ name: "helper", summary: helper.summary, load: async () => helper }] },
  { title: "Failures", entries: [{ name: "fail", summary: fail.summary, load: async () => fail }] },
];

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function run(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const words = line === "" ? [] : line.split(" ");
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommandLine(words, SAMPLE, readConfig(env), {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    signal: new AbortController().signal,
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}
