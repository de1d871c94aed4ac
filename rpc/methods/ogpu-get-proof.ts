import { bytesToHex } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { MAX_STORAGE_SLOTS } from "../limits.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, list, named, optional, slot } from "../parameters.ts";
import { ADDRESS, DATA, HASH, listOf, objectOf, QUANTITY } from "../schema.ts";
import { proveAccount } from "../state-proof.ts";

export const ogpuGetProof: RpcMethod = defineMethod({
  name: "ogpu_getProof",
  summary: "An account and some of its slots with proofs against the state root of a block.",
  result: objectOf({
    blockNumber: QUANTITY,
    blockHash: HASH,
    stateRoot: HASH,
    address: ADDRESS,
    balance: QUANTITY,
    nonce: QUANTITY,
    codeHash: HASH,
    proof: DATA,
    slots: listOf(objectOf({ slot: HASH, value: HASH, proof: DATA })),
  }),
  parameters: [address, named("slots", list(slot, MAX_STORAGE_SLOTS)), optional(blockReference, LATEST)],
  run: ({ chain }, account, slots, reference) => {
    const proven = proveAccount(chain, reference, account, slots);
    const { header, hash } = proven.block;
    const { balance, nonce, codeHash } = proven.account;
    return {
      blockNumber: quantityText(header.number),
      blockHash: bytesToHex(hash),
      stateRoot: bytesToHex(header.stateRoot),
      address: account,
      balance: quantityText(balance),
      nonce: quantityText(nonce),
      codeHash,
      proof: proven.proof,
      slots: proven.slots.map(({ slot: name, value, proof }) => ({ slot: name, value: bytesToHex(value), proof })),
    };
  },
});
