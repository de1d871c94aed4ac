/** What the encrypted connections between nodes stand on, by the packages that the network uses. */
import { chacha20poly1305, xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { concatBytes } from "../../../../base/bytes.ts";
import { attempt, bytesOf, expectBytes } from "../check.ts";
import { hashFunction } from "./hash-functions.ts";
import type { Checker } from "./types.ts";

interface AeadTest {
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly msg: string;
  readonly ct: string;
  readonly tag: string;
}

interface HkdfTest {
  readonly ikm: string;
  readonly salt: string;
  readonly info: string;
  readonly size: number;
  readonly okm: string;
}

const CIPHERS: Readonly<Record<string, typeof chacha20poly1305>> = {
  "CHACHA20-POLY1305": chacha20poly1305,
  "XCHACHA20-POLY1305": xchacha20poly1305,
};

export const checkAead: Checker = (test: AeadTest, _group: unknown, algorithm: string) => {
  const cipher = CIPHERS[algorithm];
  if (cipher === undefined) throw new Error(`no cipher ${algorithm}`);
  const [key, iv, aad] = [test.key, test.iv, test.aad].map(bytesOf) as [Uint8Array, Uint8Array, Uint8Array];
  const sealed = concatBytes(bytesOf(test.ct), bytesOf(test.tag));
  const opened = attempt(() => cipher(key, iv, aad).decrypt(sealed));
  if (opened === undefined) return false;
  expectBytes(opened, test.msg, "the message");
  expectBytes(cipher(key, iv, aad).encrypt(bytesOf(test.msg)), test.ct + test.tag, "the encrypted message");
  return true;
};

export const checkHkdf: Checker = (test: HkdfTest, _group: unknown, algorithm: string) => {
  const hash = hashFunction(algorithm.replace(/^HKDF-/, ""));
  const key = attempt(() => hkdf(hash, bytesOf(test.ikm), bytesOf(test.salt), bytesOf(test.info), test.size));
  if (key === undefined) return false;
  expectBytes(key, test.okm, "the key");
  return true;
};

/** Strict verification (RFC 8032), without the leniency towards odd points that ZIP 215 allows. */
export const checkEddsa: Checker = (
  test: { msg: string; sig: string },
  group: { publicKey: { curve: string; pk: string } },
) => {
  const { curve, pk } = group.publicKey;
  if (curve !== "edwards25519") throw new Error(`no curve ${curve}`);
  return attempt(() => ed25519.verify(bytesOf(test.sig), bytesOf(test.msg), bytesOf(pk), { zip215: false })) ?? false;
};
