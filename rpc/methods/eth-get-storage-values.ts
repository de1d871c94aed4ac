import { bytesToHex, padLeft } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { MAX_STORAGE_ACCOUNTS, MAX_STORAGE_SLOTS } from "../limits.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { address, list, named, optional, slot, table } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { HASH, listOf, mapOf } from "../schema.ts";
import { stateOf } from "../state-of.ts";

export const ethGetStorageValues: RpcMethod = defineRead({
  name: "eth_getStorageValues",
  summary: "Several slots of several accounts at one block.",
  result: mapOf(listOf(HASH)),
  parameters: [
    named("requests", table(address, list(slot, MAX_STORAGE_SLOTS), MAX_STORAGE_ACCOUNTS)),
    optional(blockReference, LATEST),
  ],
  run: ({ chain }, requests, block) => {
    const count = [...requests.values()].reduce((sum, slots) => sum + slots.length, 0);
    if (count === 0) throw invalidParams("parameter 1 (requests) names no slot");
    if (count > MAX_STORAGE_SLOTS) throw invalidParams(`parameter 1 (requests) has at most ${MAX_STORAGE_SLOTS} slots`);
    const state = stateOf(chain, block);
    const values = [...requests].map(([account, slots]) => [
      account,
      slots.map((at) => bytesToHex(padLeft(state.storage(account, at), 32))),
    ]);
    return Object.fromEntries(values);
  },
});
