/**
 * Shapes of JSON documents. A shape reads a value into its typed form, reporting every problem with its path, and
 * states the same rule as JSON Schema. Both come from one definition, so that the schema file which editors use
 * and the parser which the node uses cannot drift apart.
 */

export interface Problem {
  /** Where, as a JSON path: `$.accounts[3].balance`. */
  readonly path: string;
  readonly message: string;
}

export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a shape answers after it has reported why there is no value. */
export const INVALID: unique symbol = Symbol("invalid");

export type Report = (path: string, message: string) => void;

export interface Shape<Value> {
  read(value: unknown, path: string, report: Report): Value | typeof INVALID;
  readonly schema: JsonSchema;
  /** Stands in when the field is not there; a field without it is required. */
  readonly fallback?: { readonly value: Value };
}

/** The same rule for people: what the field is for. */
export function described<Value>(description: string, shape: Shape<Value>): Shape<Value> {
  return { ...shape, schema: { description, ...shape.schema } };
}

export function optional<Value>(shape: Shape<Value>, value: Value): Shape<Value> {
  return { ...shape, fallback: { value } };
}

/** A value that is part of the document for other programs and not of what is read. */
export function ignored<Value>(shape: Shape<Value>): Shape<undefined> {
  return {
    schema: shape.schema,
    fallback: { value: undefined },
    read: (value, path, report) => (shape.read(value, path, report) === INVALID ? INVALID : undefined),
  };
}

export function boolean(): Shape<boolean> {
  return {
    schema: { type: "boolean" },
    read: (value, path, report) => {
      if (typeof value === "boolean") return value;
      return refuse(report, path, `expected true or false, found ${kindOf(value)}`);
    },
  };
}

/** A whole number that JSON holds exactly. */
export function integer(minimum: number, maximum: number): Shape<number> {
  return {
    schema: { type: "integer", minimum, maximum },
    read: (value, path, report) => {
      if (typeof value !== "number") return refuse(report, path, `expected a whole number, found ${kindOf(value)}`);
      if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return value === 0 ? 0 : value;
      return refuse(report, path, `expected a whole number from ${minimum} to ${maximum}, found ${value}`);
    },
  };
}

/** The same, as a bigint. */
export function bigInteger(minimum: number, maximum: number): Shape<bigint> {
  return mapped(integer(minimum, maximum), BigInt);
}

export function constant<const Value extends string | number>(wanted: Value): Shape<Value> {
  return {
    schema: { const: wanted },
    read: (value, path, report) => {
      if (value === wanted) return wanted;
      return refuse(report, path, `expected ${JSON.stringify(wanted)}, found ${shown(value)}`);
    },
  };
}

export function oneOf<const Value extends string>(choices: readonly Value[]): Shape<Value> {
  return {
    schema: { enum: choices },
    read: (value, path, report) => {
      const found = choices.find((choice) => choice === value);
      return found ?? refuse(report, path, `expected one of ${choices.join(", ")}, found ${shown(value)}`);
    },
  };
}

/** `wanted` says what pattern and length mean. */
export function text(pattern: RegExp, maxLength: number, wanted: string): Shape<string> {
  return {
    schema: { type: "string", pattern: pattern.source, maxLength },
    read: (value, path, report) => {
      if (typeof value === "string" && value.length <= maxLength && pattern.test(value)) return value;
      return refuse(report, path, `expected ${wanted}, found ${shown(value)}`);
    },
  };
}

/** Reads further by `map`, which throws when the value makes no sense; the schema stays as wide as it was. */
export function mapped<From, To>(shape: Shape<From>, map: (value: From) => To): Shape<To> {
  return {
    schema: shape.schema,
    read: (value, path, report) => {
      const read = shape.read(value, path, report);
      if (read === INVALID) return INVALID;
      try {
        return map(read);
      } catch (error) {
        return refuse(report, path, error instanceof Error ? error.message : String(error));
      }
    },
  };
}

export function list<Item>(item: Shape<Item>, maxItems: number): Shape<readonly Item[]> {
  return {
    schema: { type: "array", maxItems, items: item.schema },
    read: (value, path, report) => {
      if (!Array.isArray(value)) return refuse(report, path, `expected a list, found ${kindOf(value)}`);
      if (value.length > maxItems)
        return refuse(report, path, `expected at most ${maxItems} items, found ${value.length}`);
      const items = Array.from(value, (entry: unknown, index) => item.read(entry, `${path}[${index}]`, report));
      return items.some((read) => read === INVALID) ? INVALID : (items as Item[]);
    },
  };
}

/** An object whose keys are data: `key` reads each of them. */
export function dictionary<Value>(
  key: { readonly pattern: RegExp; readonly wanted: string },
  entry: Shape<Value>,
): Shape<ReadonlyMap<string, Value>> {
  return {
    schema: { type: "object", patternProperties: { [key.pattern.source]: entry.schema }, additionalProperties: false },
    read: (value, path, report) => {
      if (!isObject(value)) return refuse(report, path, `expected an object, found ${kindOf(value)}`);
      const entries = new Map<string, Value>();
      let isValid = true;
      for (const [name, inner] of Object.entries(value)) {
        const read = entry.read(inner, member(path, name), report);
        if (!key.pattern.test(name)) report(member(path, name), `expected ${key.wanted} as the name`);
        if (read === INVALID || !key.pattern.test(name)) isValid = false;
        else entries.set(name, read);
      }
      return isValid ? entries : INVALID;
    },
  };
}

type Fields<Value> = { readonly [Name in keyof Value]-?: Shape<Value[Name]> };

/** Exactly these fields: one that is missing without a fallback, and one that nobody knows, are problems. */
export function object<Value extends object>(fields: Fields<Value>): Shape<Value> {
  const names = Object.keys(fields) as (keyof Value & string)[];
  const required = names.filter((name) => fields[name].fallback === undefined);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, fields[name].schema])),
      required,
      additionalProperties: false,
    },
    read: (value, path, report) => {
      if (!isObject(value)) return refuse(report, path, `expected an object, found ${kindOf(value)}`);
      let isValid = true;
      for (const name of Object.keys(value)) {
        if (Object.hasOwn(fields, name)) continue;
        report(member(path, name), `unknown field; known are ${names.join(", ")}`);
        isValid = false;
      }
      const result: Partial<Value> = {};
      for (const name of names) {
        const read = readField(fields[name], value, name, member(path, name), report);
        if (read === INVALID) isValid = false;
        else result[name] = read;
      }
      return isValid ? (result as Value) : INVALID;
    },
  };
}

function readField<Value>(
  shape: Shape<Value>,
  holder: Readonly<Record<string, unknown>>,
  name: string,
  path: string,
  report: Report,
): Value | typeof INVALID {
  if (Object.hasOwn(holder, name)) return shape.read(holder[name], path, report);
  return shape.fallback === undefined ? refuse(report, path, "missing") : shape.fallback.value;
}

function refuse(report: Report, path: string, message: string): typeof INVALID {
  report(path, message);
  return INVALID;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "nothing";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Long enough to recognise, short enough for a terminal. */
const MAX_SHOWN = 60;

function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}...` : value);
  return typeof value === "number" ? String(value) : kindOf(value);
}

function member(path: string, name: string): string {
  const isPlain = /^[A-Za-z_$][A-Za-z0-9_$]{0,59}$/.test(name);
  return isPlain ? `${path}.${name}` : `${path}[${shown(name)}]`;
}
