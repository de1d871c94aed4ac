/**
 * A note beside a validator's keystore: on which chains the key has begun to sign. `--new-key` may stay in a service
 * file, and the data folder may be lost: the note then keeps the key from beginning a second log, as if it had never
 * signed. It is no guard, which is the log itself; it only makes --new-key true once.
 */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Hex } from "../../base/bytes.ts";
import { systemCodeOf } from "../../base/errors.ts";

export function markerPath(keystore: string): string {
  return `${keystore}.signs`;
}

async function chainsIn(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (systemCodeOf(error) === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").filter((line) => line.startsWith("0x"));
}

/** `genesis` is the hash of the chain's first block. */
export async function hasSigned(keystore: string, genesis: Hex): Promise<boolean> {
  return (await chainsIn(markerPath(keystore))).includes(genesis);
}

/** Durable afterwards. Throws what the disk says: a keystore may be where nothing can be written. */
export async function markSigned(keystore: string, genesis: Hex): Promise<void> {
  if (await hasSigned(keystore, genesis)) return;
  const path = markerPath(keystore);
  await changeSynced(path, "a", (file) => file.writeFile(`${genesis}\n`));
  // The name as well: a power cut would take the file with it.
  await changeSynced(dirname(path), "r", async () => {});
}

async function changeSynced(
  path: string,
  flags: "a" | "r",
  change: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await change(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
