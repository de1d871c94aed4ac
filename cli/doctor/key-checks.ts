/** Keystores: whether they can be read, and by whom. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CodedError } from "../../base/errors.ts";
import { type ListedKeystore, listKeystores } from "../../chain/keys/keystore-file.ts";
import { type Finding, fault, look, ok, skipped } from "./finding.ts";

/** Anybody but the owner: reading or writing. */
const OTHERS = 0o077;

export async function checkKeys(keysDir: string): Promise<readonly Finding[]> {
  const listed = await listKeystores(keysDir).catch(() => []);
  if (listed.length === 0) {
    return [skipped("keys", `none in ${keysDir}; make one with: ogpu keys new <name>`)];
  }
  return Promise.all(listed.map((each) => checkKeystore(keysDir, each)));
}

async function checkKeystore(keysDir: string, { name, keystore }: ListedKeystore): Promise<Finding> {
  const path = join(keysDir, `${name}.json`);
  const subject = `key ${name}`;
  if (keystore instanceof CodedError) return fault(subject, keystore.message, `Bring a copy of ${path} back.`);
  const { mode } = await stat(path);
  if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
    return look(subject, `${keystore.kind}, and others of this machine can read it`, `Close it: chmod 600 ${path}`);
  }
  return ok(subject, keystore.kind);
}
