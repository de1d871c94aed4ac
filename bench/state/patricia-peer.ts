/**
 * @ethereumjs/mpt with a large state. Its nodes are made bottom-up from the sorted accounts by its own node classes,
 * because a million insertions take minutes; a small state is checked against insertions (`builtAsInserted`).
 *
 * Its best configuration, measured: keccak-256 by WebAssembly, a MapDB that keeps bytes, no node cache (every node is in
 * memory already), no checkpoints, no pruning.
 */
import { BranchMPTNode, ExtensionMPTNode, LeafMPTNode, MerklePatriciaTrie } from "@ethereumjs/mpt";
import { MapDB, ValueEncoding } from "@ethereumjs/util";
import { bigintToBytes, equalBytes, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { encodeRlp } from "../../base/rlp.ts";
import { EMPTY_PATRICIA_ROOT } from "../../vm/patricia-root.ts";
import type { Account } from "../../vm/state/account.ts";

export interface HashedAccount {
  /** keccak-256 of the address. */
  readonly key: Uint8Array;
  readonly account: Account;
}

export function patriciaValue({ nonce, balance, codeHash }: Account): Uint8Array {
  return encodeRlp([bigintToBytes(nonce), bigintToBytes(balance), EMPTY_PATRICIA_ROOT, hexToBytes(codeHash)]);
}

function nibble(key: Uint8Array, index: number): number {
  const byte = key[index >> 1] as number;
  return index % 2 === 0 ? byte >> 4 : byte & 15;
}

function nibbles(key: Uint8Array, start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => nibble(key, start + i));
}

class Builder {
  readonly #accounts: readonly HashedAccount[];
  readonly #nodes: Map<string, Uint8Array>;

  constructor(accounts: readonly HashedAccount[], nodes: Map<string, Uint8Array>) {
    this.#accounts = accounts;
    this.#nodes = nodes;
  }

  /** The hash of the node for the accounts [start, end), whose keys share `depth` nibbles. */
  build(start: number, end: number, depth: number): Uint8Array {
    const first = this.#accounts[start] as HashedAccount;
    if (end - start === 1) {
      return this.#store(new LeafMPTNode(nibbles(first.key, depth, 64), patriciaValue(first.account)).serialize());
    }
    const last = this.#accounts[end - 1] as HashedAccount;
    let split = depth;
    while (nibble(first.key, split) === nibble(last.key, split)) split++;
    const branch = new BranchMPTNode();
    for (let from = start, to = start; from < end; from = to) {
      const digit = nibble((this.#accounts[from] as HashedAccount).key, split);
      while (to < end && nibble((this.#accounts[to] as HashedAccount).key, split) === digit) to++;
      branch.setBranch(digit, this.build(from, to, split + 1));
    }
    const hash = this.#store(branch.serialize());
    if (split === depth) return hash;
    return this.#store(new ExtensionMPTNode(nibbles(first.key, depth, split), hash).serialize());
  }

  /** All nodes are longer than a hash, because accounts are: none is embedded in its parent. */
  #store(encoded: Uint8Array): Uint8Array {
    const hash = keccak256(encoded);
    this.#nodes.set(Buffer.from(hash).toString("hex"), encoded);
    return hash;
  }
}

/** A trie with these accounts; they come in the order of their keys. */
export function patriciaOf(accounts: readonly HashedAccount[]): MerklePatriciaTrie {
  const nodes = new Map<string, Uint8Array>();
  const root = accounts.length === 0 ? undefined : new Builder(accounts, nodes).build(0, accounts.length, 0);
  return emptyTrie(new MapDB(nodes), root);
}

function emptyTrie(db: MapDB<string, Uint8Array>, root?: Uint8Array): MerklePatriciaTrie {
  return new MerklePatriciaTrie({
    db,
    ...(root !== undefined && { root }),
    useKeyHashing: true,
    useKeyHashingFunction: keccak256,
    valueEncoding: ValueEncoding.Bytes,
  });
}

/** Whether building bottom-up gives what insertions give. Keys are already hashed. */
export async function builtAsInserted(accounts: readonly HashedAccount[]): Promise<boolean> {
  const inserted = emptyTrie(new MapDB());
  for (const { key, account } of accounts) await inserted.put(key, patriciaValue(account), true);
  return equalBytes(inserted.root(), patriciaOf(accounts).root());
}
