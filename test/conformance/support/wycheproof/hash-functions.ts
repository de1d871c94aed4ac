/** Hash functions by the names that Wycheproof's files use. */
import { sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from "@noble/hashes/sha2.js";
import { sha3_224, sha3_256, sha3_384, sha3_512, shake128, shake256 } from "@noble/hashes/sha3.js";
import type { CHash } from "@noble/hashes/utils.js";

/** Wycheproof takes 32 bytes of SHAKE128 and 64 of SHAKE256. */
const HASHES: Readonly<Record<string, CHash>> = {
  "SHA-1": sha1,
  "SHA-224": sha224,
  "SHA-256": sha256,
  "SHA-384": sha384,
  "SHA-512": sha512,
  "SHA-512/224": sha512_224,
  "SHA-512/256": sha512_256,
  "SHA3-224": sha3_224,
  "SHA3-256": sha3_256,
  "SHA3-384": sha3_384,
  "SHA3-512": sha3_512,
};

export function hashFunction(name: string): CHash {
  const hash = HASHES[name];
  if (hash === undefined) throw new Error(`no hash function ${name}`);
  return hash;
}

/** Of names like HMACSHA256, in which the dash of the hash's own name is missing. */
export function hashOfHmac(name: string): CHash {
  return hashFunction(name.replace(/^HMACSHA/, "SHA-").replace("SHA-3-", "SHA3-"));
}

export function digest(name: string, message: Uint8Array): Uint8Array {
  if (name === "SHAKE128") return shake128(message, { dkLen: 32 });
  if (name === "SHAKE256") return shake256(message, { dkLen: 64 });
  return hashFunction(name)(message);
}
