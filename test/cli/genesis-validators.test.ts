import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { OGPU } from "../../base/units.ts";
import { writeKeystore } from "../../chain/keys/keystore-file.ts";
import { lockValidatorKey, newValidatorKey } from "../../chain/keys/validator-keystore.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { readSpec } from "../../cli/spec-file.ts";
import { verifyValidators } from "../../genesis/verify-validators.ts";

const folder = mkdtempSync(join(tmpdir(), "ogpu-genesis-"));
const at = (name: string): string => join(folder, name);
const OPERATORS = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"] as const;
const RICH = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const keys = [newValidatorKey(), newValidatorKey()];

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ogpu(...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const lines: string[] = [];
  const say = (text: string) => lines.push(text);
  const terminal = { out: say, err: say, signal: new AbortController().signal };
  const code = await runCommandLine(words, COMMANDS, readConfig({}), terminal);
  return { code, said: lines.join("\n") };
}

function create(name: string, ...words: readonly string[]): ReturnType<typeof ogpu> {
  return ogpu("genesis", "create", at(name), "--name", "own", "--chain-id", "777031", ...words);
}

beforeAll(async () => {
  writeFileSync(at("password"), "correct horse battery staple\n");
  const kdf = { function: "scrypt", n: 16, r: 8, p: 1, dklen: 32, salt: new Uint8Array(32) } as const;
  for (const [index, key] of keys.entries()) {
    const keystore = await lockValidatorKey(key, "correct horse battery staple", "", kdf);
    await writeKeystore(at(`v${index}.json`), { kind: "validator", keystore });
    const files = ["--keys-dir", folder, "--password-file", at("password"), "--out", at(`v${index}.proof`)];
    const { code, said } = await ogpu("keys", "proof", `v${index}`, "--operator", String(OPERATORS[index]), ...files);
    expect([code, said]).toEqual([0, expect.stringContaining("The proof is in")]);
  }
});

describe("a network of people with keys of their own", () => {
  it("has them as validators, with their operators and stakes, and no account that everybody has the key of", async () => {
    const proofs = ["--validator", at("v0.proof"), "--validator", `${at("v1.proof")}=250.5`];
    expect((await create("two.json", ...proofs, "--allocate", `${RICH}=1000`)).code).toBe(0);
    const spec = await readSpec(at("two.json"));
    verifyValidators(spec, bls);
    expect(spec.validators).toMatchObject([
      {
        publicKey: bytesToHex(bls.publicKeyOf(keys[0] as Uint8Array).bytes),
        operator: OPERATORS[0].toLowerCase(),
        stake: 100n * OGPU,
      },
      { operator: OPERATORS[1].toLowerCase(), stake: (2505n * OGPU) / 10n },
    ]);
    expect(spec.accounts.map(({ address }) => address)).toEqual([RICH.toLowerCase()]);
  });

  it("is refused with development validators beside them, with a key twice, and with an amount that is none", async () => {
    const one = ["--validator", at("v0.proof")];
    expect(await create("bad.json", ...one, "--validators", "4")).toMatchObject({ code: 2 });
    const twice = await create("bad.json", ...one, ...one);
    expect(twice).toMatchObject({ code: 1, said: expect.stringContaining("the same key as $.validators[0]") });
    expect(await create("bad.json", "--validator", `${at("v0.proof")}=much`)).toMatchObject({ code: 2 });
  });

  const changed = (change: object): string => {
    return JSON.stringify({ ...JSON.parse(readFileSync(at("v0.proof"), "utf8")), ...change });
  };
  it.each([
    ["no JSON", () => "{", "it is not JSON"],
    ["no key", () => "{}", "publicKey has to be 48 bytes"],
    ["no operator", () => changed({ operator: undefined }), "does not name the operator"],
    ["an operator that is none", () => changed({ operator: "0x12" }), "operator: "],
    [
      "another's proof",
      () => changed({ proofOfPossession: bytesToHex(bls.provePossession(keys[1] as Uint8Array)) }),
      "does not prove that somebody has the key",
    ],
    ["a key that is no point", () => changed({ publicKey: `0x${"11".repeat(48)}` }), "does not prove"],
  ])("is refused with a proof of %s, which is named", async (_, content, reason) => {
    writeFileSync(at("bad.proof"), content());
    const { code, said } = await create("bad.json", "--validator", at("bad.proof"));
    expect(said).toContain(`[PROOF_INVALID] ${at("bad.proof")} is no validator's proof: `);
    expect(said).toContain(reason);
    expect(code).toBe(1);
  });
});
