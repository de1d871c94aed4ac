import { bytesToHex } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, optional } from "../parameters.ts";
import { stateOf } from "../state-of.ts";

export const ethGetCode: RpcMethod = defineMethod({
  name: "eth_getCode",
  parameters: [address, optional(blockReference, LATEST)],
  run: ({ chain }, account, block) => {
    const state = stateOf(chain, block);
    const codeHash = state.account(account)?.codeHash;
    return codeHash === undefined ? "0x" : bytesToHex(state.code(codeHash));
  },
});
