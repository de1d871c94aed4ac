/** What `ogpu init` makes: a folder with keys, the password that opens them, and a service that starts the program. */
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { checksumAddress } from "../../base/address.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { lockAccountKey, newAccountKey } from "../../chain/keys/account-keystore.ts";
import { writeKeystore } from "../../chain/keys/keystore-file.ts";
import { makeFolder } from "../make-folder.ts";
import { writeNewFile } from "../write-new-file.ts";
import { serviceFile } from "./service-file.ts";

const OWNER_ONLY = 0o600;
const PASSWORD_BYTES = 24;

export interface PreparedFolder {
  readonly folder: string;
  readonly passwordFile: string;
  readonly password: string;
}

/** Throws FILE_EXISTS when it was prepared before: nothing of it is ever written over. */
export async function prepareFolder(path: string): Promise<PreparedFolder> {
  const folder = resolve(path);
  await makeFolder(join(folder, "keys"));
  const passwordFile = join(folder, "password");
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  await writeNewFile(passwordFile, `${password}\n`, "Choose another folder: this one has keys already.", OWNER_ONLY);
  return { folder, passwordFile, password };
}

export interface NewAccount {
  readonly file: string;
  readonly address: string;
}

export async function createAccount({ folder, password }: PreparedFolder, name: string): Promise<NewAccount> {
  const key = newAccountKey();
  const file = join(folder, "keys", `${name}.json`);
  await writeKeystore(file, { kind: "account", keystore: await lockAccountKey(key, password) });
  return { file, address: checksumAddress(privateKeyToAddress(key)) };
}

export interface NewValidator {
  readonly file: string;
  readonly publicKey: string;
  readonly proofFile: string;
}

export async function createValidatorKey(
  { folder, password }: PreparedFolder,
  operator: string,
): Promise<NewValidator> {
  const [{ lockValidatorKey, newValidatorKey }, { bls }] = await Promise.all([
    import("../../chain/keys/validator-keystore.ts"),
    import("../../base/bls.ts"),
  ]);
  const key = newValidatorKey();
  const file = join(folder, "keys", "validator.json");
  await writeKeystore(file, { kind: "validator", keystore: await lockValidatorKey(key, password, "") });
  const publicKey = bytesToHex(bls.publicKeyOf(key).bytes);
  const proofOfPossession = bytesToHex(bls.provePossession(key));
  const proofFile = join(folder, "validator.proof");
  const proof = { kind: "validator", publicKey, proofOfPossession, operator };
  await writeNewFile(proofFile, `${JSON.stringify(proof, null, 2)}\n`, "Choose another folder.");
  return { file, publicKey, proofFile };
}

/** The path of the unit. */
export async function writeService(
  folder: string,
  name: string,
  description: string,
  words: readonly string[],
): Promise<string> {
  const path = join(folder, `${name}.service`);
  const program = [process.execPath, resolve(process.argv[1] ?? "ogpu")];
  await writeNewFile(path, serviceFile({ description, words, program, folder }), "Choose another folder.");
  return path;
}
