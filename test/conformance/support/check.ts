/** What the suites of this folder check with: each throws the sentence that becomes a case's reason. */
import { bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";

/** Bytes of hexadecimal text with or without `0x`; test files have both. */
export function bytesOf(hex: string): Uint8Array {
  return hexToBytes(hex.startsWith("0x") ? hex : `0x${hex}`);
}

export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what} is ${shown(actual)}, expected ${shown(expected)}`);
}

export function expectBytes(actual: Uint8Array | undefined, expected: string, what: string): void {
  expectSame(actual && bytesToHex(actual), bytesToHex(bytesOf(expected)), what);
}

/** `run` must throw an error with that code. */
export function expectCode(run: () => unknown, code: string, what: string): void {
  try {
    run();
  } catch (error) {
    if (isCoded(error, code)) return;
    throw error;
  }
  throw new Error(`${what} was accepted, expected ${code}`);
}

/** The result of `run`, or `undefined` when it throws an error with one of the codes; other errors go through. */
export function unlessCoded<Result>(run: () => Result, ...codes: readonly string[]): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (isCoded(error, ...codes)) return undefined;
    throw error;
  }
}

/** The result of `run`, or `undefined` when it throws: for libraries, whose errors have no codes. */
export function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const SHOWN_LENGTH = 200;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : String(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}...`;
}
