/**
 * The state root after many changed accounts in a large state, in memory: from new accounts by address to the root.
 * Beside it the trie of @ethereumjs/mpt, set up as fast as it goes (see patricia-peer.ts), on the same accounts and the
 * same changes. Both keep their nodes as bytes and read them from there.
 */
import type { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { bigintToBytes, bytesToHex, equalBytes, hexToBytes } from "../../base/bytes.ts";
import type { Account } from "../../vm/state/account.ts";
import { keyOfAccount } from "../../vm/state/keys.ts";
import type { StateChanges } from "../../vm/state/reader.ts";
import { leafChanges } from "../../vm/state/state-version.ts";
import { TreeBuilder } from "../../vm/tree/bulk.ts";
import { type AccountLeaf, accountLeaves } from "../../vm/tree/leaf.ts";
import { decodePage, encodePage } from "../../vm/tree/page-codec.ts";
import type { NodeId, Page, PageSource, TreeHead } from "../../vm/tree/types.ts";
import { updateTree } from "../../vm/tree/update.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { accountsInOrder, someChanges } from "../state/large-state.ts";
import { builtAsInserted, type HashedAccount, patriciaOf, patriciaValue } from "../state/patricia-peer.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly accounts: number;
  readonly changes: number;
}

export const benchCase: BenchCase<Params> = {
  name: "state-root",
  description: "state root after 10,000 changed accounts in a state of 1,000,000, beside @ethereumjs/mpt",
  sizes: {
    smoke: { rounds: 1, accounts: 2_000, changes: 200 },
    full: { rounds: 5, accounts: 1_000_000, changes: 10_000 },
  },
  run,
};

async function run({ rounds, accounts: count, changes: size }: Params): Promise<BenchResult> {
  const accounts: readonly HashedAccount[] = [...accountsInOrder(count)]
    .flat()
    .map(({ key, account }) => ({ key, account }));
  const ours = new OurState(accounts);
  const peer = patriciaOf(accounts);
  const batches = Array.from({ length: rounds + 1 }, (_, round) => someChanges(count, size, `round ${round}`));
  let ourRound = 0;
  let peerRound = 0;
  let puts: readonly Put[] = [];
  const rates = await interleave(rounds, [
    { name: "ours", run: () => ours.apply(batches[ourRound++] as StateChanges) },
    {
      name: "peer",
      prepare: () => {
        puts = putsOf(batches[peerRound++] as StateChanges);
      },
      run: () => putAll(peer, puts),
    },
  ]);
  const changed = afterAll(accounts, batches);
  const agreed =
    equalBytes(ours.root, new OurState(changed).root) &&
    equalBytes(peer.root(), patriciaOf(changed).root()) &&
    (await builtAsInserted(changed.slice(0, 500)));
  return {
    measurements: [
      { name: "ours", value: (size * 1000) / rates.rate("ours"), unit: "ms per root" },
      { name: "@ethereumjs/mpt", value: (size * 1000) / rates.rate("peer"), unit: "ms per root" },
    ],
    comparisons: [{ name: "ours / @ethereumjs/mpt", ratio: rates.ratio("ours", "peer"), target: { atLeast: 10 } }],
    agreed,
  };
}

/** Our tree, its pages kept as the disk has them: decoded whenever they are read. */
class OurState implements PageSource {
  readonly #pages = new Map<number, Uint8Array>();
  #head: TreeHead;

  constructor(accounts: readonly HashedAccount[]) {
    const builder = new TreeBuilder((number, page) => this.#pages.set(number, encodePage(page)));
    for (let start = 0; start < accounts.length; start += LEAF_BATCH) {
      const batch = accounts.slice(start, start + LEAF_BATCH).map(leafOf);
      for (const [i, leaf] of accountLeaves(batch).entries()) builder.add((batch[i] as AccountLeaf).key, leaf);
    }
    this.#head = builder.finish();
  }

  page(number: number): Page {
    const bytes = this.#pages.get(number);
    if (bytes === undefined) throw new Error(`there is no page ${number}`);
    return decodePage(bytes);
  }

  apply(changes: StateChanges): number {
    const { head, written, removed } = updateTree(this.#head, this, leafChanges(changes));
    for (const [number, page] of written) this.#pages.set(number, encodePage(page));
    for (const number of removed) this.#pages.delete(number);
    this.#head = head;
    return changes.accounts.size;
  }

  get root(): NodeId {
    return this.#head.root;
  }
}

const LEAF_BATCH = 8_192;

function leafOf({ key, account }: HashedAccount): AccountLeaf {
  const { nonce, balance, codeHash } = account;
  return { key, nonce: bigintToBytes(nonce), balance: bigintToBytes(balance), codeHash: hexToBytes(codeHash) };
}

/** What the peer is given: an address, and an account already encoded. */
type Put = readonly [address: Uint8Array, value: Uint8Array];

function putsOf({ accounts }: StateChanges): Put[] {
  return Array.from(accounts, ([address, account]): Put => {
    if (account === undefined) throw new Error("accounts only change here");
    return [hexToBytes(address), patriciaValue(account)];
  });
}

async function putAll(trie: MerklePatriciaTrie, puts: readonly Put[]): Promise<number> {
  for (const [address, value] of puts) await trie.put(address, value);
  return puts.length;
}

/** The accounts after all batches. */
function afterAll(accounts: readonly HashedAccount[], batches: readonly StateChanges[]): HashedAccount[] {
  const changed = new Map<string, Account>();
  for (const batch of batches) {
    for (const [address, account] of batch.accounts) {
      if (account !== undefined) changed.set(bytesToHex(keyOfAccount(address)), account);
    }
  }
  return accounts.map(({ key, account }) => ({ key, account: changed.get(bytesToHex(key)) ?? account }));
}
