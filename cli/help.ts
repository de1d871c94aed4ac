/** The help texts, made from what the commands declare. */
import {
  type ArgumentSpec,
  type Command,
  type CommandGroup,
  type CommandSection,
  isGroup,
  type OptionSpec,
} from "./command.ts";
import { COMMON_OPTIONS, flagName } from "./parse.ts";
import type { Style } from "./style.ts";

type Row = readonly [left: string, right: string];

function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
}

function block(title: string, rows: readonly Row[]): readonly string[] {
  return rows.length === 0 ? [] : [`${title}:\n${table(rows)}`];
}

export function overviewHelp(sections: readonly CommandSection[], { bold }: Style): string {
  return [
    bold("ogpu: the OpenGPU node"),
    "Usage: ogpu <command> [options]",
    ...sections.map(
      ({ title, entries }) => `${bold(`${title}:`)}\n${table(entries.map(({ name, summary }) => [name, summary]))}`,
    ),
    "Every command has --help and --json. OGPU_DEBUG=1 adds stack traces to errors.\n" +
      "From a checkout, call it as: npm run ogpu -- <command>",
  ].join("\n\n");
}

export function groupHelp({ name: word, summary: about, commands, alone }: CommandGroup): string {
  return [
    alone?.details === undefined ? about : `${about}\n\n${wrapped(alone.details)}`,
    `Usage: ogpu ${word} <command> [options]${alone === undefined ? "" : `, or ogpu ${word} [options] to ${alone.name}`}`,
    ...block(
      "Commands",
      commands.map(({ name, summary }) => [name, summary]),
    ),
    ...(alone === undefined ? [] : block(`Options of ogpu ${word} and ogpu ${word} ${alone.name}`, optionRows(alone))),
    ...block("Examples", exampleRows(alone)),
    `See: ogpu ${word} <command> --help`,
  ].join("\n\n");
}

function exampleRows(command: Command | undefined): readonly Row[] {
  return (command?.examples ?? []).map((example) => [example.command, example.description]);
}

function optionRows({ options }: Command): readonly Row[] {
  const all = Object.entries({ ...options, ...COMMON_OPTIONS });
  return all.map(([name, spec]) => [optionText(name, spec), optionDetails(spec)]);
}

/** Lines of at most this many characters are read with ease. */
const TEXT_WIDTH = 100;

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > TEXT_WIDTH) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.join("\n");
}

/** `path` is how the command is called: `ogpu genesis create`. */
export function commandHelp(command: Command, path: string): string {
  const args = command.args ?? [];
  return [
    command.details === undefined ? command.summary : `${command.summary}\n\n${wrapped(command.details)}`,
    `Usage: ${[path, ...args.map(argumentText), "[options]"].join(" ")}`,
    ...block(
      "Arguments",
      args.map((spec) => [argumentText(spec), spec.description]),
    ),
    ...block("Options", optionRows(command)),
    ...block("Examples", exampleRows(command)),
  ].join("\n\n");
}

function argumentText({ name, optional, many }: ArgumentSpec): string {
  const text = many ? `${name}...` : name;
  return optional ? `[${text}]` : `<${text}>`;
}

function optionText(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "    " : `-${spec.short}, `;
  return `${short}--${flagName(name)}${spec.type === "flag" ? "" : ` <${spec.placeholder}>`}`;
}

function optionDetails(spec: OptionSpec): string {
  const facts: string[] = [];
  if (spec.type === "string" && spec.choices !== undefined) facts.push(`one of ${spec.choices.join(", ")}`);
  if (spec.type === "list") facts.push("may be repeated");
  if ((spec.type === "string" || spec.type === "integer") && spec.required) facts.push("required");
  if ((spec.type === "string" || spec.type === "integer") && spec.default !== undefined && spec.default !== "") {
    facts.push(`default ${spec.default}`);
  }
  if (spec.env !== undefined) facts.push(`or ${spec.env}`);
  return facts.length === 0 ? spec.description : `${spec.description} (${facts.join("; ")})`;
}

/** The same as data, for `--json`: what the entry declares, without what it does. */
export function helpData(entry: Command | CommandGroup): object {
  if (isGroup(entry)) {
    const { name, summary, commands, alone } = entry;
    return { name, summary, commands: commands.map(helpData), ...(alone !== undefined && { alone: alone.name }) };
  }
  const { run: _run, ...declared } = entry;
  return { ...declared, options: { ...entry.options, ...COMMON_OPTIONS } };
}
