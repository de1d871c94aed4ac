import { bytesToBigint, bytesToHex } from "../base/bytes.ts";
import { MAX_REASON_BYTES } from "./limits.ts";

/** Solidity's Error(string) and Panic(uint256). */
const ERROR_SELECTOR = "0x08c379a0";
const PANIC_SELECTOR = "0x4e487b71";

/** What Solidity's documentation says of each code, in the words that Ethereum's clients use. */
const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "17": "arithmetic underflow or overflow",
  "18": "division or modulo by zero",
  "33": "enum overflow",
  "34": "invalid encoded storage byte array accessed",
  "49": "out-of-bounds array access; popping on an empty array",
  "50": "out-of-bounds access of an array or bytesN",
  "65": "out of memory",
  "81": "uninitialized function",
};

/** The text of a Solidity revert, when the data holds one; a long one is cut. */
export function decodeRevertReason(output: Uint8Array): string | undefined {
  const selector = bytesToHex(output.subarray(0, 4));
  if (selector === PANIC_SELECTOR && output.length === 36) return panicText(bytesToBigint(output.subarray(4)));
  if (selector !== ERROR_SELECTOR || output.length < 68) return undefined;
  const offset = bytesToBigint(output.subarray(4, 36));
  const length = bytesToBigint(output.subarray(36, 68));
  if (offset !== 32n || length > BigInt(output.length - 68)) return undefined;
  const text = output.subarray(68, 68 + Number(length));
  const decoded = new TextDecoder().decode(text.subarray(0, MAX_REASON_BYTES));
  return text.length > MAX_REASON_BYTES ? `${decoded}...` : decoded;
}

function panicText(code: bigint): string {
  return PANICS[code.toString()] ?? `unknown panic code: 0x${code.toString(16)}`;
}
