/** Readers of parameters, strict as Ethereum's JSON-RPC specification is: quantities without leading zeros, whole bytes. */
import { parseAddress } from "../base/address.ts";
import { bytesToHex, type Hex, hexToBytes } from "../base/bytes.ts";
import { isCoded } from "../base/errors.ts";
import type { Address } from "../vm/state/account.ts";
import { invalidParams } from "./rpc-error.ts";

export interface Parameter<Value> {
  /** What it must be, for the error message. */
  readonly wanted: string;
  /** `where` names the place in an error. Throws an RpcError. */
  read(value: unknown, where: string): Value;
  /** Stands in when the parameter is left out. */
  readonly fallback?: { readonly value: Value };
}

export function optional<Value>(parameter: Parameter<Value>, value: Value): Parameter<Value> {
  return { ...parameter, fallback: { value } };
}

function refuse(where: string, wanted: string): never {
  throw invalidParams(`${where} must be ${wanted}`);
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/i;
const DATA = /^0x([0-9a-f]{2})*$/i;

export const address: Parameter<Address> = {
  wanted: "an address",
  read(value, where) {
    if (typeof value !== "string") return refuse(where, this.wanted);
    try {
      return bytesToHex(parseAddress(value));
    } catch (error) {
      if (isCoded(error, "BAD_ADDRESS")) throw invalidParams(`${where}: ${error.message}`);
      throw error;
    }
  },
};

export const quantity: Parameter<bigint> = {
  wanted: "a quantity: 0x and hexadecimal digits without leading zeros",
  read(value, where) {
    return typeof value === "string" && QUANTITY.test(value) ? BigInt(value) : refuse(where, this.wanted);
  },
};

export const data: Parameter<Uint8Array> = {
  wanted: "bytes: 0x and an even number of hexadecimal digits",
  read(value, where) {
    return typeof value === "string" && DATA.test(value) ? hexToBytes(value) : refuse(where, this.wanted);
  },
};

export const hash: Parameter<Uint8Array> = {
  wanted: "32 bytes of hexadecimal",
  read(value, where) {
    const isHash = typeof value === "string" && value.length === 66 && DATA.test(value);
    return isHash ? hexToBytes(value) : refuse(where, this.wanted);
  },
};

/** A storage slot: 32 bytes, or a number, as Ethereum's clients accept both. */
export const slot: Parameter<Hex> = {
  wanted: "a storage slot: at most 32 bytes of hexadecimal",
  read(value, where) {
    if (typeof value !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(value)) return refuse(where, this.wanted);
    return `0x${value.slice(2).toLowerCase().padStart(64, "0")}`;
  },
};

export const boolean: Parameter<boolean> = {
  wanted: "true or false",
  read(value, where) {
    return typeof value === "boolean" ? value : refuse(where, this.wanted);
  },
};

export function list<Value>(item: Parameter<Value>, maxItems: number): Parameter<readonly Value[]> {
  return {
    wanted: `a list of at most ${maxItems}`,
    read(value, where) {
      if (!Array.isArray(value) || value.length > maxItems) return refuse(where, this.wanted);
      return value.map((entry: unknown, index) => item.read(entry, `${where}[${index}]`));
    },
  };
}

export const percentile: Parameter<number> = {
  wanted: "a number from 0 to 100",
  read(value, where) {
    const isPercentile = typeof value === "number" && value >= 0 && value <= 100;
    return isPercentile ? value : refuse(where, this.wanted);
  },
};

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
