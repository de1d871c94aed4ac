/** Receipts and logs as Ethereum encodes them (EIP-2718 envelope, EIP-658 status). */
import { concatBytes, hexToBytes } from "../../base/bytes.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import type { Address } from "../state/account.ts";
import type { TransactionType } from "../transaction/transaction.ts";
import { type Bloom, bloomOfLogs } from "./bloom.ts";
import type { Log } from "./log.ts";

/** Of the protocol's own work (system-receipt.ts): in the range of EIP-2718 that no transaction of Ethereum has taken from below. */
export const SYSTEM_RECEIPT_TYPE = 0x7e;

export interface Receipt {
  readonly type: TransactionType | typeof SYSTEM_RECEIPT_TYPE;
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly cumulativeGasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  /** The contract that the transaction created. */
  readonly createdAddress: Address | undefined;
  /** What the call returned, or why it reverted. Not part of the encoding. */
  readonly output: Uint8Array;
}

export function receiptBloom(receipt: Receipt): Bloom {
  return bloomOfLogs(receipt.logs);
}

/** The consensus encoding, whose ordered trie root is the header's receiptsRoot. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const body = encodeRlp([
    rlpOfInteger(receipt.succeeded ? 1n : 0n),
    rlpOfInteger(receipt.cumulativeGasUsed),
    receiptBloom(receipt),
    encodeLogs(receipt.logs),
  ]);
  return receipt.type === 0 ? body : concatBytes(new Uint8Array([receipt.type]), body);
}

/** Logs as an RLP item: the form that receipts hold and that state tests hash. */
export function encodeLogs(logs: readonly Log[]): [Uint8Array, Uint8Array[], Uint8Array][] {
  return logs.map((log) => [hexToBytes(log.address), log.topics.map(hexToBytes), log.data]);
}
