import { bytesToHex } from "../../base/bytes.ts";
import { findTransaction } from "../find-transaction.ts";
import { transactionJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";

export const ethGetTransactionByHash: RpcMethod = defineMethod({
  name: "eth_getTransactionByHash",
  parameters: [hash],
  run: ({ chain }, wanted) => {
    const found = findTransaction(chain, wanted);
    if (found !== undefined) return transactionJson(found.transaction, found.sender, found.place);
    const waiting = chain.waiting(bytesToHex(wanted));
    return waiting === undefined ? null : transactionJson(waiting.transaction, waiting.sender, undefined);
  },
});
