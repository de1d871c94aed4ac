/** Ethereum's BasicTests, ABITests and KeyStoreTests: keys, hex-prefix paths, ABI coding, keystores. */
import { encodeAbiParameters } from "viem";
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { compactPath } from "../../vm/patricia-root.ts";
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";
import { bytesOf, expectBytes } from "./support/check.ts";
import { type Keystore, openKeystore } from "./support/keystore.ts";

interface AbiTest {
  readonly args: readonly unknown[];
  readonly types: readonly string[];
  readonly result: string;
}

interface KeyTest {
  readonly seed: string;
  readonly key: string;
  readonly addr: string;
}

interface PathTest {
  readonly seq: readonly number[];
  readonly term: boolean;
  readonly out: string;
}

interface KeystoreTest {
  readonly json: Keystore;
  readonly password: string;
  readonly priv: string;
}

/** By a field that only this kind has. */
const CHECKS: Readonly<Record<string, (test: never) => void>> = {
  args: checkAbi,
  seed: checkKey,
  seq: checkPath,
  json: checkKeystore,
};

type Case = Readonly<Record<string, unknown>>;
type Group = Readonly<Record<string, Case>>;

export const suite: Suite = {
  name: "basic",
  description: "Ethereum's BasicTests, ABITests and KeyStoreTests",
  *run(path: string): Generator<CaseResult> {
    for (const { name, content } of jsonFiles(path)) {
      for (const [group, tests] of groupsOf(name, content)) {
        for (const [test, value] of Object.entries(tests)) yield runCase(`${group}/${test}`, () => check(value));
      }
    }
  },
};

/** Several files of the source in one, under their paths, or one as it is. Files of other suites have no groups. */
function groupsOf(name: string, content: unknown): readonly (readonly [string, Group])[] {
  const entries = Object.entries(content as Readonly<Record<string, Group>>);
  if (entries.every(([key]) => key.endsWith(".json"))) return entries;
  return Object.values(content as Group).some((test) => checkOf(test) !== undefined) ? [[name, content as Group]] : [];
}

function checkOf(test: unknown): ((test: never) => void) | undefined {
  const field = Object.keys(CHECKS).find((name) => Object.hasOwn(Object(test), name));
  return field === undefined ? undefined : CHECKS[field];
}

function check(test: Case): void {
  const run = checkOf(test);
  if (run === undefined) throw new Error(`no check for a case with the fields ${Object.keys(test).join(", ")}`);
  run(test as never);
}

function checkAbi({ args, types, result }: AbiTest): void {
  const values = args.map((value, i) => abiValue(types[i] ?? "", value));
  const encoded = encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  );
  expectBytes(bytesOf(encoded), result, "the encoding");
}

/** The file writes bytes as text, and integers as numbers. */
function abiValue(type: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => abiValue(type.replace(/\[\d*\]$/, ""), item));
  if (typeof value === "number") return BigInt(value);
  return type.startsWith("bytes") ? bytesToHex(utf8(String(value))) : value;
}

/**
 * The file's `sig_of_emptystring` is not checked: with this key it verifies neither for the hash of the empty string
 * nor for anything else that was tried, and other clients leave it out as wrong, too.
 */
function checkKey({ seed, key, addr }: KeyTest): void {
  const privateKey = keccak256(utf8(seed));
  expectBytes(privateKey, key, "the key");
  expectBytes(privateKeyToAddress(privateKey), addr, "the address");
}

function checkPath({ seq, term, out }: PathTest): void {
  expectBytes(compactPath(Uint8Array.from(seq), term), out, "the path");
}

function checkKeystore({ json, password, priv }: KeystoreTest): void {
  expectBytes(openKeystore(json, utf8(password)), priv, "the private key");
}
