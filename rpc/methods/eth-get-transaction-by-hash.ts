import { findAnyTransaction } from "../find-any-transaction.ts";
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
  run: async (context, wanted) => {
    const found = await findAnyTransaction(context, wanted);
    return found === undefined ? null : transactionJson(found.transaction, found.sender, found.place);
  },
});
