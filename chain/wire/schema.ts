/**
 * Schemas of what nodes say to each other: MessagePack (by msgpackr) where records are arrays in the order of their
 * fields. Reading is strict: the bytes are in the one form that we write (scan.ts), every array has the length that
 * its schema says, every length and integer is within its bounds. So decoding and encoding again gives the same bytes.
 */
import { Packr, Unpackr } from "msgpackr";
import { bigintToBytes, bytesToBigint, bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { wireInvalid } from "./errors.ts";
import { MAX_ITEMS } from "./limits.ts";
import { scan } from "./scan.ts";

/** What scan.ts lets through, as msgpackr gives it. */
export type Plain = null | boolean | number | bigint | string | Uint8Array | readonly Plain[];

export interface Schema<T> {
  /** For values of our own: one that does not fit its schema is our bug. */
  write(value: T): Plain;
  /** Throws WIRE_INVALID. */
  read(plain: Plain): T;
}

const packr = new Packr({ useRecords: false, moreTypes: false, encodeUndefinedAsNil: false });
const unpackr = new Unpackr({ useRecords: false, int64AsType: "number", structuredClone: false });

/** Not a Buffer, whose `slice` does not copy: of parts of a Buffer, msgpackr makes Buffers. */
function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function encodeWire<T>(schema: Schema<T>, value: T): Uint8Array {
  return plainBytes(packr.pack(schema.write(value)));
}

/** Throws WIRE_INVALID, and nothing else. Byte strings in the value may share the memory of `bytes`. */
export function decodeWire<T>(schema: Schema<T>, bytes: Uint8Array, maxBytes: number, maxItems: number = MAX_ITEMS): T {
  if (bytes.length > maxBytes) throw wireInvalid("the message is too long", { length: bytes.length, maxBytes });
  scan(bytes, maxItems);
  return schema.read(unpackr.unpack(plainBytes(bytes)) as Plain);
}

function expected(what: string): Error {
  return wireInvalid(`expected ${what}`, { expected: what });
}

/** An integer from 0 to `max`. */
export function integer(max: number = Number.MAX_SAFE_INTEGER, min = 0): Schema<number> {
  return {
    write(value) {
      assert(Number.isSafeInteger(value) && value >= min && value <= max, `${value} is not an integer to ${max}`);
      // msgpackr writes numbers above 32 bits as floats.
      return value > 0xffff_ffff ? BigInt(value) : value;
    },
    read(plain) {
      if (typeof plain !== "number" || plain < min || plain > max) throw expected(`an integer from ${min} to ${max}`);
      return plain;
    },
  };
}

/** Any unsigned integer of up to `maxBytes` bytes, as its shortest big-endian bytes. */
export function big(maxBytes: number): Schema<bigint> {
  return {
    write(value) {
      const bytes = bigintToBytes(value);
      assert(value >= 0n && bytes.length <= maxBytes, `an integer does not fit in ${maxBytes} bytes`);
      return bytes;
    },
    read(plain) {
      if (!(plain instanceof Uint8Array) || plain.length > maxBytes || plain[0] === 0) {
        throw expected(`an integer of up to ${maxBytes} bytes`);
      }
      return bytesToBigint(plain);
    },
  };
}

export const boolean: Schema<boolean> = {
  write: (value) => value,
  read(plain) {
    if (typeof plain !== "boolean") throw expected("true or false");
    return plain;
  },
};

/** Printable ASCII. */
export function text(maxLength: number): Schema<string> {
  return {
    write(value) {
      assert(value.length <= maxLength && /^[ -~]*$/.test(value), "text on the wire is short printable ASCII");
      return value;
    },
    read(plain) {
      if (typeof plain !== "string" || plain.length > maxLength) throw expected(`text of up to ${maxLength} letters`);
      return plain;
    },
  };
}

/** From `minLength` to `maxLength` bytes. */
export function bytes(maxLength: number, minLength = 0): Schema<Uint8Array> {
  return {
    write(value) {
      const { length } = value;
      assert(length >= minLength && length <= maxLength, `${length} bytes are not ${minLength} to ${maxLength}`);
      return value;
    },
    read(plain) {
      if (!(plain instanceof Uint8Array) || plain.length < minLength || plain.length > maxLength) {
        throw expected(minLength === maxLength ? `${maxLength} bytes` : `${minLength} to ${maxLength} bytes`);
      }
      return plain;
    },
  };
}

/** Exactly `length` bytes, as hexadecimal text in the program. */
export function hex(length: number): Schema<Hex> {
  return mapped(bytes(length, length), hexToBytes, bytesToHex);
}

/** A hash, or anything else of 32 bytes. */
export const hash: Schema<Hex> = hex(32);

export function list<T>(item: Schema<T>, maxLength: number, minLength = 0): Schema<readonly T[]> {
  return {
    write(value) {
      const { length } = value;
      assert(length >= minLength && length <= maxLength, `a list of ${length} is not of ${minLength} to ${maxLength}`);
      return value.map((element) => item.write(element));
    },
    read(plain) {
      if (!Array.isArray(plain) || plain.length < minLength || plain.length > maxLength) {
        throw expected(`a list of ${minLength} to ${maxLength}`);
      }
      return plain.map((element: Plain) => item.read(element));
    },
  };
}

/** `undefined` is nil. The schema itself must not use nil. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return {
    write: (value) => (value === undefined ? null : schema.write(value)),
    read: (plain) => (plain === null ? undefined : schema.read(plain)),
  };
}

/** One of a few words, as its number. Never reuse a number. */
export function word<T extends string>(numbers: Readonly<Record<T, number>>): Schema<T> {
  const words = new Map(Object.entries<number>(numbers).map(([name, number]) => [number, name as T]));
  assert(words.size === Object.keys(numbers).length, "two words have one number");
  return {
    write: (value) => numbers[value],
    read(plain) {
      const found = typeof plain === "number" ? words.get(plain) : undefined;
      if (found === undefined) throw expected("the number of a known word");
      return found;
    },
  };
}

/** An object as the array of its fields, in the order in which they are written down here. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Schema<T[K]> }): Schema<T> {
  const entries = Object.entries<Schema<unknown>>(fields);
  return {
    write: (value) => entries.map(([name, schema]) => schema.write(value[name as keyof T])),
    read(plain) {
      if (!Array.isArray(plain) || plain.length !== entries.length) throw expected(`${entries.length} fields`);
      // Field names are ours, never a peer's.
      const value: Record<string, unknown> = {};
      for (const [index, [name, schema]] of entries.entries()) value[name] = schema.read(plain[index] as Plain);
      return value as T;
    },
  };
}

/** The members of a union that is told apart by `type`: each has a number, never reused, and the rest of its fields. */
export type Cases<T extends { readonly type: string }> = {
  readonly [K in T["type"]]: readonly [number: number, rest: Schema<Omit<Extract<T, { readonly type: K }>, "type">>];
};

export function union<T extends { readonly type: string }>(cases: Cases<T>): Schema<T> {
  type Case = readonly [number, Schema<object>];
  const byType = new Map(Object.entries<Case>(cases));
  const byNumber = new Map([...byType].map(([type, [number, schema]]) => [number, { type, schema }]));
  assert(byNumber.size === byType.size, "two members of a union have one number");
  return {
    write(value) {
      const found = byType.get(value.type);
      assert(found !== undefined, `${value.type} is no member of the union`);
      return [found[0], found[1].write(value)];
    },
    read(plain) {
      const isPair = Array.isArray(plain) && plain.length === 2 && typeof plain[0] === "number";
      const found = isPair ? byNumber.get(plain[0]) : undefined;
      if (!isPair || found === undefined) throw expected("the number of a known kind and its fields");
      return { type: found.type, ...found.schema.read(plain[1]) } as T;
    },
  };
}

/** Another form of `schema`'s values. A CodedError of `after` becomes WIRE_INVALID. */
export function mapped<T, U>(schema: Schema<U>, before: (value: T) => U, after: (value: U) => T): Schema<T> {
  return {
    write: (value) => schema.write(before(value)),
    read(plain) {
      const value = schema.read(plain);
      try {
        return after(value);
      } catch (error) {
        if (!(error instanceof CodedError) || error.code === "WIRE_INVALID") throw error;
        throw wireInvalid(error.message, { ...error.data, because: error.code });
      }
    },
  };
}
