/**
 * What 10,000 changed accounts cost in states of different size, on disk: reading the accounts, the new state root, and
 * the synced commit. The database is opened afresh for each measurement, with the pages above the leaves' pages read
 * while opening, as they are in any node that has run for a minute; accounts and leaves are in no cache of ours.
 */
import { performance } from "node:perf_hooks";
import { ChainStore } from "../../chain/store/chain-store.ts";
import { advanceState } from "../../vm/state/state-version.ts";
import { readInnerPages } from "../../vm/tree/scan.ts";
import type { BenchCase, BenchResult, Measurement } from "../case.ts";
import { median } from "../interleave.ts";
import { withScratchFolder } from "../scratch.ts";
import { commitChanges, loadStore, someChanges } from "../state/large-state.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly changes: number;
  readonly small: number;
  readonly middle: number;
  readonly large: number;
}

export const benchCase: BenchCase<Params> = {
  name: "state-growth",
  description: "10,000 changed accounts in states of 100,000, 1,000,000 and 5,000,000, from disk to disk",
  sizes: {
    smoke: { rounds: 1, changes: 200, small: 1_000, middle: 2_000, large: 4_000 },
    full: { rounds: 7, changes: 10_000, small: 100_000, middle: 1_000_000, large: 5_000_000 },
  },
  run,
};

/** More than the largest state has. */
const INNER_PAGES = 100_000;

/** Milliseconds. */
interface Cost {
  readonly opening: number;
  readonly reading: number;
  readonly root: number;
  readonly commit: number;
}

function run(params: Params): Promise<BenchResult> {
  return withScratchFolder((folder) => measure(params, folder));
}

async function measure({ rounds, changes, small, middle, large }: Params, folder: string): Promise<BenchResult> {
  const sizes = [small, middle, large];
  for (const size of sizes) await loadStore(`${folder}/${size}`, size);
  const costs = new Map<number, Cost[]>(sizes.map((size) => [size, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const size of round % 2 === 0 ? sizes : [...sizes].reverse()) {
      const cost = await costOf(`${folder}/${size}`, size, changes, `round ${round}`);
      // The first round is for the compiler.
      if (round > 0) costs.get(size)?.push(cost);
    }
  }
  const of = (size: number): readonly Cost[] => costs.get(size) ?? [];
  const growth = (part: (cost: Cost) => number): number =>
    median(of(large).map((cost, i) => part(cost) / part(of(small)[i] as Cost)));
  return {
    measurements: sizes.flatMap((size) => measurementsOf(size, of(size))),
    comparisons: [
      { name: `all, ${count(large)} / ${count(small)}`, ratio: growth(total), target: { atMost: 2 } },
      { name: `root, ${count(large)} / ${count(small)}`, ratio: growth(({ root }) => root), target: { atMost: 4 } },
    ],
    agreed: undefined,
  };
}

function total({ reading, root, commit }: Cost): number {
  return reading + root + commit;
}

function count(size: number): string {
  return size.toLocaleString("en-US");
}

function measurementsOf(size: number, costs: readonly Cost[]): Measurement[] {
  const parts: readonly (readonly [string, (cost: Cost) => number])[] = [
    ["opening", ({ opening }) => opening],
    ["reading", ({ reading }) => reading],
    ["root", ({ root }) => root],
    ["commit", ({ commit }) => commit],
    ["reading, root and commit", total],
  ];
  return parts.map(([name, part]) => ({ name: `${count(size)}: ${name}`, value: median(costs.map(part)), unit: "ms" }));
}

async function costOf(folder: string, size: number, changed: number, seed: string): Promise<Cost> {
  const changes = someChanges(size, changed, seed);
  const beforeOpening = performance.now();
  const store = await ChainStore.open(folder);
  const parent = store.state();
  readInnerPages(parent.head, parent.pages, INNER_PAGES);
  const start = performance.now();
  for (const address of changes.accounts.keys()) parent.reader.account(address);
  const read = performance.now();
  const { version, treeUpdate } = advanceState(parent, changes);
  const hashed = performance.now();
  await commitChanges(store, changes, version, treeUpdate);
  const written = performance.now();
  await store.close();
  return { opening: start - beforeOpening, reading: read - start, root: hashed - read, commit: written - hashed };
}
