/** Files that hold one private key as hexadecimal text, readable by their owner alone. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { bytesToHex, hexToBytes } from "../base/bytes.ts";
import { CodedError } from "../base/errors.ts";
import { isPrivateKey } from "../base/secp256k1.ts";
import { writeNewFile } from "./write-new-file.ts";

/** Throws KEY_FILE_INVALID. */
export async function readKeyFile(path: string): Promise<Uint8Array> {
  const text = (await readFile(path, "utf8")).trim();
  const digits = text.startsWith("0x") ? text : `0x${text}`;
  const key = /^0x[0-9a-f]{64}$/i.test(digits) ? hexToBytes(digits) : undefined;
  if (key !== undefined && isPrivateKey(key)) return key;
  // The content is not repeated: it may be a key with one digit wrong.
  throw new CodedError("KEY_FILE_INVALID", `${path} does not hold a private key`, {
    hint: "A key file holds 64 hexadecimal digits. Make one with: ogpu account new",
  });
}

/** Makes a key and writes it. Refuses to write over a file: it may be the only copy of a key. */
export async function createKeyFile(path: string): Promise<Uint8Array> {
  let key = new Uint8Array(randomBytes(32));
  while (!isPrivateKey(key)) key = new Uint8Array(randomBytes(32));
  await writeNewFile(path, `${bytesToHex(key)}\n`, "Choose another name.", 0o600);
  return key;
}
