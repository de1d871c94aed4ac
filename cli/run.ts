/** Runs a command line: finds the command, gives it its input, tells its failure, and answers with an exit code. */
import {
  type Command,
  type CommandContext,
  type CommandGroup,
  type CommandSection,
  defineCommand,
  type ExitCode,
  isGroup,
} from "./command.ts";
import type { Config } from "./config.ts";
import { describeFailure, usageError } from "./failure.ts";
import { commandHelp, groupHelp, helpData, overviewHelp } from "./help.ts";
import { toJson } from "./json.ts";
import { nearest } from "./nearest.ts";
import { parseWords } from "./parse.ts";
import { PLAIN, type Style } from "./style.ts";

export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Takes the place of what it wrote before; there when somebody watches. */
  readonly bar?: (text: string) => void;
  /** How text looks on `out` and on `err`; plain when not told. */
  readonly outStyle?: Style;
  readonly errStyle?: Style;
  /** Read only by commands that stop in an orderly way; see main.ts. */
  readonly signal: AbortSignal;
}

type Entry = Command | CommandGroup;

interface Found {
  readonly entry: Entry;
  /** How it was called: `ogpu genesis create`. */
  readonly path: string;
  readonly rest: readonly string[];
}

export async function runCommandLine(
  words: readonly string[],
  sections: readonly CommandSection[],
  config: Config,
  terminal: Terminal,
): Promise<ExitCode> {
  const all = withHelpCommand(sections);
  // Known before anything is parsed, so that a mistake in the rest is also told as JSON.
  const json = words.includes("--json");
  try {
    return await dispatch(words, all, config, terminal);
  } catch (error) {
    const { exitCode, hint, ...failure } = describeFailure(error);
    if (json) {
      terminal.err(toJson({ error: { ...failure, ...(hint !== undefined && { hint }) } }));
    } else {
      const { bad, dim } = terminal.errStyle ?? PLAIN;
      terminal.err(`${bad(`error [${failure.code}]`)} ${failure.message}`);
      if (hint !== undefined) terminal.err(dim(hint));
    }
    if (config.debug && error instanceof Error) terminal.err(error.stack ?? String(error));
    return exitCode;
  }
}

async function dispatch(
  words: readonly string[],
  sections: readonly CommandSection[],
  config: Config,
  terminal: Terminal,
): Promise<ExitCode> {
  const [first, ...others] = words;
  if (first === "--version" || first === "-v") return dispatch(["version", ...others], sections, config, terminal);
  if (first === undefined || first.startsWith("-")) return printOverview(words, sections, terminal);
  const { entry, path, rest } = await find(sections, words);
  if (!isGroup(entry)) return call(entry, () => commandHelp(entry, path));
  const { alone } = entry;
  if (alone === undefined) return printGroup(entry, path, rest, terminal);
  return call(alone, () => groupHelp(entry));

  async function call(command: Command, help: () => string): Promise<ExitCode> {
    const parsed = parseWords(command, path, rest);
    const context = contextFor(terminal, parsed.json);
    if (!parsed.help) return (await command.run(parsed.input(config.variable), context)) ?? 0;
    context.report(helpData(entry), help());
    return 0;
  }
}

function contextFor(terminal: Terminal, json: boolean): CommandContext {
  return {
    report: (value, text) => terminal.out(json ? toJson(value) : text),
    event: (value) => {
      if (json) terminal.out(toJson(value));
    },
    progress: (text) => {
      if (!json) terminal.err(text);
    },
    bar: (text) => {
      if (!json) terminal.bar?.(text);
    },
    json,
    style: terminal.outStyle ?? PLAIN,
    get signal() {
      return terminal.signal;
    },
  };
}

/** The command or group that the words name, as deep as they go. */
async function find(sections: readonly CommandSection[], words: readonly string[]): Promise<Found> {
  const [first = "", second, ...others] = words;
  const listed = pick(
    sections.flatMap((section) => section.entries),
    first,
    "ogpu",
  );
  const entry = await listed.load();
  const path = `ogpu ${entry.name}`;
  if (!isGroup(entry) || second === undefined || second.startsWith("-")) return { entry, path, rest: words.slice(1) };
  const command = pick(entry.commands, second, path);
  return { entry: command, path: `${path} ${command.name}`, rest: others };
}

function pick<Candidate extends { readonly name: string }>(
  entries: readonly Candidate[],
  name: string,
  path: string,
): Candidate {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const meant = nearest(
    name,
    entries.map((entry) => entry.name),
  );
  const suggestion = meant === undefined ? "" : `; did you mean ${path} ${meant}?`;
  throw usageError(`unknown command ${path} ${name}${suggestion}`, `See: ${path} --help`);
}

/** A word that is left over where only help can follow is a mistake, not something to pass over. */
function refuseOthers(words: readonly string[], path: string): void {
  const other = words.find((word) => !["--help", "-h", "--json"].includes(word));
  if (other !== undefined) throw usageError(`${other} needs a command before it`, `See: ${path} --help`);
}

function printOverview(words: readonly string[], sections: readonly CommandSection[], terminal: Terminal): ExitCode {
  refuseOthers(words, "ogpu");
  reportOverview(sections, contextFor(terminal, words.includes("--json")));
  return 0;
}

function reportOverview(sections: readonly CommandSection[], { report, style }: CommandContext): void {
  const value = sections.map(({ title, entries }) => ({
    title,
    commands: entries.map(({ name, summary }) => ({ name, summary })),
  }));
  report(value, overviewHelp(sections, style));
}

function printGroup(group: CommandGroup, path: string, words: readonly string[], terminal: Terminal): ExitCode {
  refuseOthers(words, path);
  contextFor(terminal, words.includes("--json")).report(helpData(group), groupHelp(group));
  return 0;
}

/** Help and completion need the list of commands, so they are added here. */
function withHelpCommand(sections: readonly CommandSection[]): readonly CommandSection[] {
  const help: Command = defineCommand({
    name: "help",
    summary: "Explain a command, or list them all",
    args: [{ name: "command", description: "the command to explain", optional: true, many: true }],
    async run({ args }, context): Promise<ExitCode> {
      if (args.length === 0) {
        reportOverview(all, context);
        return 0;
      }
      const { entry, path, rest } = await find(all, args);
      if (rest.length > 0) throw usageError(`${path} has no command ${rest.join(" ")}`, `See: ${path} --help`);
      context.report(helpData(entry), isGroup(entry) ? groupHelp(entry) : commandHelp(entry, path));
      return 0;
    },
  });
  const scripts = { name: "completion", summary: "Print a script that lets a shell complete commands and options" };
  const load = async (): Promise<Command> =>
    (await import("./commands/completion.ts")).completionCommand(all, scripts.summary);
  const all: readonly CommandSection[] = [
    ...sections,
    {
      title: "Help",
      entries: [
        { name: help.name, summary: help.summary, load: async () => help },
        { ...scripts, load },
      ],
    },
  ];
  return all;
}
