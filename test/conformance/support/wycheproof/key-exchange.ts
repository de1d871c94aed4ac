/** ECDH over secp256k1 and X25519, with keys in each form that the files use. */
import { x25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytes32, bytesToBigint, bytesToHex, concatBytes } from "../../../../base/bytes.ts";
import { attempt, bytesOf, expectBytes } from "../check.ts";
import type { Checker } from "./types.ts";

interface ExchangeTest<Key> {
  readonly public: Key;
  readonly private: Key;
  readonly shared: string;
}

interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x?: string;
  readonly y?: string;
  readonly d?: string;
}

/** SubjectPublicKeyInfo of a secp256k1 key (RFC 5480) up to the point, which is uncompressed or compressed. */
const EC_PUBLIC_PREFIXES: readonly string[] = [
  "3056301006072a8648ce3d020106052b8104000a034200",
  "3036301006072a8648ce3d020106052b8104000a032200",
];
/** SubjectPublicKeyInfo and PrivateKeyInfo of an X25519 key (RFC 8410) up to its 32 bytes. */
const X25519_PUBLIC_PREFIX = "302a300506032b656e032100";
const X25519_PRIVATE_PREFIX = "302e020100300506032b656e04220420";

/** The rest of the text after the prefix, when it starts with it. */
function after(prefix: string, hex: string): Uint8Array | undefined {
  return hex.startsWith(prefix) ? bytesOf(hex.slice(prefix.length)) : undefined;
}

/** A refusal is false; a secret that differs from the test's is an error. */
function checkShared(shared: Uint8Array | undefined, expected: string): boolean {
  if (shared === undefined) return false;
  expectBytes(shared, expected, "the shared secret");
  return true;
}

function secp256k1Secret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  // The secret is the x coordinate, without the parity before it.
  return attempt(() => secp256k1.getSharedSecret(bytes32(bytesToBigint(privateKey)), publicKey).subarray(1));
}

function x25519Secret(privateKey?: Uint8Array, publicKey?: Uint8Array): Uint8Array | undefined {
  if (privateKey === undefined || publicKey === undefined) return undefined;
  return attempt(() => x25519.getSharedSecret(privateKey, publicKey));
}

export const checkEcdh: Checker = (test: ExchangeTest<string>, group: { curve: string; encoding: string }) => {
  if (group.curve !== "secp256k1") throw new Error(`no curve ${group.curve}`);
  const isPoint = group.encoding === "ecpoint";
  const candidates = isPoint ? [bytesOf(test.public)] : EC_PUBLIC_PREFIXES.map((prefix) => after(prefix, test.public));
  const publicKey = candidates.find((candidate) => candidate !== undefined);
  if (publicKey === undefined) return false;
  return checkShared(secp256k1Secret(bytesOf(test.private), publicKey), test.shared);
};

export const checkEcdhJwk: Checker = (test: ExchangeTest<Jwk>, group: { curve: string }) => {
  const { kty, crv, x, y } = test.public;
  const { d } = test.private;
  if (group.curve !== "P-256K") throw new Error(`no curve ${group.curve}`);
  if (kty !== "EC" || crv !== group.curve || x === undefined || y === undefined || d === undefined) return false;
  const publicKey = concatBytes(new Uint8Array([4]), fromBase64(x), fromBase64(y));
  return checkShared(secp256k1Secret(fromBase64(d), publicKey), test.shared);
};

export const checkXdh: Checker = (test: ExchangeTest<string>) =>
  checkShared(x25519Secret(bytesOf(test.private), bytesOf(test.public)), test.shared);

function checkXdhDer(test: ExchangeTest<string>): boolean {
  const privateKey = after(X25519_PRIVATE_PREFIX, test.private);
  return checkShared(x25519Secret(privateKey, after(X25519_PUBLIC_PREFIX, test.public)), test.shared);
}

export const checkXdhAsn: Checker = checkXdhDer;

export const checkXdhPem: Checker = (test: ExchangeTest<string>) =>
  checkXdhDer({ ...test, public: fromPem(test.public), private: fromPem(test.private) });

export const checkXdhJwk: Checker = (test: ExchangeTest<Jwk>) => {
  const keys = [test.public, test.private];
  if (keys.some(({ kty, crv }) => kty !== "OKP" || crv !== "X25519")) return false;
  const [x, d] = [test.public.x, test.private.d].map((text) => (text === undefined ? undefined : fromBase64(text)));
  return checkShared(x25519Secret(d, x), test.shared);
};

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64url"));
}

/** The hexadecimal text of what stands between the lines of dashes. */
function fromPem(text: string): string {
  return bytesToHex(new Uint8Array(Buffer.from(text.replaceAll(/-----[^-]*-----|\s/g, ""), "base64"))).slice(2);
}
