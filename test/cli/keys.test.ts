import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { lockAccountKey, newAccountKey } from "../../chain/keys/account-keystore.ts";
import {
  type KeyKind,
  type Keystore,
  openKeystore,
  ownerOf,
  readKeystore,
  writeKeystore,
} from "../../chain/keys/keystore-file.ts";
import type { KeyDerivation } from "../../chain/keys/secret-box.ts";
import { lockValidatorKey, newValidatorKey } from "../../chain/keys/validator-keystore.ts";
import { ConsensusLog, type ConsensusLogOptions } from "../../chain/wal/consensus-log.ts";
import { decodeRecord, encodeRecord } from "../../chain/wire/log-record.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ogpu-keys-"));
  writeFileSync(join(folder, "password"), "correct horse\n");
  writeFileSync(join(folder, "other"), "battery staple\n");
  writeFileSync(join(folder, "short"), "short\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly code: number;
  readonly value: Record<string, unknown>;
}

async function keys(...words: readonly string[]): Promise<Outcome> {
  const lines: string[] = [];
  const terminal = {
    out: (text: string) => lines.push(text),
    err: (text: string) => lines.push(text),
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(["keys", ...words, "--json"], COMMANDS, readConfig({}), terminal);
  return { code, value: JSON.parse(lines.at(-1) ?? "null") as Record<string, unknown> };
}

/** A keystore that opens fast; those that the program makes take a second each. */
async function existing(name: string, kind: KeyKind): Promise<string | undefined> {
  const fast: KeyDerivation = { function: "scrypt", n: 16, r: 8, p: 1, dklen: 32, salt: new Uint8Array(32) };
  const keystore: Keystore =
    kind === "validator"
      ? { kind, keystore: await lockValidatorKey(newValidatorKey(), "correct horse", "", fast) }
      : { kind, keystore: await lockAccountKey(newAccountKey(), "correct horse", fast) };
  await writeKeystore(at(`keys/${name}.json`), keystore);
  return ownerOf(keystore);
}

const at = (name: string): string => join(folder, name);
const inFolder = (): readonly string[] => ["--keys-dir", at("keys")];
const password = (): readonly string[] => ["--password-file", at("password")];
const newPassword = (): readonly string[] => ["--new-password-file", at("other")];

describe("ogpu keys", () => {
  it("makes a validator's key, whose proof anybody can check, and lists it", async () => {
    const { code, value } = await keys("new", "alice", ...inFolder(), ...password());
    expect(code).toBe(0);
    expect(statSync(at("keys/alice.json")).mode & 0o777).toBe(0o600);
    const publicKey = bls.publicKey(hexToBytes(String(value["publicKey"])));
    expect(bls.verifyPossession(publicKey, hexToBytes(String(value["proofOfPossession"])))).toBe(true);
    expect((await keys("list", ...inFolder())).value).toEqual([
      { name: "alice", kind: "validator", owner: value["publicKey"] },
    ]);
    const { file: _file, ...facts } = value;
    expect((await keys("proof", "alice", ...inFolder(), ...password())).value).toEqual(facts);
  });

  it("exports a key and imports it again, bare or under another password", async () => {
    const address = await existing("savings", "account");
    const bare = await keys("export", "savings", at("bare.key"), "--raw", ...inFolder(), ...password());
    expect(bare.code).toBe(0);
    expect(readFileSync(at("bare.key"), "utf8")).toMatch(/^0x[0-9a-f]{64}\n$/);
    expect(statSync(at("bare.key")).mode & 0o777).toBe(0o600);
    const fromBare = await keys("import", "bare", at("bare.key"), "--kind", "account", ...inFolder(), ...newPassword());
    expect(String(fromBare.value["address"]).toLowerCase()).toBe(address);

    await keys("export", "savings", at("moved.json"), ...inFolder(), ...password(), ...newPassword());
    const moved = await readKeystore(at("moved.json"));
    expect(ownerOf(moved)).toBe(address);
    expect(bytesToHex(await openKeystore(moved, "battery staple"))).toBe(readFileSync(at("bare.key"), "utf8").trim());
  });

  it("takes a validator's keystore of another program", async () => {
    const publicKey = await existing("theirs", "validator");
    const file = at("keys/theirs.json");
    const { value } = await keys("import", "mine", file, ...inFolder(), ...password(), ...newPassword());
    expect(value["publicKey"]).toBe(publicKey);
    expect(readdirSync(at("keys")).sort()).toEqual(["mine.json", "theirs.json"]);
  });

  it("says what is wrong by code, and writes nothing then", async () => {
    await existing("alice", "validator");
    const before = readFileSync(at("keys/alice.json"));
    writeFileSync(at("bare"), "11".repeat(32));
    const wrong: readonly [string, ...string[]][] = [
      ["FILE_EXISTS", "new", "alice", ...password()],
      ["PASSWORD_TOO_SHORT", "new", "bob", "--password-file", at("short")],
      ["USAGE", "new", "../bob", ...password()],
      ["KEYSTORE_WRONG_PASSWORD", "proof", "alice", "--password-file", at("other")],
      ["KEYSTORE_WRONG_PASSWORD", "export", "alice", at("out"), "--raw", "--password-file", at("other")],
      ["KEYSTORE_MISSING", "proof", "nobody", ...password()],
      ["KEYSTORE_INVALID", "import", "bob", at("short"), ...password(), ...newPassword()],
      ["USAGE", "import", "bob", at("bare"), ...password(), ...newPassword()],
    ];
    for (const [expected, ...words] of wrong) {
      const { code, value } = await keys(...words, ...inFolder());
      expect(code, expected).not.toBe(0);
      expect(value["error"], words.join(" ")).toMatchObject({ code: expected, hint: expect.any(String) });
    }
    expect(readdirSync(at("keys"))).toEqual(["alice.json"]);
    expect(readFileSync(at("keys/alice.json"))).toEqual(before);
  });

  it("takes no password from the command line", async () => {
    const { code, value } = await keys("new", "alice", "--password", "correct horse", ...inFolder());
    expect(code).toBe(2);
    expect(value["error"]).toMatchObject({ code: "USAGE" });
  });
});

describe("ogpu keys guard-export and guard-import", () => {
  const validator = `0x${"ab".repeat(48)}` as const;
  const options: ConsensusLogOptions = {
    codec: { encode: encodeRecord, decode: decodeRecord },
    identity: { chainId: 7n, validator },
    onFailure: (error) => expect.unreachable(error.message),
  };

  it("move a validator from one data folder to another", async () => {
    await ConsensusLog.create(at("old/consensus"), options.identity);
    const { log } = await ConsensusLog.open(at("old/consensus"), options);
    const vote = { kind: "NOTARIZE", epoch: 0, view: 3, hash: `0x${"11".repeat(32)}` } as const;
    log.append([{ type: "vote", vote }], 1);
    await log.close();

    const exported = await keys("guard-export", at("guard.json"), "--data-dir", at("old"));
    expect(exported.value).toMatchObject({ validator, chainId: "7", votes: 1 });
    await expect(ConsensusLog.open(at("old/consensus"), options)).rejects.toMatchObject({ code: "WAL_RETIRED" });
    expect((await keys("guard-import", at("guard.json"), "--data-dir", at("new"))).code).toBe(0);
    const opened = await ConsensusLog.open(at("new/consensus"), options);
    await opened.log.close();
    expect(opened.records).toEqual([{ type: "vote", vote }]);
    const twice = await keys("guard-import", at("guard.json"), "--data-dir", at("new"));
    expect(twice.value["error"]).toMatchObject({ code: "WAL_EXISTS" });
  });

  it("retire nothing when the file cannot be written", async () => {
    await ConsensusLog.create(at("old/consensus"), options.identity);
    const { value } = await keys("guard-export", at("password"), "--data-dir", at("old"));
    expect(value["error"]).toMatchObject({ code: "FILE_EXISTS" });
    await (await ConsensusLog.open(at("old/consensus"), options)).log.close();
  });
});
