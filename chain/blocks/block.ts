/**
 * A block: header, transactions, and in a seal the next validators.
 *
 *   [header, [transaction, ...], [[public key, weight], ...]]
 *
 * RLP; the header is a byte string of its own RLP, each transaction a byte string. Byte strings, also for legacy
 * transactions, so that a block is cut into its parts without being understood.
 */
import { decodeRlp, encodeRlp, firstRlpBytes, type RlpItem, rlpBytes, rlpList } from "../../base/rlp.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { blockError, withRlpErrorsAs } from "./errors.ts";
import { type BlockHeader, decodeHeader, encodeHeader } from "./header.ts";
import { MAX_BLOCK_BYTES, MAX_BLOCK_ITEMS, MAX_BLOCK_TRANSACTIONS } from "./limits.ts";
import { validatorsItem, validatorsOfItem } from "./validators-codec.ts";

export interface BlockBody {
  /** Signed encodings; that they decode is checked when their senders are recovered. */
  readonly transactions: readonly Uint8Array[];
  /** In a seal only: as `nextValidatorsOf` gives them. */
  readonly nextValidators: readonly ValidatorStake[] | undefined;
}

export interface Block extends BlockBody {
  readonly header: BlockHeader;
}

export function encodeBlock({ header, transactions, nextValidators }: Block): Uint8Array {
  return joinBlock(encodeHeader(header), transactions, nextValidators);
}

/** A block of a header that is encoded already. */
export function joinBlock(
  header: Uint8Array,
  transactions: readonly Uint8Array[],
  nextValidators: readonly ValidatorStake[] | undefined,
): Uint8Array {
  return encodeRlp([header, transactions, validatorsItem(nextValidators)]);
}

/** A block cut into its parts, the header still as bytes. */
export interface BlockParts extends BlockBody {
  readonly header: Uint8Array;
}

/** Throws BLOCK_MALFORMED or BLOCK_TOO_LARGE. Header and transactions are views into `bytes`. */
export function splitBlock(bytes: Uint8Array): BlockParts {
  checkLength(bytes);
  return withRlpErrorsAs("BLOCK_MALFORMED", "a block", () => {
    const [header, transactions, nextValidators] = rlpList(decodeRlp(bytes, MAX_BLOCK_ITEMS), 3);
    return {
      header: rlpBytes(header as RlpItem),
      transactions: transactionsOf(rlpList(transactions as RlpItem)),
      nextValidators: validatorsOfItem(nextValidators as RlpItem),
    };
  });
}

/** The encoded header alone, whatever follows it. Throws BLOCK_MALFORMED or BLOCK_TOO_LARGE. */
export function headerOfBlock(bytes: Uint8Array): Uint8Array {
  checkLength(bytes);
  return withRlpErrorsAs("BLOCK_MALFORMED", "a block", () => firstRlpBytes(bytes));
}

function checkLength({ length }: Uint8Array): void {
  if (length <= MAX_BLOCK_BYTES) return;
  throw blockError("BLOCK_TOO_LARGE", `a block has at most ${MAX_BLOCK_BYTES} bytes`, { length });
}

/** Throws BLOCK_MALFORMED, BLOCK_VERSION_UNKNOWN or BLOCK_TOO_LARGE. Transactions are views into `bytes`. */
export function decodeBlock(bytes: Uint8Array): Block {
  const { header, ...body } = splitBlock(bytes);
  return { header: decodeHeader(header), ...body };
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
