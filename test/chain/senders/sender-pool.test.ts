import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bytesToHex, EMPTY_BYTES } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import type { PackedTransactions } from "../../../chain/senders/batch.ts";
import { claimOf, NO_CLAIM } from "../../../chain/senders/claim.ts";
import { SenderPool } from "../../../chain/senders/sender-pool.ts";
import type { Address } from "../../../vm/state/account.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";

const pools: SenderPool[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function pooled(pool: SenderPool): SenderPool {
  pools.push(pool);
  return pool;
}

const KEYS = Array.from({ length: 5 }, (_, i) => keccak256(new Uint8Array([i])));
const ADDRESSES = KEYS.map((key) => bytesToHex(privateKeyToAddress(key)));

function signed(index: number): Uint8Array {
  return signTransaction(
    {
      type: (index % 3) as 0 | 1 | 2,
      chainId: index % 6 === 0 ? undefined : 5n,
      nonce: BigInt(index),
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: index % 3 === 2 ? 1n : 10n,
      gasLimit: 21_000n,
      to: ADDRESSES[0],
      value: BigInt(index),
      data: EMPTY_BYTES,
      accessList: [],
    },
    KEYS[index % KEYS.length] as Uint8Array,
  );
}

/** A worker's program for this test, in a file of its own. */
function workerOf(source: string): URL {
  const folder = mkdtempSync(join(tmpdir(), "ogpu-worker-"));
  folders.push(folder);
  const path = join(folder, "worker.mjs");
  writeFileSync(path, source);
  return pathToFileURL(path);
}

const REAL_WORKER = new URL("../../../dist/chain/senders/sender-worker.js", import.meta.url).href;

describe("the pool that recovers senders", () => {
  it("gives every sender and transaction, in the order of the batch", async () => {
    const pool = pooled(new SenderPool({ workers: 2 }));
    for (const size of [0, 1, 2, 31, 300]) {
      const raws = Array.from({ length: size }, (_, i) => signed(i));
      const results = await pool.recover(raws);
      expect(results).toEqual(
        raws.map((raw, i) => ({ transaction: decodeTransaction(raw), sender: ADDRESSES[i % KEYS.length] })),
      );
    }
  });

  it("puts a coded error in the place of each bad transaction", async () => {
    const pool = pooled(new SenderPool({ workers: 1 }));
    const good = signed(2);
    const blob = new Uint8Array([3, 0xc0]);
    const cut = good.subarray(0, good.length - 1);
    const raws = [signed(1), blob, good, cut, EMPTY_BYTES, signed(4)];
    const results = await pool.recover(raws);
    const codes = results.map((result) => (result instanceof CodedError ? result.code : "good"));
    expect(codes).toEqual(["good", "TX_TYPE_UNSUPPORTED", "good", "TX_MALFORMED", "TX_MALFORMED", "good"]);
  });

  it("answers batches that overlap, each with its own", async () => {
    const pool = pooled(new SenderPool({ workers: 2 }));
    const batches = Array.from({ length: 8 }, (_, b) => Array.from({ length: 70 }, (_, i) => signed(b * 100 + i)));
    const answers = await Promise.all(batches.map((batch) => pool.recover(batch)));
    for (const [b, answer] of answers.entries()) {
      const senders = answer.map((result) => (result instanceof CodedError ? result.code : result.sender));
      expect(senders).toEqual(batches[b]?.map((_, i) => ADDRESSES[(b * 100 + i) % KEYS.length]));
    }
  });

  it("lets callers wait instead of queueing without bound", async () => {
    const pool = pooled(new SenderPool({ workers: 2, maxPending: 64 }));
    const raws = Array.from({ length: 50 }, (_, i) => signed(i));
    const finished: number[] = [];
    const all = Promise.all([0, 1, 2].map((b) => pool.recover(raws).then(() => finished.push(b))));
    expect(pool.pending).toBe(50);
    await all;
    expect(finished).toEqual([0, 1, 2]);
    expect(pool.pending).toBe(0);
  });

  it("lets no small batch pass a large one that waits", async () => {
    const pool = pooled(new SenderPool({ workers: 1, maxPending: 64 }));
    const batch = (size: number): Uint8Array[] => Array.from({ length: size }, (_, i) => signed(i));
    const finished: string[] = [];
    const recover = (name: string, size: number): Promise<unknown> =>
      pool.recover(batch(size)).then(() => finished.push(name));
    const all = [recover("first", 40), recover("large", 60), recover("small", 20)];
    // The small one has room beside the first, but the large one came before it.
    expect(pool.pending).toBe(40);
    await Promise.all(all);
    expect(finished).toEqual(["first", "large", "small"]);
  });

  it("survives a worker that dies: its piece goes to another", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ogpu-worker-"));
    folders.push(folder);
    // Dies on its first message, unless another already did.
    const workerUrl = workerOf(`
      import { existsSync, writeFileSync } from "node:fs";
      import { parentPort } from "node:worker_threads";
      const marker = ${JSON.stringify(join(folder, "died"))};
      if (existsSync(marker)) await import(${JSON.stringify(REAL_WORKER)});
      else parentPort.once("message", () => { writeFileSync(marker, ""); throw new Error("struck down"); });
    `);
    const pool = pooled(new SenderPool({ workers: 1, workerUrl }));
    const results = await pool.recover([signed(1), signed(2), signed(3)]);
    expect(results.map((result) => (result instanceof CodedError ? result.code : result.sender))).toEqual(
      ADDRESSES.slice(1, 4),
    );
  });

  it("gives up on a batch that kills two workers, says why, and goes on with others", async () => {
    const workerUrl = workerOf(`
      import { parentPort } from "node:worker_threads";
      parentPort.on("message", ({ ends }) => {
        if (ends.length > 2) throw new Error("too much for me");
        parentPort.postMessage(new Uint8Array(ends.length * 53).fill(0));
      });
    `);
    const pool = pooled(new SenderPool({ workers: 1, workerUrl }));
    await expect(pool.recover([signed(1), signed(2), signed(3)])).rejects.toMatchObject({
      code: "SENDERS_WORKER_DIED",
      data: { reason: "too much for me" },
    });
    expect(await pool.recover([signed(1), signed(2)])).toHaveLength(2);
  });

  it("rejects what is under way when it is closed, and everything afterwards", async () => {
    const pool = new SenderPool({ workers: 1 });
    const underWay = pool.recover(Array.from({ length: 200 }, (_, i) => signed(i)));
    const rejected = expect(underWay).rejects.toMatchObject({ code: "SENDERS_CLOSED" });
    await pool.close();
    await rejected;
    await expect(pool.recover([signed(1), signed(2)])).rejects.toMatchObject({ code: "SENDERS_CLOSED" });
  });
});

it("tells its threads who is said to have sent each, and gives them fewer and larger pieces then", async () => {
  const pieces: bigint[][] = [];
  const { postMessage } = Worker.prototype;
  const post = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, ...all) {
    // Copied: it is handed over.
    pieces.push([...(all[0] as PackedTransactions).claims]);
    postMessage.apply(this, all);
  });
  try {
    const pool = pooled(new SenderPool({ workers: 2 }));
    const raws = Array.from({ length: 100 }, (_, index) => signed(index));
    const claims = raws.map((_, index) => claimOf(ADDRESSES[index % 5] as Address));
    const plain = await pool.recover(raws);
    const nobody = raws.map(() => NO_CLAIM);
    expect(await pool.recover(raws, nobody)).toEqual(plain);
    expect(pieces.splice(0).length).toBeGreaterThan(3);
    expect(await pool.recover(raws, claims)).toEqual(plain);
    expect(pieces).toEqual([claims]);
  } finally {
    post.mockRestore();
  }
});
