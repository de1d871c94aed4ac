/** Proofs of our own state tree for accounts and slots. docs/spec/state-tree.md says how they are checked. */
import { bytesToHex, type Hex, padLeft } from "../base/bytes.ts";
import type { StoredHeader } from "../chain/store/block-records.ts";
import { DiskState } from "../chain/store/disk-state.ts";
import { type Account, type Address, EMPTY_ACCOUNT } from "../vm/state/account.ts";
import { keyOfAccount, keyOfSlot } from "../vm/state/keys.ts";
import { encodeProof } from "../vm/tree/proof.ts";
import { proveKey } from "../vm/tree/prove.ts";
import { type BlockReference, requireBlock } from "./block-reference.ts";
import type { ChainReads } from "./chain-view.ts";
import { REFUSED, RpcError } from "./rpc-error.ts";

export interface ProvenSlot {
  readonly slot: Hex;
  /** 32 bytes. */
  readonly value: Uint8Array;
  readonly proof: Hex;
}

export interface ProvenAccount {
  readonly block: StoredHeader;
  readonly account: Account;
  readonly proof: Hex;
  readonly slots: readonly ProvenSlot[];
}

/** Throws PROOF_NOT_KEPT, and STORE_NO_ARCHIVE: only the trees of the last few hundred blocks are there. */
export function proveAccount(
  chain: ChainReads,
  reference: BlockReference,
  address: Address,
  slots: readonly Hex[],
): ProvenAccount {
  const block = requireBlock(chain, reference);
  const state = chain.stateAt(Number(block.header.number));
  if (!(state instanceof DiskState)) {
    throw new RpcError(REFUSED, "proofs are there for the last few hundred blocks only", { code: "PROOF_NOT_KEPT" });
  }
  const prove = (key: Uint8Array): Hex => bytesToHex(encodeProof(proveKey(state.head, state, state, key)));
  return {
    block,
    account: state.account(address) ?? EMPTY_ACCOUNT,
    proof: prove(keyOfAccount(address)),
    slots: slots.map((slot) => ({
      slot,
      value: padLeft(state.storage(address, slot), 32),
      proof: prove(keyOfSlot(address, slot)),
    })),
  };
}
