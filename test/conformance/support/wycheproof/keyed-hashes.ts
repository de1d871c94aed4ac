/** What the keys of connections and of keystores stand on: HMAC, and PBKDF2 that is made of it. */
import { pbkdf2Sync } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { compareBytes } from "../../../../base/bytes.ts";
import { bytesOf, expectBytes } from "../check.ts";
import { hashOfHmac } from "./hash-functions.ts";
import type { Checker } from "./types.ts";

interface MacTest {
  readonly key: string;
  readonly msg: string;
  readonly tag: string;
}

interface DerivationTest {
  readonly password: string;
  readonly salt: string;
  readonly iterationCount: number;
  readonly dkLen: number;
  readonly dk: string;
}

/** Tags may be shorter than the hash. */
export const checkHmac: Checker = (test: MacTest, { tagSize }: { tagSize: number }, algorithm: string) => {
  const tag = hmac(hashOfHmac(algorithm), bytesOf(test.key), bytesOf(test.msg)).subarray(0, tagSize / 8);
  return compareBytes(tag, bytesOf(test.tag)) === 0;
};

/** By Node.js, as keystores are opened. */
export const checkPbkdf2: Checker = (test: DerivationTest, _group: unknown, algorithm: string) => {
  const hash = algorithm.replace(/^PBKDF2-HMAC/, "").toLowerCase();
  const [password, salt] = [bytesOf(test.password), bytesOf(test.salt)];
  expectBytes(pbkdf2Sync(password, salt, test.iterationCount, test.dkLen, hash), test.dk, "the key");
  return true;
};
