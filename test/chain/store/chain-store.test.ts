import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, EMPTY_BYTES } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { encodeRlp, rlpOfInteger } from "../../../base/rlp.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { decodeBlock } from "../../../chain/blocks/block.ts";
import { consensusBlockOf } from "../../../chain/blocks/consensus-block.ts";
import { BUCKETS, metaKey } from "../../../chain/store/buckets.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { SCHEMA_VERSION } from "../../../chain/store/meta.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { ADDRESSES, changesOf } from "./support/naive-state.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

const [ALICE, BOB] = ADDRESSES as [`0x${string}`, `0x${string}`];
const PRIVATE_KEY = keccak256(new Uint8Array([1]));

function transfer(nonce: bigint): RecoveredTransaction {
  const raw = signTransaction(
    {
      type: 2,
      chainId: 77n,
      nonce,
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: 1n,
      gasLimit: 21_000n,
      to: BOB,
      value: 5n,
      data: EMPTY_BYTES,
      accessList: [],
    },
    PRIVATE_KEY,
  );
  return { transaction: decodeTransaction(raw), sender: bytesToHex(privateKeyToAddress(PRIVATE_KEY)) };
}

function receipt(index: number): Receipt {
  return {
    type: 2,
    succeeded: index !== 1,
    gasUsed: 21_000n,
    cumulativeGasUsed: 21_000n * BigInt(index + 1),
    effectiveGasPrice: 7n,
    logs:
      index === 0
        ? [{ address: ALICE, topics: [bytesToHex(keccak256(EMPTY_BYTES))], data: new Uint8Array([1, 2]) }]
        : [],
    createdAddress: index === 2 ? BOB : undefined,
    output: EMPTY_BYTES,
  };
}

/** Genesis and one block with three transactions. */
async function filledStore(folder: string): Promise<ChainStore> {
  const store = await ChainStore.open(folder, { chain: TEST_IDENTITY });
  const genesis = changesOf([[ALICE, { nonce: 0n, balance: 100n, code: 1 }]], [[ALICE, `0x${"00".repeat(32)}`, 9n]]);
  await store.commit(finalBlock(undefined, store.state(), genesis));
  const changes = changesOf([[BOB, { nonce: 0n, balance: 15n, code: 0 }]]);
  const contents = {
    included: [0n, 1n, 2n].map(transfer),
    receipts: [0, 1, 2].map(receipt),
    certificate: new Uint8Array([1, 2, 3]),
  };
  await store.commit(finalBlock(store.head, store.state(), changes, contents));
  return store;
}

function refused(code: string): unknown {
  return expect.objectContaining({ code });
}

describe("the chain store", () => {
  it("gives back blocks, transactions, receipts and the state after a restart", async () => {
    const folder = folders.next();
    const before = await filledStore(folder);
    const head = before.head;
    await before.close();
    const store = await ChainStore.open(folder, { chain: TEST_IDENTITY });
    expect(store.head).toEqual(head);
    expect(store.state().head.root).toEqual(head?.header.stateRoot);
    expect(store.header(1)).toEqual({ header: head?.header, hash: head?.hash });
    expect(store.numberOf(head?.hash as Uint8Array)).toBe(1);
    const sent = [0n, 1n, 2n].map(transfer);
    expect(store.body(1)).toEqual({
      transactions: sent.map(({ transaction }) => transaction.raw),
      senders: sent.map(({ sender }) => sender),
      nextValidators: undefined,
    });
    expect(store.receipts(1)).toEqual([0, 1, 2].map(receipt));
    expect(store.certificate(1)).toEqual(new Uint8Array([1, 2, 3]));
    expect(store.certificate(0)).toBeUndefined();
    for (const [index, { transaction }] of sent.entries()) {
      expect(store.locate(transaction.hash)).toEqual({ number: 1, index });
    }
    expect(store.state().reader.account(ALICE)?.balance).toBe(100n);
    expect(store.blockHash(0n)).toEqual(head?.header.parentHash);
    await store.close();
  });

  it("gives back whole blocks as they were sent, genesis included", async () => {
    const store = await filledStore(folders.next());
    const transactions = [0n, 1n, 2n].map((nonce) => transfer(nonce).transaction.raw);
    for (const [number, sent] of [[], transactions].entries()) {
      const encoded = store.encodedBlock(number) ?? EMPTY_BYTES;
      expect(decodeBlock(encoded)).toEqual({
        header: store.header(number)?.header,
        transactions: sent,
        nextValidators: undefined,
      });
      expect(consensusBlockOf(encoded).hash).toBe(bytesToHex(store.header(number)?.hash ?? EMPTY_BYTES));
    }
    expect(store.encodedBlock(2)).toBeUndefined();
    await store.close();
  });

  it("keeps the validators that a seal names, with the block and by the epoch that it ended", async () => {
    const folder = folders.next();
    const before = await filledStore(folder);
    const nextValidators = [1, 2].map((byte) => ({
      id: bytesToHex(new Uint8Array(48).fill(byte)),
      stake: BigInt(byte) * 10n ** 20n,
    }));
    expect(before.seal(0)).toBeUndefined();
    await before.commit(finalBlock(before.head, before.state(), changesOf([]), { nextValidators }));
    await before.close();
    const store = await ChainStore.open(folder, { chain: TEST_IDENTITY });
    expect(store.seal(0)).toEqual({ number: 2, nextValidators });
    expect(store.seal(1)).toBeUndefined();
    expect(store.body(2)?.nextValidators).toEqual(nextValidators);
    expect(consensusBlockOf(store.encodedBlock(2) ?? EMPTY_BYTES).next).toEqual(nextValidators);
    await store.close();
  });

  it("knows nothing of blocks that are not there", async () => {
    const store = await filledStore(folders.next());
    expect(store.header(2)).toBeUndefined();
    expect(store.header(-1)).toBeUndefined();
    expect(store.body(2)).toBeUndefined();
    expect(store.receipts(2)).toBeUndefined();
    expect(store.numberOf(new Uint8Array(32))).toBeUndefined();
    expect(store.locate(new Uint8Array(32))).toBeUndefined();
    expect(store.blockHash(2n)).toBeUndefined();
    await store.close();
  });

  it("refuses a block that does not follow the last one", async () => {
    const store = await filledStore(folders.next());
    const again = finalBlock(undefined, store.state(), changesOf([]));
    await expect(store.commit(again)).rejects.toEqual(refused("STORE_NOT_NEXT"));
    await store.close();
  });

  it("refuses the data of another chain", async () => {
    const folder = folders.next();
    await (await filledStore(folder)).close();
    for (const chain of [
      { ...TEST_IDENTITY, chainId: 78n },
      { ...TEST_IDENTITY, genesisHash: new Uint8Array(32) },
    ]) {
      await expect(ChainStore.open(folder, { chain })).rejects.toEqual(refused("STORE_WRONG_CHAIN"));
    }
    const unasked = await ChainStore.open(folder);
    expect(unasked.identity).toEqual({ ...TEST_IDENTITY, archive: false });
    await unasked.close();
  });

  it("refuses a folder that is in use, and takes it once it is free", async () => {
    const folder = folders.next();
    const first = await filledStore(folder);
    await expect(ChainStore.open(folder)).rejects.toEqual(refused("STORE_LOCKED"));
    await first.close();
    await (await ChainStore.open(folder)).close();
  });

  it("refuses a database from a newer program", async () => {
    const folder = folders.next();
    const store = await filledStore(folder);
    const batch = store.database.batch();
    batch.put(metaKey("schema"), encodeRlp(rlpOfInteger(BigInt(SCHEMA_VERSION + 1))));
    await batch.write(true);
    await store.close();
    await expect(ChainStore.open(folder)).rejects.toEqual(refused("STORE_NEWER_SCHEMA"));
  });

  it("does not make a database where it was to find one, nor among files of others", async () => {
    await expect(ChainStore.open(folders.next())).rejects.toEqual(refused("STORE_MISSING"));
    const folder = folders.next();
    mkdirSync(folder);
    writeFileSync(join(folder, "holiday.jpg"), "");
    await expect(ChainStore.open(folder, { chain: TEST_IDENTITY })).rejects.toEqual(refused("STORE_FOREIGN_FILES"));
  });

  it("says that it is closed when it is used afterwards", async () => {
    const store = await filledStore(folders.next());
    const block = finalBlock(store.head, store.state(), changesOf([]));
    await store.close();
    expect(() => store.header(0)).toThrow(refused("STORE_CLOSED") as Error);
    await expect(store.commit(block)).rejects.toEqual(refused("STORE_CLOSED"));
    await expect(store.database.entries(BUCKETS.accounts).next()).rejects.toEqual(refused("STORE_CLOSED"));
  });

  it("keeps blocks committed without sync, once they are flushed", async () => {
    const folder = folders.next();
    const store = await filledStore(folder);
    await store.commit(finalBlock(store.head, store.state(), changesOf([])), { sync: false });
    await store.flush();
    await store.close();
    const again = await ChainStore.open(folder);
    expect(again.head?.number).toBe(2);
    await again.close();
  });
});
