/**
 * Receipts of a block as they are stored: RLP of what cannot be computed from the rest.
 *
 *   [[type, succeeded, gas used, effective gas price, created address or empty, [[address, [topic...], data]...]]...]
 *
 * Blooms and cumulative gas follow from the list; the output of a call is not kept, as no Ethereum node keeps it.
 */
import { bytesToHex, EMPTY_BYTES, hexToBytes } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { Log } from "../../vm/receipt/log.ts";
import { encodeLogs, type Receipt, SYSTEM_RECEIPT_TYPE } from "../../vm/receipt/receipt.ts";
import { blockError, withRlpErrorsAs } from "./errors.ts";

export function encodeReceipts(receipts: readonly Receipt[]): Uint8Array {
  return encodeRlp(
    receipts.map((receipt) => [
      rlpOfInteger(BigInt(receipt.type)),
      rlpOfInteger(receipt.succeeded ? 1n : 0n),
      rlpOfInteger(receipt.gasUsed),
      rlpOfInteger(receipt.effectiveGasPrice),
      receipt.createdAddress === undefined ? EMPTY_BYTES : hexToBytes(receipt.createdAddress),
      encodeLogs(receipt.logs),
    ]),
  );
}

/** Throws RECEIPTS_MALFORMED. */
export function decodeReceipts(bytes: Uint8Array): Receipt[] {
  return withRlpErrorsAs("RECEIPTS_MALFORMED", "a list of receipts", () => {
    let cumulativeGasUsed = 0n;
    return rlpList(decodeRlp(bytes)).map((item) => {
      const receipt = decodeReceipt(rlpList(item, 6), cumulativeGasUsed);
      cumulativeGasUsed = receipt.cumulativeGasUsed;
      return receipt;
    });
  });
}

function decodeReceipt(fields: readonly RlpItem[], gasBefore: bigint): Receipt {
  const type = rlpInteger(fields[0] as RlpItem, 1);
  const status = rlpInteger(fields[1] as RlpItem, 1);
  if ((type > 2n && type !== BigInt(SYSTEM_RECEIPT_TYPE)) || status > 1n)
    throw blockError("RECEIPTS_MALFORMED", "a receipt has no such type or status", { type, status });
  const gasUsed = rlpInteger(fields[2] as RlpItem, 8);
  const created = rlpBytes(fields[4] as RlpItem);
  if (created.length !== 0 && created.length !== 20) {
    throw blockError("RECEIPTS_MALFORMED", `an address has 20 bytes, not ${created.length}`, {
      length: created.length,
    });
  }
  return {
    type: Number(type) as Receipt["type"],
    succeeded: status === 1n,
    gasUsed,
    cumulativeGasUsed: gasBefore + gasUsed,
    effectiveGasPrice: rlpInteger(fields[3] as RlpItem, 32),
    logs: rlpList(fields[5] as RlpItem).map(decodeLog),
    createdAddress: created.length === 0 ? undefined : bytesToHex(created),
    output: EMPTY_BYTES,
  };
}

function decodeLog(item: RlpItem): Log {
  const [address, topics, data] = rlpList(item, 3);
  const topicItems = rlpList(topics as RlpItem);
  if (topicItems.length > 4)
    throw blockError("RECEIPTS_MALFORMED", "a log has at most four topics", { topics: topicItems.length });
  return {
    address: bytesToHex(rlpBytes(address as RlpItem, 20)),
    topics: topicItems.map((topic) => bytesToHex(rlpBytes(topic, 32))),
    data: rlpBytes(data as RlpItem).slice(),
  };
}
