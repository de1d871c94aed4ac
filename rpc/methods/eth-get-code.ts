import { bytesToHex } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { address, optional } from "../parameters.ts";
import { DATA } from "../schema.ts";
import { stateOf } from "../state-of.ts";

export const ethGetCode: RpcMethod = defineRead({
  name: "eth_getCode",
  summary: "The code of a contract.",
  result: DATA,
  parameters: [address, optional(blockReference, LATEST)],
  run: ({ chain }, account, block) => {
    const state = stateOf(chain, block);
    const codeHash = state.account(account)?.codeHash;
    return codeHash === undefined ? "0x" : bytesToHex(state.code(codeHash));
  },
});
