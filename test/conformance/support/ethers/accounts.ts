/** Cases about keys, addresses, hashes, RLP and wallets. */
import { hmac } from "@noble/hashes/hmac.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha256 as nobleSha256, sha512 } from "@noble/hashes/sha2.js";
import { checksumAddress, create2Address, createAddress, parseAddress } from "../../../../base/address.ts";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem } from "../../../../base/rlp.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { sha256 } from "../../../../base/sha256.ts";
import { bytesOf, expectBytes, expectSame } from "../check.ts";
import { icapOf } from "../icap.ts";
import { type Keystore, openKeystore, openPresaleWallet } from "../keystore.ts";

export interface AccountCase {
  readonly privateKey?: string | null;
  readonly address: string;
  readonly icap: string;
}

export interface CreateCase {
  readonly nonce: number | string;
  readonly address: string;
}

export interface Create2Case {
  readonly salt: string;
  readonly initCode: string;
  readonly initCodeHash: string;
  readonly address: string;
}

export interface HashCase {
  readonly data: string;
  readonly sha256: string;
  readonly sha512: string;
  readonly ripemd160: string;
  readonly keccak256: string;
}

export interface HmacCase {
  readonly data: string;
  readonly key: string;
  readonly algorithm: "sha256" | "sha512";
  readonly hmac: string;
}

export interface KeyDerivationCase {
  readonly password: string;
  readonly salt: string;
  readonly dkLen: number;
  readonly pbkdf2: { readonly algorithm: "sha256" | "sha512"; readonly iterations: number; readonly key: string };
  readonly scrypt: { readonly N: number; readonly r: number; readonly p: number; readonly key: string };
}

type HexTree = Hex | readonly HexTree[];

export interface RlpCase {
  readonly decoded: HexTree;
  readonly encoded: string;
}

export interface WalletCase {
  readonly type: string;
  readonly address: string;
  /** Hexadecimal. */
  readonly password: string;
  /** The wallet file. */
  readonly content: string;
}

export function checkAccount({ privateKey, address, icap }: AccountCase): void {
  const bytes = parseAddress(address);
  expectSame(checksumAddress(bytes), address, "the address with its checksum");
  expectSame(icapOf(bytes), icap, "the ICAP address");
  if (privateKey) expectSame(checksumAddress(privateKeyToAddress(bytesOf(privateKey))), address, "the key's address");
}

export function checkCreate(sender: string, { nonce, address }: CreateCase): void {
  expectSame(checksumAddress(createAddress(parseAddress(sender), BigInt(nonce))), address, "the contract's address");
}

export function checkCreate2(sender: string, { salt, initCode, initCodeHash, address }: Create2Case): void {
  const codeHash = keccak256(bytesOf(initCode));
  expectBytes(codeHash, initCodeHash, "the hash of the code");
  const created = create2Address(parseAddress(sender), bytesOf(salt), codeHash);
  expectSame(checksumAddress(created), address, "the contract's address");
}

export function checkHashes(test: HashCase): void {
  const data = bytesOf(test.data);
  expectBytes(keccak256(data), test.keccak256, "keccak-256");
  expectBytes(sha256(data), test.sha256, "SHA-256");
  expectBytes(sha512(data), test.sha512, "SHA-512");
  expectBytes(ripemd160(data), test.ripemd160, "RIPEMD-160");
}

const DERIVATION_HASHES = { sha256: nobleSha256, sha512 } as const;

export function checkHmac({ data, key, algorithm, hmac: expected }: HmacCase): void {
  expectBytes(hmac(DERIVATION_HASHES[algorithm], bytesOf(key), bytesOf(data)), expected, "the code");
}

/** The two functions that make a keystore's key from a password. */
export function checkKeyDerivation(test: KeyDerivationCase): void {
  const [password, salt] = [bytesOf(test.password), bytesOf(test.salt)];
  const { algorithm, iterations, key } = test.pbkdf2;
  const { N, r, p } = test.scrypt;
  const { dkLen } = test;
  expectBytes(pbkdf2(DERIVATION_HASHES[algorithm], password, salt, { c: iterations, dkLen }), key, "PBKDF2");
  expectBytes(scrypt(password, salt, { N, r, p, dkLen }), test.scrypt.key, "scrypt");
}

export function checkRlp({ decoded, encoded }: RlpCase): void {
  expectBytes(encodeRlp(toItem(decoded)), encoded, "the encoding");
  const expected = JSON.stringify(toTree(toItem(decoded)));
  expectSame(JSON.stringify(toTree(decodeRlp(bytesOf(encoded)))), expected, "the decoded item");
}

function toItem(tree: HexTree): RlpItem {
  return typeof tree === "string" ? bytesOf(tree) : tree.map(toItem);
}

function toTree(item: RlpItem): HexTree {
  return item instanceof Uint8Array ? bytesToHex(item) : item.map(toTree);
}

export function checkWallet({ type, address, password, content }: WalletCase): void {
  const open = type === "crowdsale" ? openPresaleWallet : openKeystore;
  const privateKey = open(JSON.parse(content) as Keystore & { encseed: string }, bytesOf(password));
  expectSame(checksumAddress(privateKeyToAddress(privateKey)), address, "the address of the wallet's key");
}
