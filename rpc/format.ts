/** Values in the form of Ethereum's JSON-RPC: quantities without leading zeros, bytes as hexadecimal. */
import { bytesToHex, type Hex } from "../base/bytes.ts";
import { keccak256 } from "../base/keccak.ts";
import { encodeBlock } from "../chain/blocks/block.ts";
import { encodeExtraData } from "../chain/blocks/extra-data.ts";
import { EMPTY_OMMERS_HASH } from "../chain/blocks/header.ts";
import type { StoredBody, StoredHeader } from "../chain/store/block-records.ts";
import { effectiveGasPrice } from "../vm/execution/fees.ts";
import type { Log } from "../vm/receipt/log.ts";
import { type Receipt, receiptBloom } from "../vm/receipt/receipt.ts";
import type { Address } from "../vm/state/account.ts";
import { decodeTransaction, type Transaction, type UnsignedTransaction } from "../vm/transaction/transaction.ts";

export function quantityText(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** Where a transaction is in the chain. */
export interface Place {
  readonly block: StoredHeader;
  readonly index: number;
  /** For a unit of gas, where the block's base fee does not say it: some paid the floor price because it was their turn. */
  readonly paid?: bigint | undefined;
}

function placeFields(place: Place | undefined): object {
  if (place === undefined) return { blockHash: null, blockNumber: null, transactionIndex: null };
  return {
    blockHash: bytesToHex(place.block.hash),
    blockNumber: quantityText(place.block.header.number),
    transactionIndex: quantityText(place.index),
  };
}

/** A transaction that nobody has signed yet. */
export function unsignedJson(transaction: UnsignedTransaction): object {
  const { type, chainId, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  return {
    type: quantityText(type),
    ...(chainId !== undefined && { chainId: quantityText(chainId) }),
    to: transaction.to ?? null,
    nonce: quantityText(transaction.nonce),
    value: quantityText(transaction.value),
    input: bytesToHex(transaction.data),
    gas: quantityText(transaction.gasLimit),
    gasPrice: quantityText(maxFeePerGas),
    ...(type === 2 && {
      maxFeePerGas: quantityText(maxFeePerGas),
      maxPriorityFeePerGas: quantityText(maxPriorityFeePerGas),
    }),
    ...(type !== 0 && {
      accessList: transaction.accessList.map(({ address, slots }) => ({ address, storageKeys: slots })),
    }),
  };
}

/** `place` is `undefined` for a transaction that waits. */
export function transactionJson(transaction: Transaction, sender: Address, place: Place | undefined): object {
  const { type, chainId, maxFeePerGas, yParity } = transaction;
  const paid =
    place === undefined
      ? maxFeePerGas
      : (place.paid ?? effectiveGasPrice(transaction, place.block.header.baseFeePerGas));
  const v = type === 0 ? BigInt(yParity) + (chainId === undefined ? 27n : 35n + 2n * chainId) : BigInt(yParity);
  return {
    ...placeFields(place),
    blockTimestamp: place === undefined ? null : quantityText(place.block.header.timestamp),
    hash: bytesToHex(transaction.hash),
    from: sender,
    ...unsignedJson(transaction),
    gasPrice: quantityText(paid),
    ...(type !== 0 && { yParity: quantityText(yParity) }),
    v: quantityText(v),
    r: scalarText(transaction.r),
    s: scalarText(transaction.s),
  };
}

function scalarText(bytes: Uint8Array): Hex {
  return quantityText(bytes.length === 0 ? 0n : BigInt(bytesToHex(bytes)));
}

/** `logIndex` counts through the block. */
export function logJson(log: Log, transactionHash: Hex, place: Place, logIndex: number): object {
  return {
    ...placeFields(place),
    blockTimestamp: quantityText(place.block.header.timestamp),
    address: log.address,
    topics: log.topics,
    data: bytesToHex(log.data),
    transactionHash,
    logIndex: quantityText(logIndex),
    removed: false,
  };
}

/** What `logJson` is as JSON, in a third of the time: there is nothing in it to escape. */
export function logText(log: Log, transactionHash: Hex, { block, index }: Place, logIndex: number): string {
  const { hash, header } = block;
  const place = `"blockHash":"${bytesToHex(hash)}","blockNumber":"${quantityText(header.number)}","transactionIndex":"${quantityText(index)}","blockTimestamp":"${quantityText(header.timestamp)}"`;
  const topics = log.topics.length === 0 ? "[]" : `["${log.topics.join('","')}"]`;
  return `{${place},"address":"${log.address}","topics":${topics},"data":"${bytesToHex(log.data)}","transactionHash":"${transactionHash}","logIndex":"${quantityText(logIndex)}","removed":false}`;
}

/** `logsBefore` is the number of logs that earlier transactions of the block emitted. */
export function receiptJson(
  receipt: Receipt,
  transaction: Transaction,
  sender: Address,
  place: Place,
  logsBefore: number,
): object {
  const transactionHash = bytesToHex(transaction.hash);
  return {
    ...placeFields(place),
    transactionHash,
    type: quantityText(receipt.type),
    from: sender,
    to: transaction.to ?? null,
    status: quantityText(receipt.succeeded ? 1 : 0),
    gasUsed: quantityText(receipt.gasUsed),
    cumulativeGasUsed: quantityText(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantityText(receipt.effectiveGasPrice),
    contractAddress: receipt.createdAddress ?? null,
    logs: receipt.logs.map((log, index) => logJson(log, transactionHash, place, logsBefore + index)),
    logsBloom: bytesToHex(receiptBloom(receipt)),
  };
}

/** With whole transactions, or with their hashes alone. `paid` is what each paid for a unit of gas, as in `Place`. */
export function blockJson(
  block: StoredHeader,
  body: StoredBody,
  isFull: boolean,
  paid: readonly bigint[] | undefined,
): object {
  const transactions = body.transactions.map((raw, index) => {
    if (!isFull) return bytesToHex(keccak256(raw));
    return transactionJson(decodeTransaction(raw), body.senders[index] as Address, {
      block,
      index,
      paid: paid?.[index],
    });
  });
  return {
    ...headerJson(block),
    totalDifficulty: quantityText(0),
    size: quantityText(encodeBlock({ header: block.header, ...body }).length),
    uncles: [],
    transactions,
  };
}

export function headerJson({ header, hash }: StoredHeader): object {
  return {
    number: quantityText(header.number),
    hash: bytesToHex(hash),
    parentHash: bytesToHex(header.parentHash),
    sha3Uncles: bytesToHex(EMPTY_OMMERS_HASH),
    miner: header.coinbase,
    stateRoot: bytesToHex(header.stateRoot),
    transactionsRoot: bytesToHex(header.transactionsRoot),
    receiptsRoot: bytesToHex(header.receiptsRoot),
    logsBloom: bytesToHex(header.logsBloom),
    difficulty: quantityText(0),
    gasLimit: quantityText(header.gasLimit),
    gasUsed: quantityText(header.gasUsed),
    timestamp: quantityText(header.timestamp),
    extraData: bytesToHex(encodeExtraData(header.extra)),
    mixHash: bytesToHex(header.beacon),
    nonce: "0x0000000000000000",
    baseFeePerGas: quantityText(header.baseFeePerGas),
  };
}
