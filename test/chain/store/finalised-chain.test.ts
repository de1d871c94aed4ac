import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { equalBytes } from "../../../base/bytes.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { FinalisedChain } from "../../../chain/store/finalised-chain.ts";
import type { StateVersion } from "../../../vm/state/state-version.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { ADDRESSES, anyChanges, changesOf, expectSameState, NaiveState } from "./support/naive-state.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

const nonceOne = changesOf([[ADDRESSES[0] as `0x${string}`, { nonce: 1n, balance: 5n, code: 0 }]]);

describe("the finalised chain", () => {
  it("shows each appended block at once, and older versions stay what they were while blocks reach the disk", async () => {
    const caches = [{}, { cachedAccounts: 4, cachedSlots: 4, cachedPageBytes: 100 }];
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyChanges, { minLength: 3, maxLength: 12 }),
        fc.constantFrom(...caches),
        async (blocks, limits) => {
          const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, limits });
          const chain = new FinalisedChain(store);
          const seen: { version: StateVersion; naive: NaiveState }[] = [];
          const durable: Promise<void>[] = [];
          let naive = new NaiveState();
          for (const changes of blocks) {
            await chain.room();
            durable.push(chain.append(finalBlock(chain.head, chain.state(), changes), { sync: false }));
            naive = naive.copy();
            naive.apply(changes);
            seen.push({ version: chain.state(), naive });
            expect(equalBytes(chain.state().head.root, naive.root())).toBe(true);
            for (const { version, naive: then } of seen) expectSameState(version.reader, then, false);
          }
          await Promise.all(durable);
          for (const { version, naive: then } of seen) expectSameState(version.reader, then, false);
          expectSameState(store.state().reader, naive);
          expect(store.head?.number).toBe(blocks.length - 1);
          await store.close();
        },
      ),
      { numRuns: 12 },
    );
  });

  it("lets at most so many blocks wait for the disk", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, limits: { blocksInFlight: 2 } });
    const chain = new FinalisedChain(store);
    const append = (): Promise<void> => chain.append(finalBlock(chain.head, chain.state(), nonceOne));
    const first = [append(), append()];
    await expect(append()).rejects.toMatchObject({ code: "STORE_NOT_NEXT" });
    await chain.room();
    const third = append();
    expect(chain.head?.number).toBe(2);
    await Promise.all([...first, third]);
    await chain.settled();
    expect(store.head?.number).toBe(2);
    await store.close();
  });

  it("knows the hashes of blocks on disk and in flight", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    const chain = new FinalisedChain(store);
    const hashes: Uint8Array[] = [];
    const append = (): Promise<void> => {
      const block = finalBlock(chain.head, chain.state(), nonceOne);
      hashes.push(block.hash);
      return chain.append(block);
    };
    await append();
    await append();
    const durable = append();
    expect([0n, 1n, 2n, 3n].map((number) => chain.blockHash(number))).toEqual([...hashes, undefined]);
    await durable;
    await store.close();
  });

  it("refuses a block that does not follow, and goes on with one that does", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    const chain = new FinalisedChain(store);
    const genesis = finalBlock(undefined, chain.state(), nonceOne);
    await chain.append(genesis);
    await expect(chain.append(genesis)).rejects.toMatchObject({ code: "STORE_NOT_NEXT" });
    const stranger = finalBlock(
      { number: 0, header: genesis.header, hash: new Uint8Array(32) },
      chain.state(),
      nonceOne,
    );
    await expect(chain.append(stranger)).rejects.toMatchObject({ code: "STORE_NOT_NEXT" });
    await chain.append(finalBlock(chain.head, chain.state(), nonceOne));
    expect(store.head?.number).toBe(1);
    await store.close();
  });

  it("gives up after a write that failed: everything after it is refused, what was durable stays", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    const chain = new FinalisedChain(store);
    await chain.append(finalBlock(chain.head, chain.state(), nonceOne));
    await store.database.close();
    const lost = chain.append(finalBlock(chain.head, chain.state(), nonceOne));
    const after = chain.append(finalBlock(chain.head, chain.state(), nonceOne));
    await expect(lost).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
    await expect(after).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
    await chain.room();
    await expect(chain.append(finalBlock(store.head, store.state(), nonceOne))).rejects.toMatchObject({
      code: expect.stringMatching(/^STORE_/),
    });
    expect(store.head?.number).toBe(0);
  });
});

describe("a version of the state", () => {
  it("expires with a coded error once many newer ones are final", async () => {
    const limits = { retainedVersions: 3, cachedAccounts: 2 };
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, limits });
    const old = store.state();
    for (let nonce = 1n; nonce < 6n; nonce++) {
      const draws = ADDRESSES.map((address) => [address, { nonce, balance: 1n, code: 0 }] as const);
      await store.commit(finalBlock(store.head, store.state(), changesOf(draws)));
    }
    expect(() => old.reader.account(ADDRESSES[0] as `0x${string}`)).toThrow(
      expect.objectContaining({ code: "STORE_STATE_EXPIRED" }),
    );
    await store.close();
  });

  it("stays readable while it is held, however many newer ones are final, and expires when it is released", async () => {
    const limits = { retainedVersions: 1, cachedAccounts: 2, cachedPageBytes: 100 };
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, limits });
    const chain = new FinalisedChain(store);
    const naive = new NaiveState();
    const changesTo = (nonce: bigint): ReturnType<typeof changesOf> =>
      changesOf(ADDRESSES.map((address) => [address, { nonce, balance: nonce, code: 0 }] as const));
    await chain.append(finalBlock(chain.head, chain.state(), changesTo(1n)));
    naive.apply(changesTo(1n));
    const { state, release } = chain.holdState();
    for (let nonce = 2n; nonce < 7n; nonce++) {
      await chain.append(finalBlock(chain.head, chain.state(), changesTo(nonce)));
      expectSameState(state.reader, naive);
    }
    release();
    expect(() => state.reader.account(ADDRESSES[0] as `0x${string}`)).toThrow(
      expect.objectContaining({ code: "STORE_STATE_EXPIRED" }),
    );
    await store.close();
  });
});
