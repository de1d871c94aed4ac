import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { equalBytes } from "../../../base/bytes.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import type { StateChanges } from "../../../vm/state/reader.ts";
import { advanceState, type StateVersion } from "../../../vm/state/state-version.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { anyChanges, expectSameState, NaiveState } from "./support/naive-state.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

/** What holds of every kind of state that blocks are executed on. */
interface Subject {
  version(): StateVersion;
  apply(changes: StateChanges): Promise<void>;
  close(): Promise<void>;
}

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

function memorySubject(): Promise<Subject> {
  const reader = new MemoryState();
  const pages = new MemoryPages();
  let head = EMPTY_HEAD;
  const version = (): StateVersion => ({ reader, pages, head });
  return Promise.resolve({
    version,
    apply: (changes) => {
      const { treeUpdate } = advanceState(version(), changes);
      reader.apply(changes);
      pages.apply(treeUpdate);
      head = treeUpdate.head;
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
}

async function storeSubject(limits: object): Promise<Subject> {
  const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, limits });
  return {
    version: () => store.state(),
    apply: (changes) => store.commit(finalBlock(store.head, store.state(), changes), { sync: false }),
    close: () => store.close(),
  };
}

const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  "the state in memory": memorySubject,
  "the store": () => storeSubject({}),
  "the store with tiny caches": () => storeSubject({ cachedAccounts: 4, cachedSlots: 4, cachedPageBytes: 100 }),
};

describe.each(Object.keys(subjects))("%s", (name) => {
  const make = subjects[name] as () => Promise<Subject>;

  it("is empty at first", async () => {
    const subject = await make();
    expectSameState(subject.version().reader, new NaiveState());
    expect(subject.version().head.rootPage).toBe(0);
    await subject.close();
  });

  it("reads back what blocks changed, and its root is the root of everything", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyChanges, { minLength: 1, maxLength: 6 }), async (blocks) => {
        const subject = await make();
        const naive = new NaiveState();
        for (const changes of blocks) {
          await subject.apply(changes);
          naive.apply(changes);
          expectSameState(subject.version().reader, naive);
          expect(equalBytes(subject.version().head.root, naive.root())).toBe(true);
        }
        await subject.close();
      }),
      { numRuns: 15 },
    );
  });

  it("shows an overlay the changes of a block and leaves the parent as it was", async () => {
    await fc.assert(
      fc.asyncProperty(anyChanges, anyChanges, anyChanges, async (first, second, third) => {
        const subject = await make();
        await subject.apply(first);
        const naive = new NaiveState();
        naive.apply(first);
        const before = naive.copy();
        const one = advanceState(subject.version(), second).version;
        naive.apply(second);
        const two = advanceState(one, third).version;
        const between = naive.copy();
        naive.apply(third);
        expectSameState(two.reader, naive, false);
        expectSameState(one.reader, between, false);
        expectSameState(subject.version().reader, before);
        expect(equalBytes(two.head.root, naive.root())).toBe(true);
        await subject.close();
      }),
      { numRuns: 15 },
    );
  });
});
