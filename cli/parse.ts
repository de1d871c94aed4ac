/** From the words after a command's name to its arguments and options, checked against what it declares. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import type {
  ArgumentSpec,
  Command,
  CommandInput,
  ListOption,
  OptionSpec,
  OptionSpecs,
  StringOption,
} from "./command.ts";
import { usageError } from "./failure.ts";
import { nearest } from "./nearest.ts";
import { isWebAddress } from "./web-address.ts";

/** Options that every command has. */
export const COMMON_OPTIONS: OptionSpecs = {
  json: { type: "flag", description: "print results as JSON, one document per line" },
  help: { type: "flag", short: "h", description: "print this help" },
};

/** `dataFolder` is given as `--data-folder`. */
export function flagName(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface ParsedWords {
  readonly json: boolean;
  readonly help: boolean;
  /** Checks arguments and options: not done when only help is wanted. */
  input(variable: (name: string) => string | undefined): CommandInput;
}

interface OptionToken {
  readonly kind: "option";
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** `path` is how the command was called, for the messages: `ogpu genesis create`. */
export function parseWords(command: Command, path: string, words: readonly string[]): ParsedWords {
  const specs: OptionSpecs = { ...command.options, ...COMMON_OPTIONS };
  const byFlag = new Map(Object.entries(specs).map(([name, spec]) => [flagName(name), { name, spec }]));
  const hint = `See: ${path} --help`;
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries([...byFlag].map(([flag, { spec }]) => [flag, parserOption(spec)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const args: string[] = [];
  const given = new Map<string, string[]>();
  let misuse: Error | undefined;
  for (const token of tokens) {
    if (token.kind === "positional") args.push(token.value);
    if (token.kind !== "option") continue;
    const known = byFlag.get(token.name);
    if (known === undefined) misuse ??= unknownOption(token.rawName, [...byFlag.keys()], hint);
    else misuse ??= misusedOption(token, known.spec, given.has(known.name), hint);
    if (known !== undefined) given.set(known.name, [...(given.get(known.name) ?? []), token.value ?? ""]);
  }
  return {
    json: given.has("json"),
    help: given.has("help"),
    input: (variable) => {
      if (misuse !== undefined) throw misuse;
      checkArguments(command.args ?? [], args, hint);
      const options: Record<string, unknown> = {};
      for (const [name, spec] of Object.entries(command.options ?? {})) {
        options[name] = optionValue(name, spec, given.get(name), variable, hint);
      }
      return { args, options: options as CommandInput["options"] };
    },
  };
}

function parserOption(spec: OptionSpec): NonNullable<ParseArgsConfig["options"]>[string] {
  return { type: spec.type === "flag" ? "boolean" : "string", ...(spec.short !== undefined && { short: spec.short }) };
}

function unknownOption(rawName: string, flags: readonly string[], hint: string): Error {
  const meant = nearest(rawName.replace(/^-+/, ""), flags);
  return usageError(`unknown option ${rawName}${meant === undefined ? "" : `; did you mean --${meant}?`}`, hint);
}

function misusedOption(token: OptionToken, spec: OptionSpec, repeated: boolean, hint: string): Error | undefined {
  const { rawName, value, inlineValue } = token;
  if (spec.type === "flag") {
    return inlineValue ? usageError(`${rawName} takes no value`, hint) : undefined;
  }
  // "--data --json" most likely forgot the folder; a value that does start with a dash is written --data=-x.
  const swallowed = !inlineValue && value !== undefined && /^-\D/.test(value);
  if (value === undefined || value === "" || swallowed) return usageError(`${rawName} needs a value`, hint);
  return repeated && spec.type !== "list" ? usageError(`${rawName} was given twice`, hint) : undefined;
}

function checkArguments(specs: readonly ArgumentSpec[], args: readonly string[], hint: string): void {
  const missing = specs.find((spec, index) => spec.optional === undefined && index >= args.length);
  if (missing !== undefined) throw usageError(`<${missing.name}> is missing: ${missing.description}`, hint);
  const surplus = args[specs.length];
  if (surplus !== undefined && specs.at(-1)?.many === undefined) {
    throw usageError(`unexpected argument ${surplus}`, hint);
  }
}

function optionValue(
  name: string,
  spec: OptionSpec,
  given: readonly string[] | undefined,
  variable: (name: string) => string | undefined,
  hint: string,
): unknown {
  const fromEnvironment = given === undefined && spec.env !== undefined ? variable(spec.env) : undefined;
  const shown = fromEnvironment === undefined ? `--${flagName(name)}` : (spec.env ?? "");
  const text = fromEnvironment ?? given?.at(-1);
  if (spec.type === "flag") return given !== undefined || (fromEnvironment !== undefined && fromEnvironment !== "0");
  if (spec.type === "list") {
    const texts = given ?? (fromEnvironment === undefined ? [] : fromEnvironment.split(","));
    return checkAddresses(spec, shown, texts, hint);
  }
  if (text === undefined) {
    if (spec.required) throw usageError(`${shown} is required: ${spec.description}`, hint);
    return spec.default;
  }
  if (spec.type === "integer")
    return integerValue(shown, text, spec.min ?? 0, spec.max ?? Number.MAX_SAFE_INTEGER, hint);
  if (spec.choices !== undefined && !spec.choices.includes(text)) {
    const meant = nearest(text, spec.choices);
    const suggestion = meant === undefined ? "" : `; did you mean ${meant}?`;
    throw usageError(`${shown} is one of ${spec.choices.join(", ")}, not ${text}${suggestion}`, hint);
  }
  return checkAddresses(spec, shown, [text], hint)[0];
}

function checkAddresses(
  { isWebAddress: mustBe }: StringOption | ListOption,
  shown: string,
  texts: readonly string[],
  hint: string,
): readonly string[] {
  const wrong = mustBe && texts.find((text) => !isWebAddress(text));
  if (wrong === undefined) return texts;
  throw usageError(`${shown} is an address such as http://127.0.0.1:8545, not ${wrong}`, hint);
}

function integerValue(shown: string, text: string, min: number, max: number, hint: string): number {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw usageError(`${shown} is a whole number from ${min} to ${max}, not ${text}`, hint);
}
