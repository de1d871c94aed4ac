import { callRequest } from "../call-request.ts";
import { requireAccount } from "../development/accounts.ts";
import { sendFrom } from "../development/send.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { HASH } from "../schema.ts";

export const ethSendTransaction: RpcMethod = defineMethod({
  name: "eth_sendTransaction",
  summary: "On a development chain: signs and sends a transaction of an account of the test mnemonic.",
  result: HASH,
  parameters: [callRequest],
  run: (context, request) => sendFrom(context, requireAccount(context.chain.spec, request.from), request),
});
