/**
 * The receipt of the protocol's own work in a block: epochs that end, parameters that change, validators that are
 * jailed. It comes after those of the transactions, and only when there is something to tell. No transaction belongs to
 * it, so it goes by a hash made of the block's.
 */
import { concatBytes, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { Log } from "./log.ts";
import { type Receipt, SYSTEM_RECEIPT_TYPE } from "./receipt.ts";

const DOMAIN = utf8("OpenGPU/SYSTEM-RECEIPT");

export function systemReceipt(logs: readonly Log[], cumulativeGasUsed: bigint): Receipt {
  return {
    type: SYSTEM_RECEIPT_TYPE,
    succeeded: true,
    gasUsed: 0n,
    cumulativeGasUsed,
    effectiveGasPrice: 0n,
    logs,
    createdAddress: undefined,
    output: new Uint8Array(),
  };
}

/** What takes the place of a transaction's hash in the logs of that block's system receipt. */
export function systemReceiptHash(blockHash: Uint8Array): Uint8Array {
  return keccak256(concatBytes(DOMAIN, blockHash));
}
