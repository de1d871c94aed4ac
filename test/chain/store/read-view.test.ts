import { afterEach, describe, expect, it } from "vitest";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { ReadView } from "../../../chain/store/read-view.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { ADDRESSES, changesOf, SLOTS } from "./support/naive-state.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

const [ALICE] = ADDRESSES as [`0x${string}`];
const [SLOT] = SLOTS as [`0x${string}`];

async function commit(store: ChainStore, nonce: number): Promise<void> {
  const changes = changesOf([[ALICE, { nonce: BigInt(nonce), balance: 1n, code: 0 }]], [[ALICE, SLOT, BigInt(nonce)]]);
  await store.commit(finalBlock(store.head, store.state(), changes), { sync: false });
}

async function opened(archive: boolean, retainedVersions = 3): Promise<{ store: ChainStore; view: ReadView }> {
  const folder = folders.next();
  const store = await ChainStore.open(folder, { chain: TEST_IDENTITY, archive });
  await commit(store, 0);
  return { store, view: await ReadView.open(folder, { retainedVersions }) };
}

const nonceAt = (view: ReadView, number: number): bigint | undefined => view.stateAt(number).account(ALICE)?.nonce;

describe("a view of the database beside its writer", () => {
  it("shows one block until it looks for the next", async () => {
    const { store, view } = await opened(false);
    await commit(store, 1);
    expect([view.head.number, view.header(1), nonceAt(view, 0)]).toEqual([0, undefined, 0n]);
    expect(view.refresh()).toBe(true);
    expect([view.head.number, view.header(1)?.hash, nonceAt(view, 1)]).toEqual([1, store.head?.hash, 1n]);
    expect(view.refresh()).toBe(false);
    await view.close();
    await store.close();
  });

  it("forgets what it had read when a block may have changed it, and keeps earlier versions for a while", async () => {
    const { store, view } = await opened(false);
    const states = [view.stateAt(0)];
    for (let number = 1; number <= 4; number++) {
      expect(view.state().reader.account(ALICE)?.nonce).toBe(BigInt(number - 1));
      await commit(store, number);
      view.refresh();
      states.push(view.stateAt(number));
    }
    expect(states.slice(2).map((state) => state.account(ALICE)?.nonce)).toEqual([2n, 3n, 4n]);
    expect(view.state().reader.storage(ALICE, SLOT)).toEqual(new Uint8Array([4]));
    expect(view.oldestRecent).toBe(2);
    expect(() => view.stateAt(1)).toThrow(expect.objectContaining({ code: "STORE_NO_ARCHIVE" }));
    expect(() => view.stateAt(5)).toThrow(expect.objectContaining({ code: "STORE_NO_SUCH_BLOCK" }));
    await view.close();
    await store.close();
  });

  it("answers from the archive, also while it is behind the writer", async () => {
    const { store, view } = await opened(true, 1);
    for (let number = 1; number <= 5; number++) await commit(store, number);
    view.refresh();
    for (let number = 6; number <= 8; number++) await commit(store, number);
    expect([0, 1, 2, 3, 4, 5].map((number) => nonceAt(view, number))).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
    await view.close();
    await store.close();
  });

  it("leaves the writer's lock to the writer", async () => {
    const { store, view } = await opened(false);
    await view.close();
    await expect(ChainStore.open(store.database.directory)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await store.close();
    await (await ChainStore.open(store.database.directory)).close();
  });
});
