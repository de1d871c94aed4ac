import { bytesToBigint, bytesToHex } from "../../base/bytes.ts";
import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { MAX_STORAGE_SLOTS } from "../limits.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, list, named, optional, slot } from "../parameters.ts";
import { ADDRESS, DATA, HASH, listOf, objectOf, QUANTITY } from "../schema.ts";
import { proveAccount } from "../state-proof.ts";

export const ethGetProof: RpcMethod = defineMethod({
  name: "eth_getProof",
  summary:
    "An account and some of its slots with proofs. The proofs are of our own tree, one item each; there is no storage hash.",
  result: objectOf({
    address: ADDRESS,
    accountProof: listOf(DATA),
    balance: QUANTITY,
    codeHash: HASH,
    nonce: QUANTITY,
    storageHash: HASH,
    storageProof: listOf(objectOf({ key: HASH, value: QUANTITY, proof: listOf(DATA) })),
  }),
  parameters: [address, named("slots", list(slot, MAX_STORAGE_SLOTS)), optional(blockReference, LATEST)],
  run: ({ chain }, account, slots, reference) => {
    const proven = proveAccount(chain, reference, account, slots);
    const { balance, nonce, codeHash } = proven.account;
    return {
      address: account,
      accountProof: [proven.proof],
      balance: quantityText(balance),
      codeHash,
      nonce: quantityText(nonce),
      // Slots are leaves of the one tree: there is no tree of an account's own to have a root.
      storageHash: bytesToHex(new Uint8Array(32)),
      storageProof: proven.slots.map(({ slot: key, value, proof }) => ({
        key,
        value: quantityText(bytesToBigint(value)),
        proof: [proof],
      })),
    };
  },
});
