import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { ADDRESSES, anyChanges, changesOf, expectSameState, NaiveState, SLOTS } from "./support/naive-state.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

/** So that almost nothing is answered by the versions that every store retains. */
const limits = { retainedVersions: 1, cachedAccounts: 8, cachedSlots: 8 };

describe("the archive", () => {
  it("gives at every height the state that a naive history has there, also after a restart", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyChanges, { minLength: 2, maxLength: 12 }), async (blocks) => {
        const folder = folders.next();
        let store = await ChainStore.open(folder, { chain: TEST_IDENTITY, archive: true, limits });
        const history: NaiveState[] = [];
        for (const changes of blocks) {
          await store.commit(finalBlock(store.head, store.state(), changes), { sync: false });
          const next = history.at(-1)?.copy() ?? new NaiveState();
          next.apply(changes);
          history.push(next);
        }
        for (const [number, naive] of history.entries()) expectSameState(store.stateAt(number), naive);
        await store.close();
        store = await ChainStore.open(folder, { limits });
        expect(store.isArchive).toBe(true);
        for (const [number, naive] of history.entries()) expectSameState(store.stateAt(number), naive);
        await store.close();
      }),
      { numRuns: 10 },
    );
  });

  it("finds every change of something that changed hundreds of times, across chunks of its index", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, archive: true, limits });
    const [hot, rare] = ADDRESSES as [`0x${string}`, `0x${string}`];
    const [slot] = SLOTS as [`0x${string}`];
    const blocks = 300;
    for (let number = 0; number < blocks; number++) {
      const value = BigInt(number % 50 === 49 ? 0 : number + 1);
      const accounts = [[hot, { nonce: BigInt(number), balance: 1n, code: 0 }]] as const;
      const others = number % 97 === 5 ? ([[rare, { nonce: BigInt(number), balance: 2n, code: 0 }]] as const) : [];
      const changes = changesOf([...accounts, ...others], [[hot, slot, value]]);
      await store.commit(finalBlock(store.head, store.state(), changes), { sync: false });
    }
    for (let number = 0; number < blocks; number++) {
      const state = store.stateAt(number);
      expect(state.account(hot)?.nonce).toBe(BigInt(number));
      expect(state.storage(hot, slot).length === 0).toBe(number % 50 === 49);
      expect(state.hasStorage(hot)).toBe(number % 50 !== 49);
      expect(state.account(rare)?.nonce).toBe(number < 5 ? undefined : BigInt(number - ((number - 5) % 97)));
    }
    await store.close();
  });

  it("answers for a height while later blocks are committed", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, archive: true, limits });
    const [address] = ADDRESSES as [`0x${string}`];
    const commit = (nonce: bigint): Promise<void> =>
      store.commit(finalBlock(store.head, store.state(), changesOf([[address, { nonce, balance: 0n, code: 0 }]])));
    await commit(1n);
    await commit(2n);
    const past = store.stateAt(0);
    for (let nonce = 3n; nonce < 20n; nonce++) {
      const durable = commit(nonce);
      expect(past.account(address)?.nonce).toBe(1n);
      await durable;
      expect(past.account(address)?.nonce).toBe(1n);
    }
    await store.close();
  });

  it("is refused with the flag that makes one, where there is none", async () => {
    const folder = folders.next();
    const store = await ChainStore.open(folder, { chain: TEST_IDENTITY, limits });
    for (const nonce of [1n, 2n]) {
      const changes = changesOf([[ADDRESSES[0] as `0x${string}`, { nonce, balance: 0n, code: 0 }]]);
      await store.commit(finalBlock(store.head, store.state(), changes));
    }
    expect(store.stateAt(1)).toBe(store.state().reader);
    expect(() => store.stateAt(0)).toThrow(expect.objectContaining({ code: "STORE_NO_ARCHIVE" }));
    expect(() => store.stateAt(0)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ hint: expect.stringContaining("--archive") }) }),
    );
    expect(() => store.stateAt(2)).toThrow(expect.objectContaining({ code: "STORE_NO_SUCH_BLOCK" }));
    await store.close();
    await expect(ChainStore.open(folder, { chain: TEST_IDENTITY, archive: true })).rejects.toMatchObject({
      code: "STORE_NO_ARCHIVE",
    });
  });
});
