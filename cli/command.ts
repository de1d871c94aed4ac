/**
 * What a command of `ogpu` is. Everything a command accepts is declared as data, so that parsing, `--help` and
 * the checks of the whole command line come from one place, and the values reach `run` with their types.
 *
 * The parser stands on `node:util` parseArgs: the libraries give us help text and suggestions, which are short to
 * write, and take away exact exit codes and typed values, which are not.
 */
import type { Style } from "./style.ts";

interface OptionBase {
  readonly description: string;
  /** One letter: `-d` for `--data`. */
  readonly short?: string;
  /** The environment variable that stands in when the option is not given. */
  readonly env?: string;
}

export interface FlagOption extends OptionBase {
  readonly type: "flag";
}

export interface StringOption extends OptionBase {
  readonly type: "string";
  /** What the value is, in the help: `--data <folder>`. */
  readonly placeholder: string;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** It has to be the address of something that is reached over HTTP. */
  readonly isWebAddress?: true;
  readonly required?: true;
}

export interface IntegerOption extends OptionBase {
  readonly type: "integer";
  readonly placeholder: string;
  readonly default?: number;
  /** Inclusive; 0 when not given. */
  readonly min?: number;
  /** Inclusive; the largest safe integer when not given. */
  readonly max?: number;
  readonly required?: true;
}

/** May be given several times. */
export interface ListOption extends OptionBase {
  readonly type: "list";
  readonly placeholder: string;
  /** As of a string, each. */
  readonly isWebAddress?: true;
}

export type OptionSpec = FlagOption | StringOption | IntegerOption | ListOption;
/** By their names in camelCase: `dataDir` is given as `--data-dir`. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type Present<Spec, Value> = Spec extends { readonly default: Value } | { readonly required: true }
  ? Value
  : Value | undefined;

export type OptionValue<Spec extends OptionSpec> = Spec extends FlagOption
  ? boolean
  : Spec extends ListOption
    ? readonly string[]
    : Spec extends IntegerOption
      ? Present<Spec, number>
      : Present<Spec, string>;

export type OptionValues<Specs extends OptionSpecs> = { readonly [Name in keyof Specs]: OptionValue<Specs[Name]> };

export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly optional?: true;
  /** Takes everything that is left; the last argument only. */
  readonly many?: true;
}

export interface Example {
  readonly command: string;
  readonly description: string;
}

/** What a command gets from the world. */
export interface CommandContext {
  /**
   * Prints a result: the text for people, or with `--json` the value as one line of JSON, where bigint becomes
   * a decimal string. A command that runs on may report many times.
   */
  report(value: unknown, text: string): void;
  /** Reports something that only programs want to hear: nothing is printed without `--json`. */
  event(value: unknown): void;
  /** Says what is going on, on standard error, and never with `--json`. */
  progress(text: string): void;
  /** Puts a line where the last such line was, on a terminal only; an empty one takes it away. */
  bar(text: string): void;
  /** Whether `--json` was given. */
  readonly json: boolean;
  /** For the text of reports: plain unless a terminal shows them. */
  readonly style: Style;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
}

export interface CommandInput<Specs extends OptionSpecs = OptionSpecs> {
  /** One entry for each argument given, in their order. */
  readonly args: readonly string[];
  readonly options: OptionValues<Specs>;
}

/** 0 done, 1 it failed, 2 it was called wrongly. */
export type ExitCode = 0 | 1 | 2;

export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** More than fits in one line, for the command's own help. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: Specs;
  readonly examples?: readonly Example[];
  /** A failure is thrown, as a CodedError when the user can do something about it. */
  run(input: CommandInput<Specs>, context: CommandContext): Promise<ExitCode | undefined> | ExitCode | undefined;
}

/** Commands under one word: `ogpu genesis create`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
  /**
   * What the word by itself does, one of the commands: `ogpu provider` is `ogpu provider run`. It has no arguments, which
   * would be taken for commands.
   */
  readonly alone?: Command;
}

/**
 * Where a command or group is found. Its module is loaded when somebody calls it: all of them together take more
 * than a second of processor time (measured), which nobody should wait for to see a balance or this list.
 */
export interface CommandEntry {
  /** As the command itself says; a test holds them equal. */
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command | CommandGroup>;
}

/** The overview lists the commands under such titles. */
export interface CommandSection {
  readonly title: string;
  readonly entries: readonly CommandEntry[];
}

export function isGroup(entry: Command | CommandGroup): entry is CommandGroup {
  return "commands" in entry;
}

/** Keeps the exact types of the options, from which the types of the values follow. */
export function defineCommand<const Specs extends OptionSpecs>(command: Command<Specs>): Command<Specs> {
  return command;
}
