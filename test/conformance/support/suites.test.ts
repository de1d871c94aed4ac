import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hmac } from "@noble/hashes/hmac.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checksumAddress, createAddress } from "../../../base/address.ts";
import { bls } from "../../../base/bls.ts";
import { bytes32, bytesToHex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { suite as basic } from "../basic.ts";
import { suite as blsSuite } from "../bls.ts";
import { suite as ethers } from "../ethers.ts";
import { suite as onnxNode } from "../onnx-node.ts";
import { suite as rlpTests } from "../rlp-tests.ts";
import type { Suite } from "../suite.ts";
import { suite as wycheproof } from "../wycheproof.ts";
import { icapOf } from "./icap.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "suites-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The outcomes, in order, of a suite over a folder with these files. */
async function outcomes(suite: Suite, files: Readonly<Record<string, unknown>>): Promise<string[]> {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
  }
  const results: string[] = [];
  for await (const { outcome } of suite.run(folder)) results.push(outcome);
  return results;
}

const plain = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2);

/** A suite that cannot fail shows nothing: each must tell a right case from a wrong one. */
describe("rlp-tests", () => {
  it("passes right encodings and fails wrong ones, and what is said to be invalid but is not", async () => {
    const file = {
      right: { in: ["dog", 1024, "#256", []], out: "0xcb83646f67820400820100c0" },
      wrong: { in: "dog", out: "0x83646f68" },
      refused: { in: "INVALID", out: "8100" },
      accepted: { in: "INVALID", out: "0x01" },
      valid: { in: "VALID", out: "c0" },
    };
    expect(await outcomes(rlpTests, { file })).toEqual(["passed", "failed", "passed", "failed", "passed"]);
  });

  it("passes over files of other suites", async () => {
    expect(await outcomes(rlpTests, { list: [1], other: { case: { txbytes: "0x" } } })).toEqual([]);
  });
});

describe("bls", () => {
  const [key, message] = [bytes32(7n), utf8("message")];
  const pubkey = bytesToHex(bls.publicKeyOf(key).bytes);
  const signature = bytesToHex(bls.sign(key, message));
  const input = { pubkey, message: bytesToHex(message), signature };

  it("passes right answers and fails wrong ones", async () => {
    const file = {
      "verify/right": { input, output: true },
      "verify/wrong": { input, output: false },
      "verify/no_key": { input: { ...input, pubkey: `0x${"00".repeat(48)}` }, output: false },
      "sign/right": { input: { privkey: bytesToHex(key), message: input.message }, output: signature },
      "sign/zero": { input: { privkey: `0x${"00".repeat(32)}`, message: input.message }, output: null },
      "sign/wrong": { input: { privkey: bytesToHex(key), message: "0x" }, output: signature },
      "unheard_of/case": { input, output: true },
    };
    const expected = ["passed", "failed", "passed", "passed", "passed", "failed", "failed"];
    expect(await outcomes(blsSuite, { file })).toEqual(expected);
  });
});

describe("wycheproof", () => {
  const message = utf8("message");
  const testsOf = (sig: string): unknown[] => [
    { tcId: 1, comment: "right", msg: plain(message), sig, result: "valid" },
    { tcId: 2, comment: "right, said to be wrong", msg: plain(message), sig, result: "invalid" },
    { tcId: 3, comment: "other message", msg: "00", sig, result: "invalid" },
    { tcId: 4, comment: "other message, said to be right", msg: "00", sig, result: "valid" },
  ];

  it("tells right ECDSA signatures from wrong ones", async () => {
    const key = bytes32(9n);
    const uncompressed = plain(secp256k1.getPublicKey(key, false));
    const publicKey = { curve: "secp256k1", uncompressed };
    const sign = (format: "der" | "compact"): string =>
      plain(secp256k1.sign(sha256(message), key, { prehash: false, format }));
    const groups = [
      { type: "EcdsaVerify", sha: "SHA-256", publicKey, tests: testsOf(sign("der")) },
      { type: "EcdsaP1363Verify", sha: "SHA-256", publicKey, tests: testsOf(sign("compact")) },
    ];
    const once = ["passed", "failed", "passed", "failed"];
    const file = { algorithm: "ECDSA", testGroups: groups };
    expect(await outcomes(wycheproof, { file })).toEqual([...once, ...once]);
  });

  it("tells right keyed hashes and keys of passwords from wrong ones", async () => {
    const [key, tag] = [bytes32(9n), (bits: number) => plain(hmac(sha3_256, bytes32(9n), message)).slice(0, bits / 4)];
    const macs = [128, 256].map((tagSize) => {
      const test = { key: plain(key), msg: plain(message), tag: tag(tagSize) };
      const tests = [
        { tcId: 1, comment: "right", ...test, result: "valid" },
        { tcId: 2, comment: "other message", ...test, msg: "00", result: "invalid" },
        { tcId: 3, comment: "other message, said to be right", ...test, msg: "00", result: "valid" },
      ];
      return { type: "MacTest", tagSize, tests };
    });
    const dk = plain(pbkdf2(sha512, "password", "salt", { c: 3, dkLen: 20 }));
    const derivation = {
      password: plain(utf8("password")),
      salt: plain(utf8("salt")),
      iterationCount: 3,
      dkLen: 20,
      dk,
    };
    const tests = [derivation, { ...derivation, iterationCount: 4 }].map((test, tcId) => ({
      ...test,
      tcId,
      result: "valid",
    }));
    const outcome = await outcomes(wycheproof, {
      file: { algorithm: "HMACSHA3-256", testGroups: macs },
      keys: { algorithm: "PBKDF2-HMACSHA512", testGroups: [{ type: "PbkdfTest", tests }] },
    });
    const once = ["passed", "passed", "failed"];
    expect(outcome).toEqual([...once, ...once, "passed", "failed"]);
  });

  it("tells right Ed25519 signatures from wrong ones, and fails what it does not know", async () => {
    const key = bytes32(9n);
    const publicKey = { curve: "edwards25519", pk: plain(ed25519.getPublicKey(key)) };
    const testGroups = [
      { type: "EddsaVerify", publicKey, tests: testsOf(plain(ed25519.sign(message, key))) },
      { type: "Unheard", publicKey, tests: testsOf("").slice(0, 1) },
    ];
    const file = { algorithm: "EDDSA", testGroups };
    expect(await outcomes(wycheproof, { file })).toEqual(["passed", "failed", "passed", "failed", "failed"]);
  });
});

describe("ethers", () => {
  it("tells right cases from wrong ones, and fails what it does not know", async () => {
    const address = privateKeyToAddress(bytes32(3n));
    const account = { privateKey: bytesToHex(bytes32(3n)), address: checksumAddress(address), icap: icapOf(address) };
    const created = checksumAddress(createAddress(address, 5n));
    const file = [
      { name: "account", ...account },
      { name: "other key", ...account, privateKey: bytesToHex(bytes32(4n)) },
      {
        sender: account.address,
        creates: [
          { name: "create", nonce: 5, address: created },
          { name: "other nonce", nonce: 6, address: created },
        ],
      },
      { name: "rlp", decoded: ["0x01", []], encoded: "0xc201c0" },
      { name: "other rlp", decoded: ["0x02", []], encoded: "0xc201c0" },
      { name: "unheard of", question: 1 },
    ];
    const expected = ["passed", "failed", "passed", "failed", "passed", "failed", "failed"];
    expect(await outcomes(ethers, { file })).toEqual(expected);
  });

  it("passes over files of other suites", async () => {
    expect(await outcomes(ethers, { object: { a: 1 }, list: [{ name: "x", txbytes: "0x" }] })).toEqual([]);
  });
});

describe("basic", () => {
  it("tells right cases from wrong ones, in single files and in bundles", async () => {
    const key = keccak256(utf8("seed"));
    const keys = [{ seed: "seed", key: plain(key), addr: plain(privateKeyToAddress(key)) }];
    const paths = { odd: { seq: [1, 2, 3], term: true, out: "3123" }, wrong: { seq: [1], term: true, out: "11" } };
    const abi = { one: { args: [1], types: ["uint256"], result: "1".padStart(64, "0") } };
    expect(await outcomes(basic, { abi, bundle: { "a/keys.json": keys, "a/paths.json": paths } })).toEqual([
      "passed",
      "passed",
      "passed",
      "failed",
    ]);
  });
});

describe("onnx-node", () => {
  const f32 = (values: readonly number[]): string => Buffer.from(Float32Array.from(values).buffer).toString("base64");
  const negation = (cmp: "exact" | "rtol1e-3", x: readonly number[], y: readonly number[]): object => ({
    ...{ name: "negation", opset: 13, nodes: [{ op: "Neg", in: ["x"], out: ["y"] }], cmp },
    inputs: [{ n: "x", t: "f32", s: [x.length], b: f32(x) }],
    outputs: [{ n: "y", t: "f32", s: [y.length], b: f32(y) }],
  });

  it("compares numbers, to the last digit where the case says so; zero has no sign and NaN no bits", async () => {
    const cases = [
      negation("exact", [0, 1, Number.NaN], [0, -1, Number.NaN]),
      negation("exact", [1], [-1 - 2 ** -20]),
      negation("rtol1e-3", [1], [-1 - 2 ** -20]),
      negation("rtol1e-3", [1], [-1.1]),
      negation("exact", [1, 2], [-1]),
      { ...negation("exact", [1], [-1]), nodes: [{ op: "Bernoulli", in: ["x"], out: ["y"] }] },
    ];
    expect(await outcomes(onnxNode, { cases })).toEqual(["passed", "failed", "passed", "failed", "failed", "skipped"]);
  });
});
