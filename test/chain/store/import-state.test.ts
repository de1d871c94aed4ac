import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, compareBytes, EMPTY_BYTES, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import type { BlockHeader } from "../../../chain/blocks/header.ts";
import { auditStore } from "../../../chain/store/audit.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { type ImportItem, importState, type StateImport } from "../../../chain/store/import-state.ts";
import { stateLeaves } from "../../../chain/store/state-leaves.ts";
import { type Account, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { anyChanges, changesOf, expectSameState, NaiveState } from "./support/naive-state.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

/** Everything of a store's state as an import wants it. */
async function exported(store: ChainStore): Promise<ImportItem[]> {
  const items: ImportItem[] = [];
  for await (const group of stateLeaves(store)) {
    for (const leaf of group) {
      if (leaf.kind === "account" && leaf.account.codeHash !== EMPTY_CODE_HASH) {
        items.push({ kind: "code", code: store.state().reader.code(leaf.account.codeHash) });
      }
      items.push(leaf);
    }
  }
  return items;
}

function manyAccounts(count: number): ImportItem[] {
  return Array.from({ length: count }, (_, i): ImportItem => {
    const key = new Uint8Array(32);
    new DataView(key.buffer).setUint32(0, (i * 0x9e3779b1) >>> 0);
    const account: Account = { nonce: BigInt(i), balance: 1_000n, codeHash: EMPTY_CODE_HASH };
    return { kind: "account", key, account };
  }).sort((a, b) => compareBytes((a as { key: Uint8Array }).key, (b as { key: Uint8Array }).key));
}

describe("importing a state", () => {
  it("makes the same state as the blocks that made it, in which further blocks can be committed", async () => {
    await fc.assert(
      fc.asyncProperty(anyChanges, anyChanges, anyChanges, async (first, second, third) => {
        const source = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
        const naive = new NaiveState();
        for (const changes of [first, second]) {
          await source.commit(finalBlock(source.head, source.state(), changes));
          naive.apply(changes);
        }
        const target = await ChainStore.open(folders.next(), {
          chain: TEST_IDENTITY,
          limits: { importBatchLeaves: 3 },
        });
        const header = source.head?.header;
        await importState(target, { items: [await exported(source)], header: header as NonNullable<typeof header> });
        expect(target.head?.hash).toEqual(source.head?.hash);
        expectSameState(target.state().reader, naive);
        for (const store of [source, target]) await store.commit(finalBlock(store.head, store.state(), third));
        naive.apply(third);
        expectSameState(target.state().reader, naive);
        expect(target.head?.hash).toEqual(source.head?.hash);
        await Promise.all([source.close(), target.close()]);
      }),
      { numRuns: 10 },
    );
  });

  it("brings the seals and the headers below it, and no body of the block itself", async () => {
    const source = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    const certificate = new Uint8Array([1, 2, 3]);
    const nextValidators = [{ id: bytesToHex(new Uint8Array(48).fill(1)), stake: 5n }];
    for (const contents of [{}, { certificate, nextValidators }, { certificate }, { certificate }]) {
      await source.commit(finalBlock(source.head, source.state(), changesOf([]), contents));
    }
    const [, seal, below, last] = [0, 1, 2, 3].map((number) => source.header(number)?.header as BlockHeader);
    assert(seal !== undefined && below !== undefined && last !== undefined, "four blocks were committed");
    const items = [await exported(source)];
    const target = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    const others = [{ id: bytesToHex(new Uint8Array(48).fill(2)), stake: 5n }];
    const wrong: readonly Partial<StateImport>[] = [
      { nextValidators },
      { seals: [{ header: seal, certificate, nextValidators: others }] },
    ];
    for (const change of wrong) {
      await expect(importState(target, { items, header: last, ...change })).rejects.toThrow(
        expect.objectContaining({ code: "STORE_IMPORT_INVALID" }),
      );
    }
    const seals = [{ header: seal, certificate, nextValidators }];
    await importState(target, { items, header: last, certificate, ancestors: [below], seals });
    expect(target.seal(0)).toEqual({ number: 1, nextValidators });
    expect(target.certificate(1)).toEqual(certificate);
    expect(target.header(2)).toEqual(source.header(2));
    expect(target.blockHash(2n)).toEqual(source.blockHash(2n));
    expect(target.head?.hash).toEqual(source.head?.hash);
    expect(target.certificate(3)).toEqual(certificate);
    for (const number of [1, 2, 3]) expect(target.encodedBlock(number)).toBeUndefined();
    await Promise.all([source.close(), target.close()]);
  });

  it("builds a state of many batches whose pages and records an audit finds whole", async () => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY, limits: { importBatchLeaves: 500 } });
    const reported: number[] = [];
    await importState(store, {
      items: [manyAccounts(5_000)],
      header: (stateRoot) => ({ ...finalBlock(undefined, store.state(), changesOf([])).header, stateRoot }),
      onProgress: (leaves) => reported.push(leaves),
    });
    expect(reported).toEqual([500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000]);
    const { problems, accounts, pages } = await auditStore(store);
    // There is no token module in this state, so the balances have no declared origin.
    expect(problems.map(({ code }) => code)).toEqual(["AUDIT_SUPPLY_MISMATCH"]);
    expect(accounts).toBe(5_000);
    expect(pages).toBeGreaterThan(100);
    await store.close();
  });

  it("that did not finish is noticed, and starts over when done again", async () => {
    const folder = folders.next();
    const first = await ChainStore.open(folder, { chain: TEST_IDENTITY, limits: { importBatchLeaves: 10 } });
    const items = manyAccounts(100);
    const genesis = finalBlock(undefined, first.state(), changesOf([])).header;
    const interrupted = function* (): Generator<ImportItem[]> {
      yield items.slice(0, 50);
      throw new Error("the peer went away");
    };
    await expect(importState(first, { items: interrupted(), header: genesis })).rejects.toThrow("the peer went away");
    await first.close();
    await expect(ChainStore.open(folder)).rejects.toMatchObject({ code: "STORE_IMPORT_UNFINISHED" });
    const second = await ChainStore.open(folder, { forImport: true });
    // Another state than the first: nothing of that may be left.
    const others = items.slice(70);
    await importState(second, { items: [others], header: (stateRoot) => ({ ...genesis, stateRoot }) });
    expect((await auditStore(second)).accounts).toBe(30);
    await second.close();
    await (await ChainStore.open(folder)).close();
  });

  const key = (byte: number, length = 32): Uint8Array => new Uint8Array(length).fill(byte);
  const account = (byte: number, changes: Partial<Account> = {}): ImportItem => ({
    kind: "account",
    key: key(byte),
    account: { nonce: 1n, balance: 1n, codeHash: EMPTY_CODE_HASH, ...changes },
  });
  const refusals: Readonly<Record<string, readonly ImportItem[]>> = {
    "leaves out of order": [account(2), account(1)],
    "a leaf twice": [account(1), account(1)],
    "an empty account": [account(1, { nonce: 0n, balance: 0n })],
    "a balance that is too large": [account(1, { balance: 1n << 256n })],
    "code that is missing": [account(1, { codeHash: `0x${"ab".repeat(32)}` as Hex })],
    "a slot of zero": [{ kind: "slot", key: key(1, 64), value: EMPTY_BYTES }],
    "a slot with a leading zero": [{ kind: "slot", key: key(1, 64), value: hexToBytes("0x0001") }],
    "a key of the wrong length": [{ kind: "slot", key: key(1, 32), value: key(1) }],
    "a root that is not the header's": [account(1)],
  };

  it.each(Object.keys(refusals))("refuses %s", async (name) => {
    const store = await ChainStore.open(folders.next(), { chain: TEST_IDENTITY });
    const { header } = finalBlock(undefined, store.state(), changesOf([]));
    const items = [refusals[name] as readonly ImportItem[]];
    await expect(importState(store, { items, header })).rejects.toMatchObject({ code: "STORE_IMPORT_INVALID" });
    expect(store.head).toBeUndefined();
    await store.close();
  });
});
