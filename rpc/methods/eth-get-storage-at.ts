import { bytesToHex, padLeft } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { address, optional, slot } from "../parameters.ts";
import { HASH } from "../schema.ts";
import { stateOf } from "../state-of.ts";

export const ethGetStorageAt: RpcMethod = defineRead({
  name: "eth_getStorageAt",
  summary: "A slot of an account's storage.",
  result: HASH,
  parameters: [address, slot, optional(blockReference, LATEST)],
  run: ({ chain }, account, at, block) => bytesToHex(padLeft(stateOf(chain, block).storage(account, at), 32)),
});
