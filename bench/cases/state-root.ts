/**
 * The state root after many changed accounts in a large state, in memory: from addresses and accounts to the root.
 * Beside it the trie of @ethereumjs/mpt, set up as fast as it goes (see patricia-peer.ts), on the same accounts and the
 * same changes. Both keep their nodes as bytes and read them from there, each in a heap of its own.
 */
import { bigintToBytes, equalBytes, hexToBytes } from "../../base/bytes.ts";
import type { AccountOfState } from "../../chain/store/state-leaves.ts";
import type { Account } from "../../vm/state/account.ts";
import type { StateChanges } from "../../vm/state/reader.ts";
import { TreeBuilder } from "../../vm/tree/bulk.ts";
import { accountKey } from "../../vm/tree/keys.ts";
import { type AccountLeaf, accountLeaves } from "../../vm/tree/leaf.ts";
import { decodePage, encodePage } from "../../vm/tree/page-codec.ts";
import type { NodeId, Page, PageSource, TreeHead } from "../../vm/tree/types.ts";
import { updateTree } from "../../vm/tree/update.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { accountsAfter, accountsInOrder, someChanges } from "../state/large-state.ts";
import { PatriciaThread } from "../state/patricia-thread.ts";

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
  const peer = new PatriciaThread();
  try {
    await peer.ask({ kind: "load", count, size });
    return await measure(peer, rounds, count, size);
  } finally {
    await peer.close();
  }
}

async function measure(peer: PatriciaThread, rounds: number, count: number, size: number): Promise<BenchResult> {
  const ours = new OurState(accountsInOrder(count));
  const seeds = Array.from({ length: rounds + 1 }, (_, round) => `round ${round}`);
  const [ourSeeds, peerSeeds] = [seeds.values(), seeds.values()];
  let puts: readonly Put[] = [];
  const rates = await interleave(rounds, [
    {
      name: "ours",
      prepare: () => {
        puts = putsOf(someChanges(count, size, ourSeeds.next().value ?? ""));
      },
      run: () => ours.apply(puts),
    },
    {
      name: "peer",
      prepare: async () => {
        await peer.ask({ kind: "prepare", seed: peerSeeds.next().value ?? "" });
      },
      run: async () => (await peer.ask({ kind: "run" })).operations,
    },
  ]);
  const isSame = equalBytes(ours.root, new OurState(accountsAfter(count, size, seeds)).root);
  const { agreed } = await peer.ask({ kind: "check" });
  return {
    measurements: [
      { name: "ours", value: (size * 1000) / rates.rate("ours"), unit: "ms per root" },
      { name: "@ethereumjs/mpt", value: (size * 1000) / rates.rate("peer"), unit: "ms per root" },
    ],
    comparisons: [{ name: "ours / @ethereumjs/mpt", ratio: rates.ratio("ours", "peer"), target: { atLeast: 10 } }],
    agreed: isSame && agreed,
  };
}

/** Our tree, its pages kept as the disk has them: decoded whenever they are read. */
class OurState implements PageSource {
  readonly #pages = new Map<number, Uint8Array>();
  #head: TreeHead;

  constructor(groups: Iterable<readonly AccountOfState[]>) {
    const builder = new TreeBuilder((number, page) => this.#pages.set(number, encodePage(page)));
    for (const group of groups) {
      const batch = group.map(leafOf);
      for (const [i, leaf] of accountLeaves(batch).entries()) builder.add((batch[i] as AccountLeaf).key, leaf);
    }
    this.#head = builder.finish();
  }

  page(number: number): Page {
    const bytes = this.#pages.get(number);
    if (bytes === undefined) throw new Error(`there is no page ${number}`);
    return decodePage(bytes);
  }

  apply(puts: readonly Put[]): number {
    const accounts = puts.map(({ address, nonce, balance, codeHash }) => ({
      key: accountKey(address),
      nonce,
      balance,
      codeHash,
    }));
    const changes = accountLeaves(accounts).map((leaf, i) => ({ key: (accounts[i] as AccountLeaf).key, leaf }));
    const { head, written, removed } = updateTree(this.#head, this, changes);
    for (const [number, page] of written) this.#pages.set(number, encodePage(page));
    for (const number of removed) this.#pages.delete(number);
    this.#head = head;
    return puts.length;
  }

  get root(): NodeId {
    return this.#head.root;
  }
}

function leafOf({ key, account }: AccountOfState): AccountLeaf {
  return { key, ...fieldsOf(account) };
}

function fieldsOf({ nonce, balance, codeHash }: Account): Omit<AccountLeaf, "key"> {
  return { nonce: bigintToBytes(nonce), balance: bigintToBytes(balance), codeHash: hexToBytes(codeHash) };
}

/** An address, and an account as bytes; the peer is given the same, as RLP. Both hash the address themselves. */
interface Put extends Omit<AccountLeaf, "key"> {
  readonly address: Uint8Array;
}

function putsOf({ accounts }: StateChanges): Put[] {
  return Array.from(accounts, ([address, account]): Put => {
    if (account === undefined) throw new Error("accounts only change here");
    return { address: hexToBytes(address), ...fieldsOf(account) };
  });
}
