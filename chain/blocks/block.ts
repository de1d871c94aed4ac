/**
 * A block: header and transactions.
 *
 *   [header, [transaction, ...]]    RLP; the header is a byte string of its own RLP, each transaction a byte string
 *
 * Byte strings, also for legacy transactions, so that a block is cut into its parts without being understood.
 */
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpList } from "../../base/rlp.ts";
import { blockError, withRlpErrorsAs } from "./errors.ts";
import { type BlockHeader, decodeHeader, encodeHeader } from "./header.ts";
import { MAX_BLOCK_BYTES, MAX_BLOCK_TRANSACTIONS } from "./limits.ts";

export interface Block {
  readonly header: BlockHeader;
  /** Signed encodings; that they decode is checked when their senders are recovered. */
  readonly transactions: readonly Uint8Array[];
}

export function encodeBlock(block: Block): Uint8Array {
  return encodeRlp([encodeHeader(block.header), block.transactions]);
}

/** Throws BLOCK_MALFORMED, BLOCK_VERSION_UNKNOWN or BLOCK_TOO_LARGE. Transactions are views into `bytes`. */
export function decodeBlock(bytes: Uint8Array): Block {
  if (bytes.length > MAX_BLOCK_BYTES) {
    throw blockError("BLOCK_TOO_LARGE", `a block has at most ${MAX_BLOCK_BYTES} bytes`, { length: bytes.length });
  }
  return withRlpErrorsAs("BLOCK_MALFORMED", "a block", () => {
    const [header, transactions] = rlpList(decodeRlp(bytes), 2);
    return {
      header: decodeHeader(rlpBytes(header as RlpItem)),
      transactions: transactionsOf(rlpList(transactions as RlpItem)),
    };
  });
}

function transactionsOf(items: readonly RlpItem[]): Uint8Array[] {
  if (items.length > MAX_BLOCK_TRANSACTIONS) {
    throw blockError("BLOCK_TOO_LARGE", `a block has at most ${MAX_BLOCK_TRANSACTIONS} transactions`, {
      transactions: items.length,
    });
  }
  return items.map((item) => {
    const raw = rlpBytes(item);
    if (raw.length === 0) throw blockError("BLOCK_MALFORMED", "a block contains an empty transaction");
    return raw;
  });
}
