/** Numbers as PTX writes them (PTX ISA, "Constants"). */
import { fail, type Place } from "./errors.ts";
import type { Operand } from "./syntax.ts";

const doubleView = new DataView(new ArrayBuffer(8));

export function bitsOfDouble(value: number): bigint {
  doubleView.setFloat64(0, value);
  return doubleView.getBigUint64(0);
}

export function parseNumber(text: string, negative: boolean, place: Place): Operand {
  const prefix = text.slice(0, 2).toLowerCase();
  if (prefix === "0f" || prefix === "0d") {
    const width = prefix === "0f" ? 32 : 64;
    const bits = BigInt(`0x${text.slice(2)}`);
    return { kind: "float", width, bits: negative ? bits ^ (1n << BigInt(width - 1)) : bits };
  }
  if (text.includes(".")) {
    const value = Number(text);
    return { kind: "float", width: 64, bits: bitsOfDouble(negative ? -value : value) };
  }
  const value = BigInt(octalPrefix(text.endsWith("U") ? text.slice(0, -1) : text, place));
  if (value >= 1n << 64n) fail("PTX_SYNTAX", `${text} does not fit in 64 bits`, place);
  return { kind: "integer", value: negative ? -value : value };
}

/** A leading zero means octal in PTX; TypeScript wants `0o`. */
function octalPrefix(digits: string, place: Place): string {
  if (!/^0[0-9]/.test(digits)) return digits;
  if (!/^0[0-7]+$/.test(digits)) fail("PTX_SYNTAX", `${digits} is not an octal number`, place);
  return `0o${digits.slice(1)}`;
}
