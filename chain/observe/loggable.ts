/**
 * Facts as a log can take them: no secrets, nothing without bound, and nothing that JSON cannot say. Facts come from
 * peers too, who would like to fill a disk.
 */
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { MAX_BYTES_SHOWN, MAX_DEPTH, MAX_ITEMS, MAX_TEXT } from "./limits.ts";

/** Parts of names, without regard to case, dashes and underscores. */
const SECRET = /password|passphrase|private-?key|secret|mnemonic|authorization|cookie/;
const REDACTED = "[redacted]";

/** A fact by one of these names would stand beside the log's own. */
const RESERVED: readonly string[] = ["level", "time", "subsystem", "message"];

export function loggable(facts: object): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of members(facts, 0)) result[RESERVED.includes(name) ? `fact.${name}` : name] = value;
  return result;
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === "string") return shortened(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return shownBytes(value);
  if (depth >= MAX_DEPTH) return "...";
  if (value instanceof Error) return errorFacts(value, depth);
  if (value instanceof Map) return plain(Object.fromEntries([...value].slice(0, MAX_ITEMS)), depth);
  if (Array.isArray(value) || value instanceof Set) return shownList([...value], depth);
  return Object.fromEntries(members(value, depth));
}

function members(value: object, depth: number): [string, unknown][] {
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return entries.map(([name, member]) => [shortened(name), isSecret(name) ? REDACTED : plain(member, depth + 1)]);
}

function isSecret(name: string): boolean {
  return SECRET.test(name.replaceAll("_", "").toLowerCase());
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}... (${text.length} characters)`;
}

function shownBytes(bytes: Uint8Array): string {
  if (bytes.length <= MAX_BYTES_SHOWN) return bytesToHex(bytes);
  return `${bytesToHex(bytes.subarray(0, MAX_BYTES_SHOWN))}... (${bytes.length} bytes)`;
}

function shownList(items: readonly unknown[], depth: number): unknown[] {
  const shown = items.slice(0, MAX_ITEMS).map((item) => plain(item, depth + 1));
  return items.length > MAX_ITEMS ? [...shown, `... (${items.length} items)`] : shown;
}

/** Coded errors are expected, and their stack says nothing; of others it is what one looks for. */
function errorFacts(error: Error, depth: number): unknown {
  if (error instanceof CodedError) {
    return { code: error.code, message: shortened(error.message), ...Object.fromEntries(members(error.data, depth)) };
  }
  const cause = error.cause === undefined ? {} : { cause: plain(error.cause, depth + 1) };
  return { name: error.name, message: shortened(error.message), stack: shortened(error.stack ?? ""), ...cause };
}
