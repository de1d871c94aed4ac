/** A content address as text, in one form only: it is also a file's name, so nothing else may pass. */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { agentError } from "../errors.ts";

const ADDRESS = /^0x[0-9a-f]{64}$/;

export function isBlobAddress(text: string): text is Hex {
  return ADDRESS.test(text);
}

/** Throws BLOB_ADDRESS. */
export function blobAddress(text: string): Hex {
  if (isBlobAddress(text)) return text;
  throw agentError("BLOB_ADDRESS", "a content address is 0x and 64 hexadecimal digits in lower case");
}

export function addressText(address: Uint8Array): Hex {
  return bytesToHex(address);
}
