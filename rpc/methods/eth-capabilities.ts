import { bytesToHex } from "../../base/bytes.ts";
import { DEFAULT_LIMITS } from "../../chain/store/limits.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { BOOLEAN, HASH, type JsonSchema, objectOf, QUANTITY } from "../schema.ts";

const RESOURCE: JsonSchema = objectOf(
  { disabled: BOOLEAN, oldestBlock: QUANTITY },
  { deleteStrategy: objectOf({ type: { const: "window" }, retentionBlocks: QUANTITY }) },
);

const RESULT: JsonSchema = objectOf({
  head: objectOf({ number: QUANTITY, hash: HASH }),
  ...{ state: RESOURCE, tx: RESOURCE, logs: RESOURCE, receipts: RESOURCE, blocks: RESOURCE, stateproofs: RESOURCE },
});

export const ethCapabilities: RpcMethod = defineMethod({
  name: "eth_capabilities",
  summary: "Which history the node has.",
  result: RESULT,
  parameters: [],
  run: ({ chain }) => {
    const { head, base, isArchive, oldestRecent } = chain;
    const first = quantityText(base === 0 ? 0 : base + 1);
    const history = { disabled: false, oldestBlock: first };
    const window = {
      disabled: false,
      oldestBlock: quantityText(oldestRecent),
      deleteStrategy: { type: "window", retentionBlocks: quantityText(DEFAULT_LIMITS.retainedVersions) },
    };
    return {
      head: { number: quantityText(head.header.number), hash: bytesToHex(head.hash) },
      state: isArchive ? { disabled: false, oldestBlock: quantityText(base) } : window,
      tx: history,
      logs: history,
      receipts: history,
      blocks: history,
      stateproofs: window,
    };
  },
});
