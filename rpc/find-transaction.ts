import type { Address } from "../vm/state/account.ts";
import { decodeTransaction, type Transaction } from "../vm/transaction/transaction.ts";
import type { ChainView } from "./chain-view.ts";
import type { Place } from "./format.ts";

export interface FoundTransaction {
  readonly transaction: Transaction;
  readonly sender: Address;
  readonly place: Place;
}

/** A transaction that is in a block. */
export function findTransaction(chain: ChainView, hash: Uint8Array): FoundTransaction | undefined {
  const location = chain.locate(hash);
  if (location === undefined) return undefined;
  const { number, index } = location;
  const block = chain.header(number);
  const body = chain.body(number);
  const raw = body?.transactions[index];
  const sender = body?.senders[index];
  // The location is committed with the block, so all of it is there.
  if (block === undefined || raw === undefined || sender === undefined) return undefined;
  return { transaction: decodeTransaction(raw), sender, place: { block, index } };
}
