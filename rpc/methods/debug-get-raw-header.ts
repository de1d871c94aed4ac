import { bytesToHex } from "../../base/bytes.ts";
import { encodeHeader } from "../../chain/blocks/header.ts";
import { blockReference, requireBlock } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { DATA } from "../schema.ts";

export const debugGetRawHeader: RpcMethod = defineMethod({
  name: "debug_getRawHeader",
  summary: "A header as bytes: RLP, whose keccak-256 is the block's hash.",
  result: DATA,
  parameters: [blockReference],
  run: ({ chain }, reference) => bytesToHex(encodeHeader(requireBlock(chain, reference).header)),
});
