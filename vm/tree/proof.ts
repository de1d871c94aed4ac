/**
 * Proofs that a key has a certain leaf, or none: one path from the root. Checking needs nothing but SHA-256, so that
 * light clients do it in a browser; prove.ts makes the proofs.
 *
 * A path is walked by the bits of the key asked for. Every depth on the way is part of the hash above it, so there is
 * one walk, and the leaf at its end is the key's if the tree has the key. If it names another key, the tree does
 * not have this one.
 */
import { bigintToBytes, concatBytes, equalBytes, hexToBytes, padLeft } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Account } from "../state/account.ts";
import type { TreeErrorCode } from "./error-codes.ts";
import { bitAt, isTreeKey } from "./keys.ts";
import { EMPTY_ROOT, ID_BYTES, isLeafTag, KEY_BITS, leafTag, setTag } from "./node-id.ts";
import type { NodeId, TreeKey } from "./types.ts";

/** An inner node on the path: its depth, and the child that the path does not take. */
export interface ProofStep {
  readonly depth: number;
  readonly sibling: NodeId;
}

/** The two halves that a leaf is the hash of. */
export interface ProofLeaf {
  readonly tag: number;
  /** An account's key; of a slot, the SHA-256 of its key. */
  readonly name: Uint8Array;
  /** Of an account, the hash of its fields; of a slot, its value. 32 bytes. */
  readonly payload: Uint8Array;
}

export interface TreeProof {
  /** From the root down. */
  readonly steps: readonly ProofStep[];
  /** Where the path ends; `undefined` in the empty tree. */
  readonly leaf: ProofLeaf | undefined;
}

export function invalidProof(reason: string): never {
  throw new CodedError<TreeErrorCode>("PROOF_INVALID", `the proof is not valid: ${reason}`, { reason });
}

/** What leaves call a key: see `ProofLeaf.name`. */
export function leafName(key: TreeKey): Uint8Array {
  return leafTag(key.length) === leafTag(32) ? key : sha256(key);
}

/** The node id of the hash of two halves. */
export function hashNode(tag: number, left: Uint8Array, right: Uint8Array): NodeId {
  const id = sha256(concatBytes(left, right));
  setTag(id, tag);
  return id;
}

/** What an account's leaf commits to besides its key. */
export function accountPayload({ nonce, balance, codeHash }: Account): Uint8Array {
  const amounts = concatBytes(padLeft(bigintToBytes(nonce), 32), padLeft(bigintToBytes(balance), 32));
  return sha256(concatBytes(sha256(amounts), hexToBytes(codeHash)));
}

/** The leaf that the tree with this root has for the key, `undefined` when it has none. Throws PROOF_INVALID. */
export function verifyKey(root: NodeId, key: TreeKey, proof: TreeProof): { readonly leaf: NodeId | undefined } {
  const found = leafOnPath(root, key, proof);
  if (found === undefined) return { leaf: undefined };
  const isOurs = found.tag === leafTag(key.length) && equalBytes(found.name, leafName(key));
  return { leaf: isOurs ? hashNode(found.tag, found.name, found.payload) : undefined };
}

/** The leaf at the end of the key's path in the tree with this root. */
function leafOnPath(root: NodeId, key: TreeKey, { steps, leaf }: TreeProof): ProofLeaf | undefined {
  if (!isTreeKey(key)) invalidProof("there is no such key");
  if (leaf === undefined) {
    if (steps.length > 0 || !equalBytes(root, EMPTY_ROOT)) invalidProof("a path ends without a leaf");
    return undefined;
  }
  if (!isLeafTag(leaf.tag) || leaf.name.length !== 32 || leaf.payload.length !== 32)
    invalidProof("there is no such leaf");
  let id = hashNode(leaf.tag, leaf.name, leaf.payload);
  let below = KEY_BITS;
  for (let i = steps.length - 1; i >= 0; i--) {
    const { depth, sibling } = steps[i] as ProofStep;
    if (!Number.isInteger(depth) || depth < 0 || depth >= below) invalidProof("a path does not go down");
    if (sibling.length !== ID_BYTES) invalidProof("there is no such node");
    id = bitAt(key, depth) === 0 ? hashNode(depth, id, sibling) : hashNode(depth, sibling, id);
    below = depth;
  }
  if (!equalBytes(id, root)) invalidProof("the path does not lead to the root");
  return leaf;
}

/** Throws PROOF_INVALID unless the account is in the state as claimed; `undefined` claims that there is none. */
export function verifyAccount(root: NodeId, key: TreeKey, account: Account | undefined, proof: TreeProof): void {
  if (key.length !== 32) invalidProof("that is no account's key");
  check(root, key, account === undefined ? undefined : accountPayload(account), proof);
}

/** Throws PROOF_INVALID unless the slot has the value claimed: big-endian, shortest form, empty for zero. */
export function verifySlot(root: NodeId, key: TreeKey, value: Uint8Array, proof: TreeProof): void {
  if (key.length !== 64) invalidProof("that is no slot's key");
  if (value.length > 32 || value[0] === 0) invalidProof("that is no slot's value");
  check(root, key, value.length === 0 ? undefined : padLeft(value, 32), proof);
}

function check(root: NodeId, key: TreeKey, payload: Uint8Array | undefined, proof: TreeProof): void {
  const { leaf } = verifyKey(root, key, proof);
  const claimed = payload === undefined ? undefined : hashNode(leafTag(key.length), leafName(key), payload);
  if (leaf === undefined && claimed === undefined) return;
  if (leaf === undefined) invalidProof("the tree does not have the key");
  if (claimed === undefined) invalidProof("the tree has the key");
  if (!equalBytes(leaf, claimed)) invalidProof("the key has another value");
}

/** RLP: [[[depth, sibling]...], leaf], where leaf is [] or [tag, name, payload]. */
export function encodeProof({ steps, leaf }: TreeProof): Uint8Array {
  return encodeRlp([
    steps.map(({ depth, sibling }) => [rlpOfInteger(BigInt(depth)), sibling]),
    leaf === undefined ? [] : [rlpOfInteger(BigInt(leaf.tag)), leaf.name, leaf.payload],
  ]);
}

/** Throws PROOF_INVALID for everything that `encodeProof` does not write. */
export function decodeProof(bytes: Uint8Array): TreeProof {
  return decodedProof(() => {
    const [steps = [], leaf = []] = rlpList(decodeRlp(bytes), 2);
    return {
      steps: rlpList(steps).map(decodeStep),
      leaf: rlpList(leaf).length === 0 ? undefined : decodeLeaf(leaf),
    };
  });
}

function decodeStep(item: RlpItem): ProofStep {
  const [depth = [], sibling = []] = rlpList(item, 2);
  return { depth: Number(rlpInteger(depth, 2)), sibling: rlpBytes(sibling, ID_BYTES) };
}

function decodeLeaf(item: RlpItem): ProofLeaf {
  const [tag = [], name = [], payload = []] = rlpList(item, 3);
  return { tag: Number(rlpInteger(tag, 2)), name: rlpBytes(name, 32), payload: rlpBytes(payload, 32) };
}

/** A proof that is not even RLP is an invalid proof. */
export function decodedProof<Decoded>(decode: () => Decoded): Decoded {
  try {
    return decode();
  } catch (error) {
    if (isCoded(error, "RLP_INVALID")) invalidProof(error.message);
    throw error;
  }
}
