import { expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { MAX_RECOVERED_BYTES } from "../../../chain/runtime/limits.ts";
import { type HashedTransaction, SenderCache } from "../../../chain/runtime/sender-cache.ts";
import { type RecoveryResult, SenderPool } from "../../../chain/senders/sender-pool.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { ALICE, SingleNode } from "./support/single-node.ts";

const fixture = new SingleNode();
fixture.remove();
const raws = [0n, 1n, 2n].map((nonce) => fixture.sign(ALICE, { nonce }));

function hashed(some: readonly Uint8Array[]): readonly HashedTransaction[] {
  return some.map((raw) => ({ raw, hash: bytesToHex(keccak256(raw)) }));
}

function counted(): { readonly cache: SenderCache; readonly asked: Uint8Array[]; readonly pool: SenderPool } {
  const pool = new SenderPool({ workers: 1 });
  const asked: Uint8Array[] = [];
  const cache = new SenderCache((some, claims) => {
    asked.push(...some);
    return pool.recover(some, claims);
  });
  return { cache, asked, pool };
}

it("recovers what is asked for twice at one time, and later again, once", async () => {
  const { cache, asked, pool } = counted();
  const [first, second] = await Promise.all([cache.recover(hashed(raws)), cache.recover(hashed([...raws].reverse()))]);
  expect(second).toEqual([...first].reverse());
  expect(await cache.recover(hashed(raws.slice(1)))).toEqual(first.slice(1));
  expect(asked).toEqual(raws);
  for (const result of first) expect(result).toMatchObject({ sender: ALICE.address });
  await pool.close();
});

it("answers for bad ones in their place, and asks again after a fault of ours", async () => {
  const { cache, pool } = counted();
  const results = await cache.recover(hashed([new Uint8Array([0xc0]), ...raws.slice(0, 1)]));
  expect(results[0]).toMatchObject({ code: "TX_MALFORMED" });
  expect(results[1]).toMatchObject({ sender: ALICE.address });
  await pool.close();
  let isBroken = true;
  const fragile = new SenderCache(async (some) => {
    if (isBroken) throw new Error("out of order");
    return some.map(() => results[1] as (typeof results)[number]);
  });
  await expect(fragile.recover(hashed(raws))).rejects.toThrow("out of order");
  isBroken = false;
  expect(await fragile.recover(hashed(raws))).toHaveLength(3);
});

it("takes the word of another thread of ours, within its bound", async () => {
  const { cache, asked, pool } = counted();
  for (const raw of raws) cache.know({ raw, hash: keccak256(raw), sender: ALICE.address });
  const [first] = await cache.recover(hashed(raws.slice(0, 1)));
  expect(first).toMatchObject({ sender: ALICE.address, transaction: { nonce: 0n } });
  expect(asked).toEqual([]);
  await pool.close();
});

it("keeps a transaction's own bytes, and not the message or block that it came in", async () => {
  const { cache, pool } = counted();
  const [raw] = raws as [Uint8Array];
  const message = new Uint8Array(1_000_000);
  message.set(raw, 500_000);
  const [result] = await cache.recover(hashed([message.subarray(500_000, 500_000 + raw.length)]));
  if (result === undefined || result instanceof CodedError) throw new Error("a good transaction");
  expect(result.transaction.raw).toEqual(raw);
  expect(result.transaction.raw.buffer.byteLength).toBe(raw.length);
  expect(result.transaction.data.buffer.byteLength).toBeLessThanOrEqual(raw.length);
  await pool.close();
});

it("knows no more of large transactions than their bound in bytes allows, the oldest forgotten first", async () => {
  const entry: RecoveryResult = { transaction: decodeTransaction(raws[0] as Uint8Array), sender: ALICE.address };
  const cache = new SenderCache(async (some) => some.map(() => entry));
  const size = 131_072;
  const most = MAX_RECOVERED_BYTES / size;
  const hashes = Array.from({ length: most + 10 }, (_, index): Hex => `0x${index.toString(16).padStart(64, "0")}`);
  for (const hash of hashes) await cache.recover([{ raw: new Uint8Array(size), hash }]);
  expect(hashes.filter((hash) => cache.has(hash))).toEqual(hashes.slice(most / 2));
  // More at once than is kept: each has its answer all the same.
  const many = Array.from({ length: 2 * most }, (_, index): Hex => `0x${index.toString(16).padStart(64, "1")}`);
  const raw = new Uint8Array(size);
  expect(await cache.recover(many.map((hash) => ({ raw, hash })))).toHaveLength(many.length);
});
