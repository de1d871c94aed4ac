/** Opens encrypted wallet files: Ethereum's keystore version 3 and the wallets of its presale. */
import { cbc, ctr } from "@noble/ciphers/aes.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { bytesOf } from "./check.ts";

interface KeystoreCrypto {
  readonly cipher: string;
  readonly cipherparams: { readonly iv: string };
  readonly ciphertext: string;
  readonly kdf: string;
  readonly kdfparams: {
    readonly dklen: number;
    readonly salt: string;
    readonly prf?: string;
    readonly c?: number;
    readonly n?: number;
    readonly r?: number;
    readonly p?: number;
  };
  readonly mac: string;
}

/** Writers differ in the case of the key. */
export type Keystore = { readonly crypto: KeystoreCrypto } | { readonly Crypto: KeystoreCrypto };

/** scrypt may use this much memory: the largest parameters in use (n = 2^18, r = 8) take 256 MiB. */
const SCRYPT_MEMORY = 2 ** 30;

/** The private key. Throws when the password is wrong or the file asks for something unknown. */
export function openKeystore(keystore: Keystore, password: Uint8Array): Uint8Array {
  const crypto = "crypto" in keystore ? keystore.crypto : keystore.Crypto;
  if (crypto.cipher !== "aes-128-ctr") throw new Error(`no cipher ${crypto.cipher}`);
  const derived = deriveKey(crypto, password);
  const ciphertext = bytesOf(crypto.ciphertext);
  const mac = bytesToHex(keccak256(concatBytes(derived.subarray(16, 32), ciphertext)));
  if (mac !== bytesToHex(bytesOf(crypto.mac))) throw new Error("the password is wrong");
  return ctr(derived.subarray(0, 16), paddedIv(crypto.cipherparams.iv)).decrypt(ciphertext);
}

function deriveKey({ kdf, kdfparams }: KeystoreCrypto, password: Uint8Array): Uint8Array {
  const { salt, dklen: dkLen, c = 0, n: N = 0, r = 0, p = 0, prf } = kdfparams;
  if (kdf === "scrypt") return scrypt(password, bytesOf(salt), { N, r, p, dkLen, maxmem: SCRYPT_MEMORY });
  if (kdf !== "pbkdf2") throw new Error(`no key derivation ${kdf}`);
  if (prf !== "hmac-sha256" && prf !== "hmac-sha512") throw new Error(`no function ${prf}`);
  return pbkdf2(prf === "hmac-sha256" ? sha256 : sha512, password, bytesOf(salt), { c, dkLen });
}

/** Some writers drop leading zeros of the counter. */
function paddedIv(iv: string): Uint8Array {
  return bytesOf(iv.padStart(32, "0"));
}

/** The private key of a presale wallet: the hash of the decrypted seed, which is hexadecimal text. */
export function openPresaleWallet(wallet: { readonly encseed: string }, password: Uint8Array): Uint8Array {
  const key = pbkdf2(sha256, password, password, { c: 2000, dkLen: 16 });
  const encrypted = bytesOf(wallet.encseed);
  return keccak256(cbc(key, encrypted.subarray(0, 16)).decrypt(encrypted.subarray(16)));
}
