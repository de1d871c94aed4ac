import { bytesToHex } from "../../base/bytes.ts";
import { findAnyTransaction } from "../find-any-transaction.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";
import { DATA } from "../schema.ts";

export const debugGetRawTransaction: RpcMethod = defineMethod({
  name: "debug_getRawTransaction",
  summary: "A signed transaction as bytes.",
  result: DATA,
  parameters: [hash],
  run: async (context, wanted) => {
    const found = await findAnyTransaction(context, wanted);
    return found === undefined ? "0x" : bytesToHex(found.transaction.raw);
  },
});
