import { bytesToHex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { data } from "../parameters.ts";
import { HASH } from "../schema.ts";

export const web3Sha3: RpcMethod = defineMethod({
  name: "web3_sha3",
  summary: "keccak-256 of bytes.",
  result: HASH,
  parameters: [data],
  run: (_, bytes) => bytesToHex(keccak256(bytes)),
});
