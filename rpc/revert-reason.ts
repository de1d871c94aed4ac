import { bytesToBigint, bytesToHex } from "../base/bytes.ts";
import { MAX_REASON_BYTES } from "./limits.ts";

/** Solidity's Error(string). */
const ERROR_SELECTOR = "0x08c379a0";

/** The text of a Solidity revert, when the data holds one; a long one is cut. */
export function decodeRevertReason(output: Uint8Array): string | undefined {
  if (bytesToHex(output.subarray(0, 4)) !== ERROR_SELECTOR || output.length < 68) return undefined;
  const offset = bytesToBigint(output.subarray(4, 36));
  const length = bytesToBigint(output.subarray(36, 68));
  if (offset !== 32n || length > BigInt(output.length - 68)) return undefined;
  const text = output.subarray(68, 68 + Number(length));
  const decoded = new TextDecoder().decode(text.subarray(0, MAX_REASON_BYTES));
  return text.length > MAX_REASON_BYTES ? `${decoded}...` : decoded;
}
