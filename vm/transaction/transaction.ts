/**
 * Ethereum transactions: legacy (with and without EIP-155), EIP-2930 and EIP-1559, from and to bytes.
 * Decoding is strict: what decodes is the only encoding of that transaction. One shape serves all types, so
 * that execution never asks which it has.
 */
import { bytesToHex, concatBytes, EMPTY_BYTES, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { Address } from "../state/account.ts";
import { transactionError } from "./errors.ts";

export type TransactionType = 0 | 1 | 2;

export interface AccessListEntry {
  readonly address: Address;
  readonly slots: readonly Hex[];
}

/** What the sender signs. */
export interface UnsignedTransaction {
  readonly type: TransactionType;
  /** `undefined`: a legacy transaction without replay protection. */
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  /** The gas price of types 0 and 1. */
  readonly maxFeePerGas: bigint;
  /** The gas price of types 0 and 1. */
  readonly maxPriorityFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** `undefined`: create a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListEntry[];
}

export interface Transaction extends UnsignedTransaction {
  readonly yParity: 0 | 1;
  /** Shortest big-endian form, as in the encoding. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  /** The canonical encoding. */
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
}

/** Fields before the signature, by type. */
const UNSIGNED_FIELDS: Readonly<Record<TransactionType, number>> = { 0: 6, 1: 8, 2: 9 };

/** More than any type has fields, with the list of them and the access list. */
const FIELD_ITEMS = 16;

export interface DecodeOptions {
  /** More bytes than this are not even looked at. */
  readonly maxBytes?: number;
  /** Whoever knows the hash already, because a worker computed it, saves a third of the time by giving it. */
  readonly knownHash?: Uint8Array;
}

/** The encoded transaction. Throws TX_TOO_LARGE, TX_TYPE_UNSUPPORTED, TX_MALFORMED and the like. */
export function decodeTransaction(raw: Uint8Array, { maxBytes, knownHash }: DecodeOptions = {}): Transaction {
  if (maxBytes !== undefined) checkSize(raw, maxBytes);
  const first = raw[0];
  if (first === undefined) throw transactionError("TX_MALFORMED", "the transaction is empty");
  if (first < 0xc0 && first !== 1 && first !== 2) {
    const known =
      first === 3 ? "blob transactions (type 3) are not part of this chain" : `no transaction type ${first}`;
    throw transactionError("TX_TYPE_UNSUPPORTED", known, { type: first });
  }
  const hash = knownHash ?? keccak256(raw);
  try {
    return first >= 0xc0 ? decodeLegacy(raw, hash) : decodeTyped(first as 1 | 2, raw, hash);
  } catch (error) {
    if (error instanceof CodedError && error.code === "RLP_INVALID") {
      throw transactionError("TX_MALFORMED", `not a transaction: ${error.message}`, error.data);
    }
    throw error;
  }
}

/** Throws TX_TOO_LARGE. */
export function checkSize(raw: Uint8Array, maxBytes: number): void {
  if (raw.length <= maxBytes) return;
  throw transactionError("TX_TOO_LARGE", `a transaction has at most ${maxBytes} bytes`, { length: raw.length });
}

/** The densest that may be there are entries of an access list without slots: three items in 23 bytes. */
function maxItems({ length }: Uint8Array): number {
  return FIELD_ITEMS + Math.ceil((3 * length) / 23);
}

function decodeLegacy(raw: Uint8Array, hash: Uint8Array): Transaction {
  const fields = rlpList(decodeRlp(raw, maxItems(raw)), 9);
  const gasPrice = rlpInteger(fields[1] as RlpItem, 32);
  const v = rlpInteger(fields[6] as RlpItem, 32);
  let chainId: bigint | undefined;
  let yParity: 0 | 1;
  if (v === 27n || v === 28n) {
    yParity = v === 27n ? 0 : 1;
  } else if (v >= 35n) {
    yParity = (v - 35n) % 2n === 0n ? 0 : 1;
    chainId = (v - 35n) / 2n;
  } else {
    throw transactionError("TX_SIGNATURE_INVALID", `a signature's v is 27, 28 or at least 35, not ${v}`, { v });
  }
  return {
    type: 0,
    chainId,
    nonce: readNonce(fields[0] as RlpItem),
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    gasLimit: rlpInteger(fields[2] as RlpItem, 8),
    to: readTo(fields[3] as RlpItem),
    value: rlpInteger(fields[4] as RlpItem, 32),
    data: rlpBytes(fields[5] as RlpItem),
    accessList: [],
    yParity,
    r: readScalar(fields[7] as RlpItem),
    s: readScalar(fields[8] as RlpItem),
    raw,
    hash,
  };
}

function decodeTyped(type: 1 | 2, raw: Uint8Array, hash: Uint8Array): Transaction {
  const unsigned = UNSIGNED_FIELDS[type];
  const fields = rlpList(decodeRlp(raw.subarray(1), maxItems(raw)), unsigned + 3);
  // Type 2 has two fees where type 1 has one; everything after is shifted by one.
  const shift = type - 1;
  const priority = rlpInteger(fields[2] as RlpItem, 32);
  const yParity = rlpInteger(fields[unsigned] as RlpItem, 32);
  if (yParity > 1n) {
    throw transactionError("TX_SIGNATURE_INVALID", `a signature's yParity is 0 or 1, not ${yParity}`, { yParity });
  }
  return {
    type,
    chainId: rlpInteger(fields[0] as RlpItem, 32),
    nonce: readNonce(fields[1] as RlpItem),
    maxPriorityFeePerGas: priority,
    maxFeePerGas: type === 1 ? priority : rlpInteger(fields[3] as RlpItem, 32),
    gasLimit: rlpInteger(fields[3 + shift] as RlpItem, 8),
    to: readTo(fields[4 + shift] as RlpItem),
    value: rlpInteger(fields[5 + shift] as RlpItem, 32),
    data: rlpBytes(fields[6 + shift] as RlpItem),
    accessList: readAccessList(fields[7 + shift] as RlpItem),
    yParity: yParity === 0n ? 0 : 1,
    r: readScalar(fields[unsigned + 1] as RlpItem),
    s: readScalar(fields[unsigned + 2] as RlpItem),
    raw,
    hash,
  };
}

function readNonce(item: RlpItem): bigint {
  const nonce = rlpInteger(item, 8);
  if (nonce === 0xffff_ffff_ffff_ffffn) {
    throw transactionError("TX_NONCE_OVERFLOW", "the nonce is past the last one, 2^64 - 2 (EIP-2681)");
  }
  return nonce;
}

function readTo(item: RlpItem): Address | undefined {
  const bytes = rlpBytes(item);
  if (bytes.length === 0) return undefined;
  if (bytes.length !== 20) {
    throw transactionError("TX_MALFORMED", `a recipient has 20 bytes, not ${bytes.length}`, { length: bytes.length });
  }
  return bytesToHex(bytes);
}

/** Canonical integer of at most 32 bytes, kept as bytes: recovery takes bytes. */
function readScalar(item: RlpItem): Uint8Array {
  const bytes = rlpBytes(item);
  if (bytes.length > 32 || bytes[0] === 0) {
    throw transactionError("TX_MALFORMED", "a signature's r and s are integers of at most 32 bytes", {
      length: bytes.length,
    });
  }
  return bytes;
}

function readAccessList(item: RlpItem): readonly AccessListEntry[] {
  return rlpList(item).map((entry) => {
    const [address, slots] = rlpList(entry, 2);
    return {
      address: bytesToHex(rlpBytes(address as RlpItem, 20)),
      slots: rlpList(slots as RlpItem).map((slot) => bytesToHex(rlpBytes(slot, 32))),
    };
  });
}

/**
 * The hash that the sender signed. Cut from the encoding: the fields before the signature stand there already,
 * so nothing is encoded twice (encoding them again costs as much as decoding did).
 */
export function signingHash(transaction: Transaction): Uint8Array {
  const { raw, type } = transaction;
  const listStart = type === 0 ? 0 : 1;
  const firstByte = raw[listStart] as number;
  const bodyStart = listStart + 1 + (firstByte > 0xf7 ? firstByte - 0xf7 : 0);
  const bodyEnd = raw.length - signatureLength(transaction);
  const body = raw.subarray(bodyStart, bodyEnd);
  if (type !== 0) return keccak256(concatBytes(raw.subarray(0, 1), listHeader(body.length), body));
  if (transaction.chainId === undefined) return keccak256(concatBytes(listHeader(body.length), body));
  const chainId = concatBytes(encodeRlp(rlpOfInteger(transaction.chainId)), EIP155_TAIL);
  return keccak256(concatBytes(listHeader(body.length + chainId.length), body, chainId));
}

/** RLP of the two empty fields that follow the chain id in an EIP-155 signing payload. */
const EIP155_TAIL = new Uint8Array([0x80, 0x80]);

function listHeader(length: number): Uint8Array {
  if (length < 56) return new Uint8Array([0xc0 + length]);
  const bytes = rlpOfInteger(BigInt(length));
  return concatBytes(new Uint8Array([0xf7 + bytes.length]), bytes);
}

/** Bytes that v, r and s take at the end of the encoding: short strings, one byte of header unless below 0x80. */
function signatureLength(transaction: Transaction): number {
  const v = rlpOfInteger(signatureV(transaction, transaction.yParity));
  let length = 0;
  for (const field of [v, transaction.r, transaction.s]) {
    length += field.length === 1 && (field[0] as number) < 0x80 ? 1 : 1 + field.length;
  }
  return length;
}

function signatureV(transaction: UnsignedTransaction, yParity: 0 | 1): bigint {
  if (transaction.type !== 0) return BigInt(yParity);
  return BigInt(yParity) + (transaction.chainId === undefined ? 27n : 35n + 2n * transaction.chainId);
}

/** The fields in the order of their encoding, without the signature. */
function unsignedFields(transaction: UnsignedTransaction): RlpItem[] {
  const { type, chainId, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const head = type === 0 ? [] : [rlpOfInteger(chainId ?? 0n)];
  const fees =
    type === 2 ? [rlpOfInteger(maxPriorityFeePerGas), rlpOfInteger(maxFeePerGas)] : [rlpOfInteger(maxFeePerGas)];
  const accessList = transaction.accessList.map(({ address, slots }) => [hexToBytes(address), slots.map(hexToBytes)]);
  return [
    ...head,
    rlpOfInteger(transaction.nonce),
    ...fees,
    rlpOfInteger(transaction.gasLimit),
    transaction.to === undefined ? EMPTY_BYTES : hexToBytes(transaction.to),
    rlpOfInteger(transaction.value),
    transaction.data,
    ...(type === 0 ? [] : [accessList]),
  ];
}

/** The hash to sign for a transaction that has no encoding yet. */
export function unsignedHash(transaction: UnsignedTransaction): Uint8Array {
  return keccak256(encodeUnsigned(transaction));
}

/** What is hashed and signed. */
export function encodeUnsigned(transaction: UnsignedTransaction): Uint8Array {
  const fields = unsignedFields(transaction);
  if (transaction.type !== 0) return concatBytes(new Uint8Array([transaction.type]), encodeRlp(fields));
  const { chainId } = transaction;
  return encodeRlp(chainId === undefined ? fields : [...fields, rlpOfInteger(chainId), EMPTY_BYTES, EMPTY_BYTES]);
}

/** The encoding with a signature. */
export function encodeSigned(
  transaction: UnsignedTransaction,
  signature: { readonly r: bigint; readonly s: bigint; readonly yParity: 0 | 1 },
): Uint8Array {
  const v = signatureV(transaction, signature.yParity);
  const fields = [...unsignedFields(transaction), v, signature.r, signature.s].map((field) =>
    typeof field === "bigint" ? rlpOfInteger(field) : field,
  );
  const encoded = encodeRlp(fields);
  return transaction.type === 0 ? encoded : concatBytes(new Uint8Array([transaction.type]), encoded);
}
