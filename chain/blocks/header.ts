/**
 * Headers: Ethereum's sixteen fields up to the base fee (EIP-1559), RLP, keccak-256. Fields that Ethereum has for
 * proof of work have one value each, and nothing else is accepted. docs/spec/block.md lists them all.
 */
import { bytesToHex, equalBytes, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { nextBaseFee } from "../../vm/execution/fees.ts";
import type { Bloom } from "../../vm/receipt/bloom.ts";
import type { Address } from "../../vm/state/account.ts";
import { blockError, withRlpErrorsAs } from "./errors.ts";
import { decodeExtraData, type ExtraData, encodeExtraData } from "./extra-data.ts";
import { MAX_BLOCK_NUMBER, MAX_HEADER_BYTES, MAX_TIMESTAMP } from "./limits.ts";

export interface BlockHeader {
  readonly parentHash: Uint8Array;
  /** Receives the tips. */
  readonly coinbase: Address;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly logsBloom: Bloom;
  readonly number: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970; the milliseconds are in `extra`. */
  readonly timestamp: bigint;
  readonly extra: ExtraData;
  /** The beacon (Ethereum's mixHash, which PREVRANDAO reads). */
  readonly beacon: Uint8Array;
  readonly baseFeePerGas: bigint;
}

/** keccak-256 of the RLP of the empty list: this chain has no ommers. */
export const EMPTY_OMMERS_HASH: Uint8Array = keccak256(encodeRlp([]));

/** Proof of work's nonce. */
const NONCE = new Uint8Array(8);
const FIELDS = 16;

function headerFields(header: BlockHeader): RlpItem[] {
  return [
    header.parentHash,
    EMPTY_OMMERS_HASH,
    hexToBytes(header.coinbase),
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    rlpOfInteger(0n),
    rlpOfInteger(header.number),
    rlpOfInteger(header.gasLimit),
    rlpOfInteger(header.gasUsed),
    rlpOfInteger(header.timestamp),
    encodeExtraData(header.extra),
    header.beacon,
    NONCE,
    rlpOfInteger(header.baseFeePerGas),
  ];
}

export function encodeHeader(header: BlockHeader): Uint8Array {
  return encodeRlp(headerFields(header));
}

/** The hash of the block: of its header, which commits to the rest. */
export function hashHeader(header: BlockHeader): Uint8Array {
  return keccak256(encodeHeader(header));
}

/** Throws BLOCK_MALFORMED, BLOCK_VERSION_UNKNOWN or BLOCK_TOO_LARGE. Keeps nothing of `bytes`. */
export function decodeHeader(bytes: Uint8Array): BlockHeader {
  if (bytes.length > MAX_HEADER_BYTES) {
    throw blockError("BLOCK_TOO_LARGE", `a header has at most ${MAX_HEADER_BYTES} bytes`, { length: bytes.length });
  }
  return withRlpErrorsAs("BLOCK_MALFORMED", "a block header", () => headerOfFields(rlpList(decodeRlp(bytes), FIELDS)));
}

function headerOfFields(fields: readonly RlpItem[]): BlockHeader {
  const bytes = (index: number, length?: number): Uint8Array => rlpBytes(fields[index] as RlpItem, length);
  const integer = (index: number, maxBytes: number): bigint => rlpInteger(fields[index] as RlpItem, maxBytes);
  expectFixed("ommersHash", bytes(1), EMPTY_OMMERS_HASH);
  expectFixed("difficulty", bytes(7), rlpOfInteger(0n));
  expectFixed("nonce", bytes(14), NONCE);
  return {
    parentHash: bytes(0, 32).slice(),
    coinbase: bytesToHex(bytes(2, 20)),
    stateRoot: bytes(3, 32).slice(),
    transactionsRoot: bytes(4, 32).slice(),
    receiptsRoot: bytes(5, 32).slice(),
    logsBloom: bytes(6, 256).slice(),
    number: atMost(integer(8, 8), MAX_BLOCK_NUMBER, "height"),
    gasLimit: integer(9, 8),
    gasUsed: integer(10, 8),
    timestamp: atMost(integer(11, 8), MAX_TIMESTAMP, "time"),
    extra: decodeExtraData(bytes(12)),
    beacon: bytes(13, 32).slice(),
    baseFeePerGas: integer(15, 32),
  };
}

function expectFixed(field: string, found: Uint8Array, expected: Uint8Array): void {
  if (equalBytes(found, expected)) return;
  throw blockError("BLOCK_MALFORMED", `a header's ${field} is ${bytesToHex(expected)} on this chain`, {
    field,
    found: bytesToHex(found),
  });
}

function atMost(value: bigint, most: bigint, field: string): bigint {
  if (value <= most) return value;
  throw blockError("BLOCK_MALFORMED", `a header's ${field} is at most ${most}`, { field, value });
}

/** The block's time in milliseconds since 1970. */
export function headerTime(header: BlockHeader): number {
  return Number(header.timestamp) * 1000 + header.extra.milliseconds;
}

/** The base fee of the next block: by what was used in the lane that has one, not by those whose turn it was. */
export function baseFeeAfter({ gasUsed, gasLimit, baseFeePerGas, extra }: BlockHeader): bigint {
  return nextBaseFee({ gasUsed: gasUsed - extra.reservedGas, gasLimit, baseFeePerGas });
}

/** Whether the block is the last of its epoch. */
export function isSealHeader({ extra }: BlockHeader): boolean {
  return extra.nextValidatorSetHash.length > 0;
}
