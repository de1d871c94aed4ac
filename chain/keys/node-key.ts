/**
 * The key by which other nodes know this one: the seed of an Ed25519 key, 64 hexadecimal digits in a file. It guards no
 * money and signs no block, so it is made when it is not there, and needs no password.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { isCoded, systemCodeOf } from "../../base/errors.ts";
import { keyError } from "./errors.ts";
import { writeSecretFile } from "./secret-file.ts";

const SEED_BYTES = 32;

/** Throws NODE_KEY_INVALID. */
export async function loadNodeKey(path: string): Promise<Uint8Array> {
  const found = await readNodeKey(path);
  if (found !== undefined) return found;
  const seed = new Uint8Array(randomBytes(SEED_BYTES));
  try {
    await writeSecretFile(path, `${bytesToHex(seed).slice(2)}\n`);
    return seed;
  } catch (error) {
    // Another process was faster.
    if (!isCoded(error, "FILE_EXISTS")) throw error;
    return (await readNodeKey(path)) ?? seed;
  }
}

async function readNodeKey(path: string): Promise<Uint8Array | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{64}\s*$/i.test(text)) return hexToBytes(`0x${text.trim()}`);
  // The content is not repeated: it may be some other secret.
  throw keyError("NODE_KEY_INVALID", `${path} does not hold a node's key`, {
    hint: "Delete the file to get a new key. Peers will know the node by another name then.",
  });
}
