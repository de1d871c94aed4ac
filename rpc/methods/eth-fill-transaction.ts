import { bytesToHex } from "../../base/bytes.ts";
import { encodeUnsigned } from "../../vm/transaction/transaction.ts";
import { callRequest } from "../call-request.ts";
import { fillTransaction } from "../fill-transaction.ts";
import { unsignedJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ANYTHING, DATA, objectOf } from "../schema.ts";

export const ethFillTransaction: RpcMethod = defineMethod({
  name: "eth_fillTransaction",
  summary: "A transaction with its nonce, gas and fees filled in, ready to be signed.",
  result: objectOf({ raw: DATA, tx: ANYTHING }),
  parameters: [callRequest],
  run: async (context, request) => {
    const filled = await fillTransaction(context, request);
    return { raw: bytesToHex(encodeUnsigned(filled)), tx: unsignedJson(filled) };
  },
});
