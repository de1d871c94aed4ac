import { bytesToHex } from "../../base/bytes.ts";
import { findTransaction } from "../find-transaction.ts";
import { transactionJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { orNull } from "../schema.ts";

export const ethGetTransactionByHash: RpcMethod = defineMethod({
  name: "eth_getTransactionByHash",
  summary: "A transaction, also one that waits.",
  result: orNull(ref("Transaction")),
  parameters: [hash],
  run: async ({ chain, wait }, wanted) => {
    const found = findTransaction(chain, wanted);
    if (found !== undefined) return transactionJson(found.transaction, found.sender, found.place);
    const waiting = await wait(Promise.resolve(chain.waiting(bytesToHex(wanted))));
    return waiting === undefined ? null : transactionJson(waiting.transaction, waiting.sender, undefined);
  },
});
