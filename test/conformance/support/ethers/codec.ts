/** Cases about ABI coding, packed hashes and typed data, through viem (the basis of our typed client). */
import { ripemd160 } from "@noble/hashes/legacy.js";
import {
  type AbiParameter,
  decodeAbiParameters,
  encodeAbiParameters,
  encodePacked,
  hashStruct,
  hashTypedData,
  parseAbiParameters,
  type TypedDataDomain,
} from "viem";
import { bytes32, bytesToHex, concatBytes, type Hex } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { signHash } from "../../../../base/secp256k1.ts";
import { sha256 } from "../../../../base/sha256.ts";
import { bytesOf, expectBytes, expectSame } from "../check.ts";

type VerboseValue =
  | { readonly type: "array" | "object"; readonly value: readonly VerboseValue[] }
  | { readonly type: "number" | "hexstring" | "address" | "string"; readonly value: string }
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "null" };

export interface AbiCase {
  readonly type: string;
  readonly verbose: VerboseValue;
  readonly encoded: Hex;
}

export interface PackedCase {
  readonly types: readonly string[];
  readonly values: readonly unknown[];
  readonly keccak256: string;
  readonly ripemd160: string;
  readonly sha256: string;
}

export interface TypedDataCase {
  readonly domain: TypedDataDomain;
  readonly primaryType: string;
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly encoded: string;
  readonly digest: string;
  readonly privateKey?: string;
  readonly signature?: string;
}

export function checkAbi({ type, verbose, encoded }: AbiCase): void {
  // An empty tuple has no text that viem's parser takes; it encodes to nothing.
  const parameters: readonly AbiParameter[] =
    type === "()" ? [{ type: "tuple", components: [] }] : parseAbiParameters(type);
  const value = abiValue(verbose);
  expectSame(encodeAbiParameters(parameters, [value]), encoded, "the encoding");
  const [decoded] = decodeAbiParameters(parameters, encoded);
  expectSame(textOf(decoded), textOf(value), "the decoded value");
}

function abiValue(verbose: VerboseValue): unknown {
  if (verbose.type === "null") return null;
  if (verbose.type === "array" || verbose.type === "object") return verbose.value.map(abiValue);
  return verbose.type === "number" ? BigInt(verbose.value) : verbose.value;
}

/** Small integers decode to numbers and large ones to bigints; the text does not tell them apart. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(textOf).join()}]` : JSON.stringify(String(value));
}

export function checkPacked(test: PackedCase): void {
  const values = test.types.map((type, i) => packedValue(type, test.values[i]));
  const packed = bytesOf(encodePacked(test.types, values as readonly unknown[]));
  expectBytes(keccak256(packed), test.keccak256, "keccak-256");
  expectBytes(sha256(packed), test.sha256, "SHA-256");
  // The file gives it as a bytes32, filled up on the right.
  expectBytes(concatBytes(ripemd160(packed), new Uint8Array(12)), test.ripemd160, "RIPEMD-160");
}

function packedValue(type: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => packedValue(type, item));
  return /^u?int/.test(type) ? signedInteger(String(value)) : value;
}

/** BigInt reads no sign before `0x`. */
function signedInteger(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

export function checkTypedData(test: TypedDataCase): void {
  const { domain, primaryType, types, data, digest, privateKey, signature } = test;
  const hash = hashTypedData({ domain, primaryType, types, message: data });
  expectSame(hash, digest, "the digest");
  expectBytes(keccak256(bytesOf(test.encoded)), hashStruct({ data, primaryType, types }), "the hash of the struct");
  if (privateKey === undefined || signature === undefined) return;
  const { r, s, yParity } = signHash(bytesOf(hash), bytesOf(privateKey));
  const signed = concatBytes(bytes32(r), bytes32(s), new Uint8Array([27 + yParity]));
  expectSame(bytesToHex(signed), signature, "the signature");
}
