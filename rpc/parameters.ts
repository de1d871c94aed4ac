/**
 * Readers of parameters, strict as Ethereum's JSON-RPC specification is: quantities without leading zeros, whole bytes, no
 * member that nobody knows, but in transactions. Each says in one place what it takes: to the caller, to the OpenRPC document and to the tests.
 */
import { type Hex, hexToBytes } from "../base/bytes.ts";
import { isCoded } from "../base/errors.ts";
import type { Address } from "../vm/state/account.ts";
import { invalidParams } from "./rpc-error.ts";
import { ADDRESS, BOOLEAN, INTEGER, type JsonSchema } from "./schema.ts";

export interface Parameter<Value> {
  /** What it is called where a method does not say otherwise. */
  readonly name?: string;
  /** What it must be, for the error message. */
  readonly wanted: string;
  readonly schema?: JsonSchema;
  /** `where` names the place in an error. Throws an RpcError. */
  read(value: unknown, where: string): Value;
  /** Stands in when the parameter is left out. */
  readonly fallback?: { readonly value: Value };
}

export function optional<Value>(parameter: Parameter<Value>, value: Value): Parameter<Value> {
  return { ...parameter, fallback: { value } };
}

export function named<Value>(name: string, parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, name };
}

/** The same parameter, made into something else once it is read. */
export function mapped<Value, Made>(
  parameter: Parameter<Value>,
  make: (value: Value, where: string) => Made,
): Parameter<Made> {
  const { name, wanted, schema } = parameter;
  return {
    wanted,
    ...(name !== undefined && { name }),
    ...(schema !== undefined && { schema }),
    read: (value, where) => make(parameter.read(value, where), where),
  };
}

function refuse(where: string, wanted: string): never {
  throw invalidParams(`${where} must be ${wanted}`);
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/i;

/** Not by an expression: that takes a third of a second for five million digits, and breaks at ten million (measured). */
function bytesOf(text: string): Uint8Array | undefined {
  try {
    return hexToBytes(text);
  } catch (error) {
    if (isCoded(error, "BAD_HEX")) return undefined;
    throw error;
  }
}

const ADDRESS_TEXT = /^0x[0-9a-f]{40}$/i;

/** In any case: a program has written it, and Ethereum's nodes do not look at the checksum (EIP-55) either. */
export const address: Parameter<Address> = {
  name: "address",
  wanted: "an address: 0x and 40 hexadecimal digits",
  schema: ADDRESS,
  read(value, where) {
    if (typeof value !== "string" || !ADDRESS_TEXT.test(value)) return refuse(where, this.wanted);
    return value.toLowerCase() as Address;
  },
};

export const quantity: Parameter<bigint> = {
  name: "quantity",
  wanted: "a quantity: 0x and hexadecimal digits without leading zeros",
  schema: { title: "quantity", type: "string", pattern: "^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$" },
  read(value, where) {
    return typeof value === "string" && QUANTITY.test(value) ? BigInt(value) : refuse(where, this.wanted);
  },
};

/** A quantity of at most eight bytes: nonces, gas, times. */
export const smallQuantity: Parameter<bigint> = {
  name: "quantity",
  wanted: "a quantity below 2^64",
  schema: { title: "quantity below 2^64", type: "string", pattern: "^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$" },
  read(value, where) {
    const read = quantity.read(value, where);
    return read < 2n ** 64n ? read : refuse(where, this.wanted);
  },
};

export const data: Parameter<Uint8Array> = {
  name: "data",
  wanted: "bytes: 0x and an even number of hexadecimal digits",
  schema: { title: "bytes", type: "string", pattern: "^0x([0-9a-fA-F]{2})*$" },
  read(value, where) {
    const bytes = typeof value === "string" ? bytesOf(value) : undefined;
    return bytes ?? refuse(where, this.wanted);
  },
};

export const hash: Parameter<Uint8Array> = {
  name: "hash",
  wanted: "32 bytes of hexadecimal",
  schema: { title: "32 bytes", type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
  read(value, where) {
    const bytes = typeof value === "string" && value.length === 66 ? bytesOf(value) : undefined;
    return bytes ?? refuse(where, this.wanted);
  },
};

/** A storage slot: 32 bytes, or a number, as Ethereum's clients accept both. */
export const slot: Parameter<Hex> = {
  name: "slot",
  wanted: "a storage slot: at most 32 bytes of hexadecimal",
  schema: { title: "slot", type: "string", pattern: "^0x[0-9a-fA-F]{1,64}$" },
  read(value, where) {
    if (typeof value !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(value)) return refuse(where, this.wanted);
    return `0x${value.slice(2).toLowerCase().padStart(64, "0")}`;
  },
};

export const boolean: Parameter<boolean> = {
  name: "flag",
  wanted: "true or false",
  schema: BOOLEAN,
  read(value, where) {
    return typeof value === "boolean" ? value : refuse(where, this.wanted);
  },
};

export const integer: Parameter<number> = {
  name: "number",
  wanted: "a whole number that is not negative",
  schema: INTEGER,
  read(value, where) {
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : refuse(where, this.wanted);
  },
};

export function text(maxLength: number): Parameter<string> {
  return {
    name: "text",
    wanted: `text of at most ${maxLength} characters`,
    schema: { type: "string", maxLength },
    read(value, where) {
      return typeof value === "string" && value.length <= maxLength ? value : refuse(where, this.wanted);
    },
  };
}

/** For what is read once it is known what it must be. */
export const anything: Parameter<unknown> = { name: "value", wanted: "a value", schema: {}, read: (value) => value };

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Parameter<Choice> {
  return {
    name: "choice",
    wanted: `one of ${choices.join(", ")}`,
    schema: { type: "string", enum: choices },
    read(value, where) {
      return choices.find((choice) => choice === value) ?? refuse(where, this.wanted);
    },
  };
}

export function list<Value>(item: Parameter<Value>, maxItems: number): Parameter<readonly Value[]> {
  return {
    name: item.name === undefined ? "list" : `${item.name} list`,
    wanted: `a list of at most ${maxItems}`,
    schema: { type: "array", maxItems, items: item.schema ?? {} },
    read(value, where) {
      if (!Array.isArray(value) || value.length > maxItems) return refuse(where, this.wanted);
      return value.map((entry: unknown, index) => item.read(entry, `${where}[${index}]`));
    },
  };
}

export const percentile: Parameter<number> = {
  name: "percentile",
  wanted: "a number from 0 to 100",
  schema: { type: "number", minimum: 0, maximum: 100 },
  read(value, where) {
    const isPercentile = typeof value === "number" && value >= 0 && value <= 100;
    return isPercentile ? value : refuse(where, this.wanted);
  },
};

type Fields = Readonly<Record<string, Parameter<unknown>>>;

type Members<Shape extends Fields> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Parameter<infer Value> ? Value | undefined : never;
};

/** An object whose members may all be left out; one that is not named here is refused. */
export function object<const Shape extends Fields>(wanted: string, shape: Shape): Parameter<Members<Shape>> {
  const open = openObject(wanted, shape);
  return {
    ...open,
    schema: { ...open.schema, additionalProperties: false },
    read(value, where) {
      const unknown = Object.keys(members(value, where)).find((name) => !Object.hasOwn(shape, name));
      if (unknown !== undefined) throw invalidParams(`${where} has no member ${unknown.slice(0, 60)}`);
      return open.read(value, where);
    },
  };
}

/** An object whose members may all be left out; others than are named here mean nothing. */
export function openObject<const Shape extends Fields>(wanted: string, shape: Shape): Parameter<Members<Shape>> {
  const schemas = Object.entries(shape).map(([name, { schema }]) => [
    name,
    { anyOf: [{ type: "null" }, schema ?? {}] },
  ]);
  return {
    name: "object",
    wanted,
    schema: { type: "object", properties: Object.fromEntries(schemas) },
    read(value, where) {
      const holder = members(value, where);
      const entries = Object.entries(shape).map(([name, parameter]) => [name, member(holder, name, parameter, where)]);
      return Object.fromEntries(entries) as Members<Shape>;
    },
  };
}

/** An object as a table from keys to values. */
export function table<Key, Value>(
  key: Parameter<Key>,
  item: Parameter<Value>,
  maxItems: number,
): Parameter<ReadonlyMap<Key, Value>> {
  return {
    name: "table",
    wanted: `an object with at most ${maxItems} members`,
    schema: {
      type: "object",
      maxProperties: maxItems,
      propertyNames: key.schema ?? {},
      additionalProperties: item.schema,
    },
    read(value, where) {
      const entries = Object.entries(members(value, where));
      if (entries.length > maxItems) return refuse(where, this.wanted);
      return new Map(
        entries.map(([name, entry]) => {
          const place = `${where}.${name.slice(0, 70)}`;
          return [key.read(name, place), item.read(entry, place)];
        }),
      );
    },
  };
}

/** The members of an object, for a parameter that reads them one by one. */
export function members(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return refuse(where, "an object");
}

/** A member that may be left out: `undefined` and null both mean so. */
export function member<Value>(
  holder: Readonly<Record<string, unknown>>,
  name: string,
  parameter: Parameter<Value>,
  where: string,
): Value | undefined {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  return value === undefined || value === null ? undefined : parameter.read(value, `${where}.${name}`);
}
