/** Blocks as records: header, body with senders, receipts, certificate, and the ways to find them. */
import { bytesToHex, equalBytes, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { Work } from "../../base/work.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import type { Address } from "../../vm/state/account.ts";
import { type BlockBody, joinBlock } from "../blocks/block.ts";
import { type BlockHeader, decodeHeader, encodeHeader } from "../blocks/header.ts";
import { decodeReceipts, encodeReceipts } from "../blocks/receipts-codec.ts";
import { validatorsItem, validatorsOfItem } from "../blocks/validators-codec.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { BUCKETS, bucketKey, numberKey, readNumber, STORED_NUMBER_BYTES, writeNumber } from "./buckets.ts";
import type { Database, DatabaseBatch } from "./database.ts";
import { damaged } from "./errors.ts";

export interface StoredHeader {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
}

export interface StoredBody extends BlockBody {
  /** Recovered when the block was executed; recovering costs a hundred times as much as reading. */
  readonly senders: readonly Address[];
}

export interface StoredSeal {
  readonly number: number;
  readonly nextValidators: readonly ValidatorStake[];
}

export interface TransactionLocation {
  readonly number: number;
  readonly index: number;
}

const ADDRESS_BYTES = 20;
const INDEX_BYTES = 4;

/** A header, the proof that it is final, and in a seal the next validators. */
export function putHeader(
  batch: DatabaseBatch,
  header: BlockHeader,
  hash: Uint8Array,
  certificate: Uint8Array | undefined,
  nextValidators: readonly ValidatorStake[] | undefined,
): void {
  const number = Number(header.number);
  batch.put(numberKey(BUCKETS.headers, number), encodeHeader(header));
  const numberBytes = new Uint8Array(STORED_NUMBER_BYTES);
  writeNumber(numberBytes, 0, number);
  batch.put(bucketKey(BUCKETS.blockNumbers, hash), numberBytes);
  if (certificate !== undefined) batch.put(numberKey(BUCKETS.certificates, number), certificate);
  if (nextValidators === undefined) return;
  const seal = encodeRlp([rlpOfInteger(header.number), validatorsItem(nextValidators)]);
  batch.put(numberKey(BUCKETS.seals, header.extra.epoch), seal);
}

/** Everything else of a block, in steps: it may have thousands of transactions. */
export function* puttingBody(
  batch: DatabaseBatch,
  number: number,
  included: readonly RecoveredTransaction[],
  receipts: readonly Receipt[],
  nextValidators: readonly ValidatorStake[] | undefined,
): Work<void> {
  batch.put(numberKey(BUCKETS.bodies, number), encodeBody(included, nextValidators));
  yield;
  batch.put(numberKey(BUCKETS.receipts, number), encodeReceipts(receipts));
  yield;
  const location = new Uint8Array(STORED_NUMBER_BYTES + INDEX_BYTES);
  writeNumber(location, 0, number);
  const view = new DataView(location.buffer);
  for (const [index, { transaction }] of included.entries()) {
    view.setUint32(STORED_NUMBER_BYTES, index);
    batch.put(bucketKey(BUCKETS.transactions, transaction.hash), location);
    yield;
  }
}

function encodeBody(
  included: readonly RecoveredTransaction[],
  nextValidators: readonly ValidatorStake[] | undefined,
): Uint8Array {
  const senders = new Uint8Array(included.length * ADDRESS_BYTES);
  for (const [i, { sender }] of included.entries()) senders.set(hexToBytes(sender), i * ADDRESS_BYTES);
  return encodeRlp([included.map(({ transaction }) => transaction.raw), senders, validatorsItem(nextValidators)]);
}

export function readHeader(database: Database, number: number): StoredHeader | undefined {
  const bytes = database.get(numberKey(BUCKETS.headers, number));
  if (bytes === undefined) return undefined;
  return { header: decoded(`header ${number}`, () => decodeHeader(bytes)), hash: keccak256(bytes) };
}

/** Throws STORE_DAMAGED unless all headers from `first` up to the head are there, each the parent of the next. */
export async function checkLinks(database: Database, first: number, head: StoredHeader): Promise<void> {
  let expected = first;
  let previous: Uint8Array | undefined;
  const from = numberKey(BUCKETS.headers, first).subarray(1);
  for await (const group of database.entries(BUCKETS.headers, undefined, from)) {
    for (const { key, value } of group) {
      if (readNumber(key, 0) !== expected) break;
      const { parentHash } = decoded(`header ${expected}`, () => decodeHeader(value));
      if (previous !== undefined && !equalBytes(parentHash, previous)) {
        throw damaged(`block ${expected} does not follow block ${expected - 1}`, { number: expected });
      }
      previous = keccak256(value);
      expected++;
    }
  }
  if (BigInt(expected) !== head.header.number + 1n || previous === undefined || !equalBytes(previous, head.hash)) {
    throw damaged(`block ${expected} is missing below the last block, ${head.header.number}`, { number: expected });
  }
}

export function readBody(database: Database, number: number): StoredBody | undefined {
  const bytes = database.get(numberKey(BUCKETS.bodies, number));
  if (bytes === undefined) return undefined;
  return decoded(`body ${number}`, () => {
    const [transactions, packed, nextValidators] = rlpList(decodeRlp(bytes), 3);
    const items = rlpList(transactions as RlpItem);
    const senders = rlpBytes(packed as RlpItem, items.length * ADDRESS_BYTES);
    return {
      transactions: items.map((item) => rlpBytes(item)),
      senders: items.map((_, i) => bytesToHex(senders.subarray(i * ADDRESS_BYTES, (i + 1) * ADDRESS_BYTES))),
      nextValidators: validatorsOfItem(nextValidators as RlpItem),
    };
  });
}

/** The whole block as nodes send it; `undefined` also where only the header is kept. */
export function readEncodedBlock(database: Database, number: number): Uint8Array | undefined {
  const header = database.get(numberKey(BUCKETS.headers, number));
  const body = header && readBody(database, number);
  return header && body && joinBlock(header, body.transactions, body.nextValidators);
}

/** The block that ended an epoch. */
export function readSeal(database: Database, epoch: number): StoredSeal | undefined {
  const bytes = database.get(numberKey(BUCKETS.seals, epoch));
  if (bytes === undefined) return undefined;
  return decoded(`seal ${epoch}`, () => {
    const [number, validators] = rlpList(decodeRlp(bytes), 2);
    const nextValidators = validatorsOfItem(validators as RlpItem);
    if (nextValidators === undefined) throw damaged(`the seal of epoch ${epoch} names no validators`);
    return { number: Number(rlpInteger(number as RlpItem, STORED_NUMBER_BYTES)), nextValidators };
  });
}

export function readReceipts(database: Database, number: number): readonly Receipt[] | undefined {
  const bytes = database.get(numberKey(BUCKETS.receipts, number));
  return bytes === undefined ? undefined : decoded(`receipts ${number}`, () => decodeReceipts(bytes));
}

export function readCertificate(database: Database, number: number): Uint8Array | undefined {
  return database.get(numberKey(BUCKETS.certificates, number));
}

export function readBlockNumber(database: Database, hash: Uint8Array): number | undefined {
  const bytes = database.get(bucketKey(BUCKETS.blockNumbers, hash));
  if (bytes === undefined) return undefined;
  if (bytes.length !== STORED_NUMBER_BYTES) throw damaged("a block number is malformed");
  return readNumber(bytes, 0);
}

export function readLocation(database: Database, hash: Uint8Array): TransactionLocation | undefined {
  const bytes = database.get(bucketKey(BUCKETS.transactions, hash));
  if (bytes === undefined) return undefined;
  if (bytes.length !== STORED_NUMBER_BYTES + INDEX_BYTES) throw damaged("the place of a transaction is malformed");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { number: readNumber(bytes, 0), index: view.getUint32(STORED_NUMBER_BYTES) };
}

/** A record with a good checksum that does not decode was written by another program, or by a bug. */
function decoded<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CodedError) throw damaged(`${what} is malformed: ${error.message}`);
    throw error;
  }
}
