import { bytesToHex } from "../../base/bytes.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { data, named } from "../parameters.ts";
import { HASH } from "../schema.ts";

export const ethSendRawTransaction: RpcMethod = defineMethod({
  name: "eth_sendRawTransaction",
  summary: "Takes a signed transaction; answers once a kill of the node would not lose it.",
  result: HASH,
  parameters: [named("transaction", data)],
  run: async ({ chain, client, wait }, raw) => bytesToHex(await wait(chain.submit(raw, client.connection))),
});
