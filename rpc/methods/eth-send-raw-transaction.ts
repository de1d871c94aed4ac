import { bytesToHex } from "../../base/bytes.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { data } from "../parameters.ts";

export const ethSendRawTransaction: RpcMethod = defineMethod({
  name: "eth_sendRawTransaction",
  parameters: [data],
  run: async ({ chain, wait }, raw) => bytesToHex(await wait(chain.submit(raw))),
});
