import { bytesToHex, padLeft } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, optional, slot } from "../parameters.ts";
import { stateOf } from "../state-of.ts";

export const ethGetStorageAt: RpcMethod = defineMethod({
  name: "eth_getStorageAt",
  parameters: [address, slot, optional(blockReference, LATEST)],
  run: ({ chain }, account, at, block) => bytesToHex(padLeft(stateOf(chain, block).storage(account, at), 32)),
});
