import { bytesToHex } from "../../base/bytes.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { DATA, INTEGER, listOf, objectOf, TEXT } from "../schema.ts";

export const ogpuGetEvidence: RpcMethod = defineMethod({
  name: "ogpu_getEvidence",
  summary: "Offences that the node has seen: each two votes of one validator that exclude each other.",
  result: listOf(
    objectOf({ offence: TEXT, publicKey: DATA, epoch: INTEGER, view: INTEGER, first: DATA, second: DATA }),
  ),
  parameters: [],
  run: async ({ chain, wait }) => {
    const { evidence } = await wait(Promise.resolve(chain.status()));
    return evidence.map(({ offence, publicKey, epoch, view, first, second }) => ({
      ...{ offence, publicKey, epoch, view },
      first: bytesToHex(first),
      second: bytesToHex(second),
    }));
  },
});
