import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lockAccountKey, newAccountKey } from "../../../chain/keys/account-keystore.ts";
import {
  listKeystores,
  openKeystore,
  ownerOf,
  parseKeystore,
  readKeystore,
  writeKeystore,
} from "../../../chain/keys/keystore-file.ts";
import { loadNodeKey } from "../../../chain/keys/node-key.ts";
import type { KeyDerivation } from "../../../chain/keys/secret-box.ts";
import { writeSecretFile } from "../../../chain/keys/secret-file.ts";
import { lockValidatorKey, newValidatorKey } from "../../../chain/keys/validator-keystore.ts";

const FAST: KeyDerivation = { function: "scrypt", n: 16, r: 8, p: 1, dklen: 32, salt: new Uint8Array(32) };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ogpu-keys-"));
  folders.push(folder);
  return folder;
}

describe("a secret file", () => {
  it("is its owner's alone, whole, and leaves nothing beside it", async () => {
    const folder = join(newFolder(), "deep", "keys");
    await writeSecretFile(join(folder, "a"), "secret");
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("secret");
    expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("never takes the place of another", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "a"), "first");
    await expect(writeSecretFile(join(folder, "a"), "second")).rejects.toMatchObject({ code: "FILE_EXISTS" });
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("first");
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("is written once when many try", async () => {
    const path = join(newFolder(), "a");
    const results = await Promise.allSettled(["1", "2", "3", "4"].map((text) => writeSecretFile(path, text)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("keystores as files", () => {
  it("of both kinds are read back and opened", async () => {
    const folder = newFolder();
    const [validatorKey, accountKey] = [newValidatorKey(), newAccountKey()];
    const validator = await lockValidatorKey(validatorKey, "password", "first", FAST);
    const account = await lockAccountKey(accountKey, "password", FAST);
    await writeKeystore(join(folder, "v.json"), { kind: "validator", keystore: validator });
    await writeKeystore(join(folder, "a.json"), { kind: "account", keystore: account });
    expect(await openKeystore(await readKeystore(join(folder, "v.json")), "password")).toEqual(validatorKey);
    expect(await openKeystore(await readKeystore(join(folder, "a.json")), "password")).toEqual(accountKey);

    const opening = openKeystore(await readKeystore(join(folder, "v.json")), "passw0rd");
    await expect(opening).rejects.toThrow(`${join(folder, "v.json")}: the password does not open this keystore`);

    writeFileSync(join(folder, "broken.json"), "{");
    writeFileSync(join(folder, "notes.txt"), "no key");
    const listed = await listKeystores(folder);
    expect(listed.map(({ name }) => name)).toEqual(["a", "broken", "v"]);
    const owners = listed.map(({ keystore }) => ("code" in keystore ? keystore.code : ownerOf(keystore)));
    expect(owners).toEqual([account.address, "KEYSTORE_INVALID", validator.publicKey]);
  });

  it("that are missing, too large or of another version are refused", async () => {
    const folder = newFolder();
    await expect(readKeystore(join(folder, "none.json"))).rejects.toMatchObject({ code: "KEYSTORE_MISSING" });
    writeFileSync(join(folder, "large.json"), " ".repeat(100_000));
    await expect(readKeystore(join(folder, "large.json"))).rejects.toMatchObject({ code: "KEYSTORE_INVALID" });
    await expect(readKeystore(join(folder, "large.json"))).rejects.toThrow(join(folder, "large.json"));
    expect(() => parseKeystore('{"version":1}')).toThrow(expect.objectContaining({ code: "KEYSTORE_INVALID" }));
    expect(await listKeystores(join(folder, "nowhere"))).toEqual([]);
  });
});

describe("the node's key", () => {
  it("is made once and read ever after", async () => {
    const path = join(newFolder(), "node.key");
    const key = await loadNodeKey(path);
    expect(key).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await loadNodeKey(path)).toEqual(key);
  });

  it("is one when two processes start at once", async () => {
    const path = join(newFolder(), "node.key");
    const [first, second] = await Promise.all([loadNodeKey(path), loadNodeKey(path)]);
    expect(first).toEqual(second);
  });

  it("that cannot be read is not replaced, and not shown", async () => {
    const path = join(newFolder(), "node.key");
    writeFileSync(path, "hunter2");
    await expect(loadNodeKey(path)).rejects.toMatchObject({ code: "NODE_KEY_INVALID" });
    await expect(loadNodeKey(path)).rejects.not.toThrow("hunter2");
    expect(readFileSync(path, "utf8")).toBe("hunter2");
  });
});
