/** A value as one line of JSON: bigint as a decimal string, bytes as hex. */
import { bytesToHex } from "../base/bytes.ts";

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") return inner.toString();
    if (inner instanceof Uint8Array) return bytesToHex(inner);
    if (inner instanceof Map) return Object.fromEntries(inner);
    return inner;
  });
}
