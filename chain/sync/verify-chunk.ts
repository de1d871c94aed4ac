/** Whether a chunk is what was asked for: the proof binds its leaves, all of them, to the root of a certified block. */
import { bytesToHex, compareBytes, equalBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { ACCOUNT_KEY_BYTES, isTreeKey } from "../../vm/tree/keys.ts";
import { type AccountLeaf, accountLeaves, type SlotLeaf, slotLeaves } from "../../vm/tree/leaf.ts";
import { decodeRangeProof, verifyRange } from "../../vm/tree/range-proof.ts";
import type { Leaf } from "../../vm/tree/scan.ts";
import type { NodeId } from "../../vm/tree/types.ts";
import { accountFields } from "../store/account-record.ts";
import { invalid } from "./errors.ts";
import { decodeLeaves, type LeafRecord, MAX_LEAF_BYTES } from "./leaf-codec.ts";
import type { Chunk, GetChunk } from "./messages.ts";

export interface VerifiedChunk {
  readonly leaves: number;
  /** Of accounts with code, each once. */
  readonly codeHashes: readonly Hex[];
}

const NO_CODE = hexToBytes(EMPTY_CODE_HASH);

/** Throws SYNC_INVALID. */
export function verifyChunk(request: Omit<GetChunk, "id" | "type">, chunk: Omit<Chunk, "id" | "type">): VerifiedChunk {
  const { first, last, limit } = request;
  const { end, leaves } = chunk;
  if (!isTreeKey(end) || compareBytes(end, first) < 0 || compareBytes(end, last) > 0)
    throw invalid("a chunk ends outside of its range");
  if (leaves.length > limit) throw invalid("a chunk is longer than asked for");
  // Whoever sends one leaf at a time would keep a whole part for itself.
  if (!equalBytes(end, last) && leaves.length <= limit - MAX_LEAF_BYTES) throw invalid("a chunk ends too early");
  const records = decodeLeaves(leaves);
  const entries = entriesOf(records);
  try {
    verifyRange(hexToBytes(request.root), { first, last: end }, entries, decodeRangeProof(chunk.proof));
  } catch (error) {
    if (isCoded(error, "PROOF_INVALID")) throw invalid(`a chunk is not proven: ${error.message}`);
    throw error;
  }
  return { leaves: records.length, codeHashes: codeHashesOf(records) };
}

/** Leaves as the tree has them, hashed together. */
function entriesOf(records: readonly LeafRecord[]): Leaf[] {
  const accounts: AccountLeaf[] = [];
  const slots: SlotLeaf[] = [];
  for (const { key, value } of records) {
    if (key.length === ACCOUNT_KEY_BYTES) accounts.push(accountLeaf(key, value));
    else slots.push(slotLeaf(key, value));
  }
  const accountIds = accountLeaves(accounts);
  const slotIds = slotLeaves(slots);
  let account = 0;
  let slot = 0;
  return records.map(({ key }) => ({
    key,
    leaf: (key.length === ACCOUNT_KEY_BYTES ? accountIds[account++] : slotIds[slot++]) as NodeId,
  }));
}

function accountLeaf(key: Uint8Array, value: Uint8Array): AccountLeaf {
  const fields = accountFields(value);
  if (fields === undefined) throw invalid("a chunk has a malformed account");
  const { nonce, balance, codeHash } = fields;
  if (codeHash !== undefined && equalBytes(codeHash, NO_CODE)) throw invalid("an account has the hash of no code");
  return { key, nonce, balance, codeHash: codeHash ?? NO_CODE };
}

function slotLeaf(key: Uint8Array, value: Uint8Array): SlotLeaf {
  const isValue = value.length > 0 && value.length <= 32 && value[0] !== 0;
  if (!isValue || !isTreeKey(key)) throw invalid("a chunk has a malformed slot");
  return { key, value };
}

/** The hashes of all code that these leaves name, each once. */
export function codeHashesOf(records: readonly LeafRecord[]): Hex[] {
  const hashes = new Set<Hex>();
  for (const { key, value } of records) {
    if (key.length !== ACCOUNT_KEY_BYTES) continue;
    const codeHash = accountFields(value)?.codeHash;
    if (codeHash !== undefined) hashes.add(bytesToHex(codeHash));
  }
  return [...hashes];
}
