/** Bytes in what goes through the queue, which carries JSON. */
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";

export function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: bytesToHex(value) };
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toPlain(part)]));
}

/** No object of ours has a single field `bytes` that is text. */
export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === "bytes" && typeof first[1] === "string")
    return hexToBytes(first[1] as Hex);
  return Object.fromEntries(entries.map(([name, part]) => [name, fromPlain(part)]));
}
