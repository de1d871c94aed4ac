import { bytesToHex } from "../../base/bytes.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { callRequest } from "../call-request.ts";
import { requireAccount } from "../development/accounts.ts";
import { fillTransaction } from "../fill-transaction.ts";
import { transactionJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ref } from "../result-schemas.ts";
import { DATA, objectOf } from "../schema.ts";

export const ethSignTransaction: RpcMethod = defineMethod({
  name: "eth_signTransaction",
  summary: "On a development chain: signs a transaction of an account of the test mnemonic, without sending it.",
  result: objectOf({ raw: DATA, tx: ref("Transaction") }),
  parameters: [callRequest],
  run: async (context, request) => {
    const { address, privateKey } = requireAccount(context.chain.spec, request.from);
    const raw = signTransaction(await fillTransaction(context, request), privateKey);
    return { raw: bytesToHex(raw), tx: transactionJson(decodeTransaction(raw), address, undefined) };
  },
});
