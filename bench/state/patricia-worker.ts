/**
 * The peer's side of the state-root case, on a thread with a heap of its own: collecting a million nodes of the peer takes
 * seconds, which ours would pay for in part if they shared a heap.
 */
import { parentPort } from "node:worker_threads";
import type { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { equalBytes, hexToBytes } from "../../base/bytes.ts";
import { accountsAfter, accountsInOrder, someChanges } from "./large-state.ts";
import { builtAsInserted, type HashedAccount, patriciaOf, patriciaValue } from "./patricia-peer.ts";

export type PeerRequest =
  | { readonly kind: "load"; readonly count: number; readonly size: number }
  /** Makes the changes ready; not part of what is measured. */
  | { readonly kind: "prepare"; readonly seed: string }
  | { readonly kind: "run" }
  /** Whether the trie is the one that the accounts make when it is built anew. */
  | { readonly kind: "check" };

export interface PeerReply {
  readonly operations: number;
  readonly agreed: boolean;
}

/** An address, and an account already encoded. */
type Put = readonly [address: Uint8Array, value: Uint8Array];

class Peer {
  readonly #count: number;
  readonly #size: number;
  readonly #trie: MerklePatriciaTrie;
  readonly #seeds: string[] = [];
  #puts: readonly Put[] = [];

  constructor(count: number, size: number) {
    this.#count = count;
    this.#size = size;
    this.#trie = patriciaOf([...accountsInOrder(count)].flat());
  }

  prepare(seed: string): void {
    this.#seeds.push(seed);
    const { accounts } = someChanges(this.#count, this.#size, seed);
    this.#puts = Array.from(accounts, ([address, account]): Put => {
      if (account === undefined) throw new Error("accounts only change here");
      return [hexToBytes(address), patriciaValue(account)];
    });
  }

  async run(): Promise<number> {
    for (const [address, value] of this.#puts) await this.#trie.put(address, value);
    return this.#puts.length;
  }

  async check(): Promise<boolean> {
    const accounts: readonly HashedAccount[] = [...accountsAfter(this.#count, this.#size, this.#seeds)].flat();
    const isSame = equalBytes(this.#trie.root(), patriciaOf(accounts).root());
    return isSame && (await builtAsInserted(accounts.slice(0, 500)));
  }
}

let peer: Peer | undefined;

async function answer(request: PeerRequest): Promise<PeerReply> {
  if (request.kind === "load") peer = new Peer(request.count, request.size);
  if (peer === undefined) throw new Error("nothing is loaded");
  if (request.kind === "prepare") peer.prepare(request.seed);
  const operations = request.kind === "run" ? await peer.run() : 0;
  return { operations, agreed: request.kind !== "check" || (await peer.check()) };
}

parentPort?.on("message", async (request: PeerRequest) => {
  parentPort?.postMessage(await answer(request));
});
