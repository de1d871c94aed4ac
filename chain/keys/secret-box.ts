/**
 * What EIP-2335 and Ethereum's version 3 have in common: a key derived from the password, AES-128 in counter mode with
 * its first half, and a sum over its second half and the ciphertext that tells a wrong password.
 */
import { createCipheriv, pbkdf2, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { scryptAsync as portableScrypt } from "@noble/hashes/scrypt.js";
import { concatBytes } from "../../base/bytes.ts";
import { keystoreInvalid, wrongPassword } from "./errors.ts";
import { MAX_SCRYPT_BYTES } from "./limits.ts";

export type KeyDerivation =
  | {
      readonly function: "scrypt";
      readonly n: number;
      readonly r: number;
      readonly p: number;
      readonly dklen: number;
      readonly salt: Uint8Array;
    }
  | { readonly function: "pbkdf2"; readonly c: number; readonly dklen: number; readonly salt: Uint8Array };

export interface SecretBox {
  readonly kdf: KeyDerivation;
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly sum: Uint8Array;
}

type Sum = (bytes: Uint8Array) => Uint8Array;

const HALF = 16;
const IV_BYTES = 16;
const SALT_BYTES = 32;
const scryptAsync = promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt);
const pbkdf2Async = promisify(pbkdf2);

/** 256 MB and about a second: what Ethereum's clients use. */
export function strongDerivation(): KeyDerivation {
  return { function: "scrypt", n: 2 ** 18, r: 8, p: 1, dklen: 32, salt: new Uint8Array(randomBytes(SALT_BYTES)) };
}

export async function lockSecret(
  secret: Uint8Array,
  password: Uint8Array,
  kdf: KeyDerivation,
  sum: Sum,
): Promise<SecretBox> {
  const key = await derivedKey(password, kdf);
  const iv = new Uint8Array(randomBytes(IV_BYTES));
  const ciphertext = inCounterMode(key, iv, secret);
  return { kdf, iv, ciphertext, sum: sum(sumInput(key, ciphertext)) };
}

/** Throws KEYSTORE_WRONG_PASSWORD, or KEYSTORE_INVALID when opening it would take too much. */
export async function openSecret(box: SecretBox, password: Uint8Array, sum: Sum): Promise<Uint8Array> {
  const key = await derivedKey(password, box.kdf);
  const found = sum(sumInput(key, box.ciphertext));
  if (found.length !== box.sum.length || !timingSafeEqual(found, box.sum)) throw wrongPassword();
  return inCounterMode(key, box.iv, box.ciphertext);
}

async function derivedKey(password: Uint8Array, kdf: KeyDerivation): Promise<Uint8Array> {
  const { dklen, salt } = kdf;
  if (kdf.function === "pbkdf2") return pbkdf2Async(password, salt, kdf.c, dklen, "sha256");
  const { n, r, p } = kdf;
  const bytes = 128 * r * (n + p);
  if (bytes > MAX_SCRYPT_BYTES) throw keystoreInvalid(`opening it would take ${bytes} bytes of memory`);
  if (isRefusedByOpenSsl(n, r))
    return portableScrypt(password, salt, { N: n, r, p, dkLen: dklen, maxmem: bytes + 2 ** 20 });
  // Some more than the formula, for what the library needs beside.
  return scryptAsync(password, salt, dklen, { N: n, r, p, maxmem: bytes + 2 ** 20 });
}

/**
 * RFC 7914 wants N below 2^(128 r / 8), and OpenSSL, which is behind node:crypto, insists. Keystores with r = 1 and a
 * larger N exist all the same: the example in Ethereum's own definition of version 3 is one.
 */
function isRefusedByOpenSsl(n: number, r: number): boolean {
  return n >= 2 ** (16 * r);
}

/** Encrypts and decrypts. */
function inCounterMode(key: Uint8Array, iv: Uint8Array, bytes: Uint8Array): Uint8Array {
  const cipher = createCipheriv("aes-128-ctr", key.subarray(0, HALF), iv);
  return concatBytes(cipher.update(bytes), cipher.final());
}

function sumInput(key: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  return concatBytes(key.subarray(HALF, 2 * HALF), ciphertext);
}
