/** Keystores of either kind as files. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CodedError, isCoded, systemCodeOf } from "../../base/errors.ts";
import {
  type AccountKeystore,
  openAccountKey,
  parseAccountKeystore,
  writeAccountKeystore,
} from "./account-keystore.ts";
import { type KeyErrorCode, keyError, keystoreInvalid } from "./errors.ts";
import { MAX_KEYSTORE_BYTES } from "./limits.ts";
import { writeSecretFile } from "./secret-file.ts";
import {
  openValidatorKey,
  parseValidatorKeystore,
  type ValidatorKeystore,
  writeValidatorKeystore,
} from "./validator-keystore.ts";

export type KeyKind = "validator" | "account";

export type Keystore = (
  | { readonly kind: "validator"; readonly keystore: ValidatorKeystore }
  | { readonly kind: "account"; readonly keystore: AccountKeystore }
) & {
  /** Where it was read from, for messages. */
  readonly file?: string;
};

/** Throws KEYSTORE_MISSING or KEYSTORE_INVALID, which names the file. */
export async function readKeystore(path: string): Promise<Keystore> {
  return await naming(path, async () => ({ ...parseKeystore(await readText(path)), file: path }));
}

/** What is wrong with a keystore is told with its file. */
async function naming<Result>(file: string | undefined, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (file === undefined || !isCoded(error, "KEYSTORE_INVALID", "KEYSTORE_WRONG_PASSWORD")) throw error;
    throw keyError(error.code as KeyErrorCode, `${file}: ${error.message}`, { ...error.data, file });
  }
}

/** Throws KEYSTORE_INVALID. */
export function parseKeystore(text: string): Keystore {
  const json = parsed(text);
  const version = typeof json === "object" && json !== null && "version" in json ? json.version : undefined;
  if (version === 4) return { kind: "validator", keystore: parseValidatorKeystore(json) };
  if (version === 3) return { kind: "account", keystore: parseAccountKeystore(json) };
  throw keystoreInvalid("it has neither version 3 nor version 4");
}

/** Throws FILE_EXISTS. */
export async function writeKeystore(path: string, keystore: Keystore): Promise<void> {
  const document =
    keystore.kind === "validator" ? writeValidatorKeystore(keystore.keystore) : writeAccountKeystore(keystore.keystore);
  await writeSecretFile(path, `${JSON.stringify(document, null, 2)}\n`);
}

/** The private key. Throws KEYSTORE_WRONG_PASSWORD or KEYSTORE_INVALID. */
export function openKeystore(keystore: Keystore, password: string): Promise<Uint8Array> {
  return naming(keystore.file, () =>
    keystore.kind === "validator"
      ? openValidatorKey(keystore.keystore, password)
      : openAccountKey(keystore.keystore, password),
  );
}

/** Public key or address, if the file says it. */
export function ownerOf(keystore: Keystore): string | undefined {
  return keystore.kind === "validator" ? keystore.keystore.publicKey : keystore.keystore.address;
}

export interface ListedKeystore {
  readonly name: string;
  readonly keystore: Keystore | CodedError;
}

/** The keystores of a folder by name, with why one cannot be read. A folder that does not exist is an empty one. */
export async function listKeystores(folder: string): Promise<readonly ListedKeystore[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith(".json") && !name.startsWith(".")).sort();
  return Promise.all(
    files.map(async (file) => {
      const keystore = await readKeystore(join(folder, file)).catch((error: unknown) => {
        if (error instanceof CodedError) return error;
        throw error;
      });
      return { name: file.slice(0, -".json".length), keystore };
    }),
  );
}

async function readText(path: string): Promise<string> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    throw keyError("KEYSTORE_MISSING", `there is no file ${path}`, { hint: "List the keys with: ogpu keys list" });
  });
  try {
    const { size } = await file.stat();
    if (size > MAX_KEYSTORE_BYTES) throw keystoreInvalid(`it has ${size} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw keystoreInvalid("it is not JSON");
  }
}
