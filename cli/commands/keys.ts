import { readFile } from "node:fs/promises";
import { checksumAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { KeyKind, Keystore } from "../../chain/keys/keystore-file.ts";
import { type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { columns, factTable } from "../table.ts";
import { writeNewFile } from "../write-new-file.ts";
import { guardExport, guardImport } from "./keys-guard.ts";
import {
  KINDS,
  keysDirOption,
  keystorePath,
  NAME_ARGUMENT,
  newPasswordFileOption,
  passwordFileOption,
  refuseExisting,
} from "./keys-options.ts";
import { PasswordReader } from "./keys-password.ts";

/** Loaded when asked for, so that help and mistakes answer at once. */
const files = async (): Promise<typeof import("../../chain/keys/keystore-file.ts")> =>
  import("../../chain/keys/keystore-file.ts");

const create: Command = defineCommand({
  name: "new",
  summary: "Make a key and keep it in an encrypted file",
  details:
    "A validator's key becomes an EIP-2335 keystore, an account's key an Ethereum keystore (version 3). Without the " +
    "password nobody can open it again, you included.",
  args: [NAME_ARGUMENT],
  options: {
    kind: {
      type: "string",
      placeholder: "kind",
      description: "what the key is for",
      choices: KINDS,
      default: "validator",
    },
    description: { type: "string", placeholder: "text", description: "a note in a validator's keystore", default: "" },
    keysDir: keysDirOption,
    passwordFile: passwordFileOption,
  },
  examples: [
    { command: "ogpu keys new alice", description: "a validator's key, in keys/alice.json" },
    { command: "ogpu keys new savings --kind account --password-file secret.txt", description: "without questions" },
  ],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const path = keystorePath(options.keysDir, args[0] as string);
    await refuseExisting(path);
    const password = await withPasswords((passwords) => passwords.readNew("New password: ", options.passwordFile));
    const key = await newKey(options.kind as KeyKind);
    await store(path, options.kind as KeyKind, key, password, options.description);
    const facts = await factsOf(options.kind as KeyKind, key);
    report({ file: path, ...facts.data }, `${facts.text}\nThe key is in ${path}. Keep a copy of it, and the password.`);
    return 0;
  },
});

const list: Command = defineCommand({
  name: "list",
  summary: "List the keys",
  options: { keysDir: keysDirOption },
  async run({ options }, { report }): Promise<ExitCode> {
    const { listKeystores, ownerOf } = await files();
    const found = await listKeystores(options.keysDir);
    const keys = found.map(({ name, keystore }) => {
      if (keystore instanceof CodedError) return { name, kind: "?", owner: keystore.message };
      return { name, kind: keystore.kind, owner: shownOwner(keystore.kind, ownerOf(keystore)) };
    });
    const rows = keys.map(({ name, kind, owner }) => [name, kind, owner]);
    const none = `There are no keys in ${options.keysDir}. Make one with: ogpu keys new`;
    report(keys, rows.length === 0 ? none : columns(["name", "kind", "public key or address"], rows));
    return 0;
  },
});

const importKey: Command = defineCommand({
  name: "import",
  summary: "Take a key from a keystore of another program, or from a file with the bare key",
  details:
    "A keystore (EIP-2335, or Ethereum's version 3) is opened with its password and kept under a new one. A bare key is " +
    "64 hexadecimal digits, and needs --kind. A validator's key must not sign on two machines: see guard-export.",
  args: [NAME_ARGUMENT, { name: "file", description: "the keystore, or the bare key" }],
  options: {
    kind: { type: "string", placeholder: "kind", description: "what a bare key is for", choices: KINDS },
    keysDir: keysDirOption,
    passwordFile: { ...passwordFileOption, description: "a file with the password of the keystore that is imported" },
    newPasswordFile: newPasswordFileOption,
  },
  examples: [{ command: "ogpu keys import alice keystore-m_12381.json", description: "asks for both passwords" }],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const path = keystorePath(options.keysDir, args[0] as string);
    await refuseExisting(path);
    const { kind, key, password } = await withPasswords(async (passwords) => {
      const source = await readSource(args[1] as string, options.kind as KeyKind | undefined);
      const opened = await openSource(source, () => passwords.read("Password of the file: ", options.passwordFile));
      return { ...opened, password: await passwords.readNew("New password: ", options.newPasswordFile) };
    });
    await store(path, kind, key, password, "");
    const facts = await factsOf(kind, key);
    report({ file: path, ...facts.data }, `${facts.text}\nThe key is in ${path}.`);
    return 0;
  },
});

const exportKey: Command = defineCommand({
  name: "export",
  summary: "Write a key to a file for other programs",
  details:
    "As a keystore under a new password, or with --raw as bare hexadecimal digits: whoever reads that file has the key.",
  args: [NAME_ARGUMENT, { name: "file", description: "where it goes; it must not exist" }],
  options: {
    raw: { type: "flag", description: "the bare key, not encrypted" },
    keysDir: keysDirOption,
    passwordFile: passwordFileOption,
    newPasswordFile: newPasswordFileOption,
  },
  examples: [{ command: "ogpu keys export savings savings.key --raw", description: "for: ogpu send --key-file" }],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const target = args[1] as string;
    await refuseExisting(target);
    const { readKeystore, openKeystore } = await files();
    const keystore = await readKeystore(keystorePath(options.keysDir, args[0] as string));
    await withPasswords(async (passwords) => {
      const key = await openKeystore(keystore, await passwords.read("Password: ", options.passwordFile));
      if (options.raw) await writeRaw(target, key);
      else {
        const password = await passwords.readNew("New password: ", options.newPasswordFile);
        await store(target, keystore.kind, key, password, "");
      }
    });
    const warning = options.raw ? " It is not encrypted: whoever has the file has the key." : "";
    report({ file: target, kind: keystore.kind, raw: options.raw }, `The key is in ${target}.${warning}`);
    return 0;
  },
});

const proof: Command = defineCommand({
  name: "proof",
  summary: "Print a validator's public key and the proof that its key is known, for a chain spec",
  details: "Nothing of it is secret: give it to whoever makes the chain spec (see: ogpu genesis create --help).",
  args: [NAME_ARGUMENT],
  options: {
    operator: {
      type: "string",
      placeholder: "address",
      description: "the account that acts for the validator and gets its tips; put into the proof",
    },
    out: { type: "string", placeholder: "file", description: "write it there as JSON; the file must not exist" },
    keysDir: keysDirOption,
    passwordFile: passwordFileOption,
  },
  examples: [
    { command: "ogpu keys proof alice --json", description: "as a program reads it" },
    { command: "ogpu keys proof alice --operator 0x7099...79C8 --out alice.proof", description: "for a chain spec" },
  ],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const { readKeystore, openKeystore } = await files();
    const { operator: address, out } = options;
    const operator =
      address && checksumAddress(readValue("--operator", address, "ogpu keys proof", (text) => parseAddress(text)));
    if (out !== undefined) await refuseExisting(out);
    const keystore = await readKeystore(keystorePath(options.keysDir, args[0] as string));
    if (keystore.kind !== "validator") {
      throw usageError(`${args[0]} is an account's key`, "Only the keys of validators have such a proof.");
    }
    const password = await withPasswords((passwords) => passwords.read("Password: ", options.passwordFile));
    const { data, text } = await factsOf("validator", await openKeystore(keystore, password));
    const proven = { ...data, ...(operator !== undefined && { operator }) };
    if (out === undefined) {
      report(proven, text);
      return 0;
    }
    await writeNewFile(out, `${JSON.stringify(proven, null, 2)}\n`, "Choose another name.");
    report({ file: out, ...proven }, `${text}\nThe proof is in ${out}.`);
    return 0;
  },
});

async function withPasswords<Result>(use: (passwords: PasswordReader) => Promise<Result>): Promise<Result> {
  const passwords = new PasswordReader();
  try {
    return await use(passwords);
  } finally {
    passwords.close();
  }
}

async function newKey(kind: KeyKind): Promise<Uint8Array> {
  return kind === "validator"
    ? (await import("../../chain/keys/validator-keystore.ts")).newValidatorKey()
    : (await import("../../chain/keys/account-keystore.ts")).newAccountKey();
}

async function store(path: string, kind: KeyKind, key: Uint8Array, password: string, note: string): Promise<void> {
  const [{ checkNewPassword }, { writeKeystore }] = await Promise.all([
    import("../../chain/keys/password.ts"),
    files(),
  ]);
  checkNewPassword(password);
  await writeKeystore(path, await locked(kind, key, password, note));
}

async function locked(kind: KeyKind, key: Uint8Array, password: string, note: string): Promise<Keystore> {
  if (kind === "account") {
    const { lockAccountKey } = await import("../../chain/keys/account-keystore.ts");
    return { kind, keystore: await lockAccountKey(key, password) };
  }
  const { lockValidatorKey } = await import("../../chain/keys/validator-keystore.ts");
  return { kind, keystore: await lockValidatorKey(key, password, note) };
}

type Source =
  | { readonly type: "keystore"; readonly keystore: Keystore }
  | { readonly type: "bare"; readonly kind: KeyKind; readonly key: Uint8Array };

const BARE_KEY = /^(0x)?[0-9a-f]{64}$/i;

async function readSource(path: string, kind: KeyKind | undefined): Promise<Source> {
  const { readKeystore } = await files();
  const text = (await readFile(path, "utf8")).trim();
  if (!BARE_KEY.test(text)) return { type: "keystore", keystore: await readKeystore(path) };
  if (kind === undefined) {
    throw usageError(
      `${path} holds a bare key, which does not say what it is for`,
      `Give --kind: ${KINDS.join(" or ")}.`,
    );
  }
  return { type: "bare", kind, key: hexToBytes(text.startsWith("0x") ? text : `0x${text}`) };
}

async function openSource(
  source: Source,
  password: () => Promise<string>,
): Promise<{ readonly kind: KeyKind; readonly key: Uint8Array }> {
  if (source.type === "bare") return source;
  const { openKeystore } = await files();
  return { kind: source.keystore.kind, key: await openKeystore(source.keystore, await password()) };
}

async function writeRaw(path: string, key: Uint8Array): Promise<void> {
  const { writeSecretFile } = await import("../../chain/keys/secret-file.ts");
  await writeSecretFile(path, `${bytesToHex(key)}\n`);
}

interface KeyFacts {
  readonly data: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What others may know of it. */
async function factsOf(kind: KeyKind, key: Uint8Array): Promise<KeyFacts> {
  if (kind === "account") {
    const { privateKeyToAddress } = await import("../../base/secp256k1.ts");
    const address = checksumAddress(privateKeyToAddress(key));
    return { data: { kind, address }, text: factTable([["address", address]]) };
  }
  const { bls } = await import("../../base/bls.ts");
  const publicKey = bytesToHex(bls.publicKeyOf(key).bytes);
  const proofOfPossession = bytesToHex(bls.provePossession(key));
  const text = factTable([
    ["public key", publicKey],
    ["proof of possession", proofOfPossession],
  ]);
  return { data: { kind, publicKey, proofOfPossession }, text };
}

function shownOwner(kind: KeyKind, owner: string | undefined): string {
  if (owner === undefined) return "not said in the file";
  return kind === "account" ? checksumAddress(hexToBytes(owner)) : owner;
}

export const keys: CommandGroup = {
  name: "keys",
  summary: "Make, keep and move the keys of validators and accounts",
  commands: [create, list, importKey, exportKey, proof, guardExport, guardImport],
};
