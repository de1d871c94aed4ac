/** What can follow what on the command line, as plain data: scripts for each shell are written from it. */
import { type ArgumentSpec, type Command, type CommandGroup, isGroup, type OptionSpec } from "../command.ts";
import { COMMON_OPTIONS, flagName } from "../parse.ts";

export interface CompletionOption {
  /** `--data-dir`. */
  readonly flag: string;
  /** `-d`. */
  readonly short: string | undefined;
  readonly description: string;
  /** Undefined: it takes no value. */
  readonly value: CompletionValue | undefined;
}

/** Words to choose from, or else files, folders, or nothing that a shell could know. */
export type CompletionValue = readonly string[] | "file" | "folder" | "other";

/** One way to call ogpu: `[]` is ogpu itself, `["keys", "new"]` a command. */
export interface CompletionPlace {
  readonly words: readonly string[];
  /** Commands that can follow, with their summaries. */
  readonly commands: readonly (readonly [name: string, summary: string])[];
  readonly options: readonly CompletionOption[];
  /** What arguments are. */
  readonly argument: CompletionValue;
}

export function completionPlaces(entries: readonly (Command | CommandGroup)[]): readonly CompletionPlace[] {
  const named = (each: { readonly name: string; readonly summary: string }): readonly [string, string] => [
    each.name,
    each.summary,
  ];
  const places: CompletionPlace[] = [
    { words: [], commands: entries.map(named), options: optionsOf(COMMON_OPTIONS), argument: "other" },
  ];
  for (const entry of entries) {
    if (!isGroup(entry)) {
      places.push(placeOf([entry.name], entry));
      continue;
    }
    const commands = entry.commands.map(named);
    const options = optionsOf({ ...entry.alone?.options, ...COMMON_OPTIONS });
    places.push({ words: [entry.name], commands, options, argument: "other" });
    for (const command of entry.commands) places.push(placeOf([entry.name, command.name], command));
  }
  return places;
}

function placeOf(words: readonly string[], { options, args }: Command): CompletionPlace {
  return {
    words,
    commands: [],
    options: optionsOf({ ...options, ...COMMON_OPTIONS }),
    argument: args?.[0] === undefined ? "other" : argumentValue(args[0]),
  };
}

function optionsOf(options: Readonly<Record<string, OptionSpec>>): readonly CompletionOption[] {
  return Object.entries(options).map(([name, spec]) => ({
    flag: `--${flagName(name)}`,
    short: spec.short === undefined ? undefined : `-${spec.short}`,
    description: spec.description,
    value: optionValue(spec),
  }));
}

function optionValue(spec: OptionSpec): CompletionValue | undefined {
  if (spec.type === "flag") return undefined;
  if (spec.type === "string" && spec.choices !== undefined) return spec.choices;
  return kindOfName(spec.placeholder);
}

function argumentValue({ name }: ArgumentSpec): CompletionValue {
  return kindOfName(name);
}

/** By what the help calls it. */
function kindOfName(name: string): CompletionValue {
  if (/folder|directory/.test(name)) return "folder";
  return /file|model|program|keystore|kernel|spec|guard/.test(name) ? "file" : "other";
}
