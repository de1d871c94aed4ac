/** Transactions and receipts of blocks, in the form of the RPC. */
import { bytesToHex, type Hex } from "../base/bytes.ts";
import { keccak256 } from "../base/keccak.ts";
import type { StoredHeader } from "../chain/store/block-records.ts";
import type { Receipt } from "../vm/receipt/receipt.ts";
import { systemReceiptHash } from "../vm/receipt/system-receipt.ts";
import type { Address } from "../vm/state/account.ts";
import { decodeTransaction, type Transaction } from "../vm/transaction/transaction.ts";
import type { WholeBlock } from "./block-reference.ts";
import type { ChainReads } from "./chain-view.ts";
import { type Place, receiptJson, transactionJson } from "./format.ts";

export interface FoundTransaction {
  readonly transaction: Transaction;
  readonly sender: Address;
  readonly place: Place;
}

/** A transaction that is in a block. */
export function findTransaction(chain: ChainReads, hash: Uint8Array): FoundTransaction | undefined {
  const location = chain.locate(hash);
  if (location === undefined) return undefined;
  const { number, index } = location;
  const block = chain.header(number);
  const body = chain.body(number);
  // The location is committed with the block, so all of it is there.
  return block === undefined || body === undefined ? undefined : transactionIn(chain, { block, body }, index);
}

/** What each transaction of a block paid for a unit of gas, if some did not pay the block's base fee. */
export function pricesOf(chain: Pick<ChainReads, "receipts">, { header }: StoredHeader): readonly bigint[] | undefined {
  if (header.extra.reservedGas === 0n) return undefined;
  return chain.receipts(Number(header.number))?.map(({ effectiveGasPrice }) => effectiveGasPrice);
}

function transactionIn(
  chain: Pick<ChainReads, "receipts">,
  { block, body }: WholeBlock,
  index: number,
): FoundTransaction | undefined {
  const raw = body.transactions[index];
  const sender = body.senders[index];
  if (raw === undefined || sender === undefined) return undefined;
  return {
    transaction: decodeTransaction(raw),
    sender,
    place: { block, index, paid: pricesOf(chain, block)?.[index] },
  };
}

/** The transaction at that place of a block, or null. */
export function transactionAt(chain: Pick<ChainReads, "receipts">, whole: WholeBlock, index: number): object | null {
  const found = transactionIn(chain, whole, index);
  return found === undefined ? null : transactionJson(found.transaction, found.sender, found.place);
}

export function receiptOf(chain: ChainReads, { transaction, sender, place }: FoundTransaction): object {
  const receipts = chain.receipts(Number(place.block.header.number)) ?? [];
  const logsBefore = receipts.slice(0, place.index).reduce((count, { logs }) => count + logs.length, 0);
  return receiptJson(receipts[place.index] as Receipt, transaction, sender, place, logsBefore);
}

/** Of the transactions: the protocol's own work has no sender, no gas and no transaction to belong to. */
export function receiptsOf(chain: ChainReads, whole: WholeBlock): readonly object[] {
  const { block, body } = whole;
  let logsBefore = 0;
  const shown: object[] = [];
  for (const [index, receipt] of (chain.receipts(Number(block.header.number)) ?? []).entries()) {
    const raw = body.transactions[index];
    const sender = body.senders[index];
    if (raw === undefined || sender === undefined) continue;
    shown.push(receiptJson(receipt, decodeTransaction(raw), sender, { block, index }, logsBefore));
    logsBefore += receipt.logs.length;
  }
  return shown;
}

/** Of encodings that are kept decoded anyway: whoever looks through logs asks for the same ones again and again. */
const HASHES = new WeakMap<Uint8Array, Hex>();

/** What the logs of a receipt go by: the hash of its transaction or, where there is none, of the protocol's own work. */
export function receiptHash(raw: Uint8Array | undefined, { hash }: StoredHeader): Hex {
  if (raw === undefined) return bytesToHex(systemReceiptHash(hash));
  let known = HASHES.get(raw);
  if (known === undefined) {
    known = bytesToHex(keccak256(raw));
    HASHES.set(raw, known);
  }
  return known;
}
