/** JSON that no client would send on purpose, and JSON as a schema wants it. */
import { existsSync, readFileSync } from "node:fs";
import fc, { type Arbitrary } from "fast-check";
import { COMPONENTS } from "../../../rpc/result-schemas.ts";
import type { JsonSchema } from "../../../rpc/schema.ts";

/** The Big List of Naughty Strings, where it is at hand (see docs/rpc.md); the few below are worth as much. */
const NAUGHTY_FILE = new URL("../../../../shared/vectors/abuse/blns.json", import.meta.url);

const OWN_NAUGHTY = [
  ...["", " ", "0x", "0X0", "0x00", "0x-1", "-0x1", "1e3", "NaN", "null", "undefined", "__proto__", "constructor"],
  ...["\u0000", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "💥", "é", "ﬀ", "İ", "%s%n", "../../etc/passwd"],
  ...["latest ", "LATEST", "pending\u0000", "0x1".padEnd(300, "0"), `0x${"f".repeat(65)}`, `0x${"f".repeat(200_000)}`],
];

function naughtyStrings(): readonly string[] {
  if (!existsSync(NAUGHTY_FILE)) return OWN_NAUGHTY;
  return [...OWN_NAUGHTY, ...(JSON.parse(readFileSync(NAUGHTY_FILE, "utf8")) as string[])];
}

const NAMES = [
  ...[
    "from",
    "to",
    "data",
    "input",
    "value",
    "gas",
    "topics",
    "address",
    "fromBlock",
    "blockHash",
    "stateDiff",
    "calls",
  ],
  ...["__proto__", "constructor", "hasOwnProperty", "length", "then", "toJSON", ""],
];

const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...naughtyStrings()),
  fc.string({ maxLength: 80, unit: "binary" }),
  fc.bigInt({ min: 0n, max: 2n ** 300n }).map((value) => `0x${value.toString(16)}`),
);

const leaf: Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 1.5, 2 ** 53, 2 ** 64, 1e300, -1e300, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Anything that JSON can say. */
export const wild: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), text), tie("value"), { maxKeys: 5 }),
  ),
})).value;

/** What is really there: hashes and addresses that lead somewhere. */
export interface Facts {
  readonly hashes: readonly string[];
  readonly addresses: readonly string[];
}

const MAX_DEPTH = 6;

/** Values that fit the schema: all kinds that the methods' own schemas use. */
export function fitting(schema: JsonSchema, facts: Facts, depth = 0): Arbitrary<unknown> {
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fitting(choice, facts, depth)));
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema["$ref"] ?? ""))?.[1];
  if (name !== undefined) return fitting((COMPONENTS as Record<string, JsonSchema>)[name] ?? {}, facts, depth);
  if (schema["enum"] !== undefined) return fc.constantFrom(...(schema["enum"] as unknown[]));
  switch (schema["type"]) {
    case "string":
      return fittingText(schema, facts);
    case "integer":
      return fc.nat({ max: 2_000 });
    case "number":
      return fc.double({ min: 0, max: 100, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fittingList(schema, facts, depth);
    case "object":
      return fittingObject(schema, facts, depth);
    default:
      return wild;
  }
}

function fittingText(schema: JsonSchema, { hashes, addresses }: Facts): Arbitrary<unknown> {
  if (schema["pattern"] === undefined) return text;
  const pattern = new RegExp(String(schema["pattern"]));
  const known = [...hashes, ...addresses, "0x0", "0x1", "0x2", "0x"].filter((value) => pattern.test(value));
  const any = fc.stringMatching(pattern);
  return known.length === 0 ? any : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, any);
}

function fittingList(schema: JsonSchema, facts: Facts, depth: number): Arbitrary<unknown> {
  const items = (schema["items"] ?? {}) as JsonSchema;
  const maxLength = depth > MAX_DEPTH ? 0 : Math.min(4, Number(schema["maxItems"] ?? 4));
  return maxLength === 0 ? fc.constant([]) : fc.array(fitting(items, facts, depth + 1), { maxLength });
}

function fittingObject(schema: JsonSchema, facts: Facts, depth: number): Arbitrary<unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema["required"] ?? []) as string[]);
  const wanted = properties.filter(([name]) => depth <= MAX_DEPTH || required.has(name));
  const members = wanted.map(([name, member]) => [name, fitting(member, facts, depth + 1)] as const);
  const named = fc.record(Object.fromEntries(members), { requiredKeys: [...required] as never[] });
  const { additionalProperties: others, propertyNames: keys } = schema as Record<
    string,
    JsonSchema | false | undefined
  >;
  if (typeof others !== "object" || depth > MAX_DEPTH) return named;
  const key = fitting(keys === undefined || keys === false ? { type: "string" } : keys, facts, depth + 1);
  return fc.dictionary(key as Arbitrary<string>, fitting(others, facts, depth + 1), { maxKeys: 3 });
}

/** The value with the part at that place replaced; places are counted through the whole of it. */
export function replaced(value: unknown, place: number, by: unknown): unknown {
  let left = place % countParts(value);
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return by;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)]));
  };
  return walk(value);
}

function countParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countParts(part), 1);
}
