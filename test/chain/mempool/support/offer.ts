import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import type { RecoveredTransaction } from "../../../../vm/execution/execute-block.ts";
import type { Address } from "../../../../vm/state/account.ts";
import type { Transaction } from "../../../../vm/transaction/transaction.ts";

export interface Offer {
  readonly sender: number;
  readonly nonce: number;
  readonly maxFee?: number;
  readonly tip?: number;
  readonly gas?: number;
  readonly value?: number;
  readonly bytes?: number;
  readonly to?: number;
}

export function addressOf(sender: number): Address {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(16, sender);
  return bytesToHex(bytes);
}

/** A transaction as the pool sees it: recovered, checked, of any size. Equal offers are the same transaction. */
export function offered(offer: Offer): RecoveredTransaction {
  const { sender, nonce, maxFee = 100, tip = 10, gas = 21_000, value = 0, bytes = 100, to = 0 } = offer;
  const key = new TextEncoder().encode(JSON.stringify([sender, nonce, maxFee, tip, gas, value, bytes, to]));
  const transaction: Transaction = {
    type: 2,
    chainId: 1n,
    nonce: BigInt(nonce),
    maxFeePerGas: BigInt(maxFee),
    maxPriorityFeePerGas: BigInt(tip),
    gasLimit: BigInt(gas),
    to: addressOf(to),
    value: BigInt(value),
    data: new Uint8Array(0),
    accessList: [],
    yParity: 0,
    r: new Uint8Array(32),
    s: new Uint8Array(32),
    raw: new Uint8Array(bytes),
    hash: keccak256(key),
  };
  return { transaction, sender: addressOf(sender) };
}

export function hashOf({ transaction }: RecoveredTransaction): Hex {
  return bytesToHex(transaction.hash);
}

/** `sender:nonce` of each. */
export function named(entries: Iterable<RecoveredTransaction>): string[] {
  return [...entries].map(({ sender, transaction }) => `${Number(sender)}:${transaction.nonce}`);
}
