import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EMPTY_BYTES, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { encodeRlp, rlpOfInteger } from "../../../base/rlp.ts";
import { finish } from "../../../base/work.ts";
import { BUCKETS, metaKey, numberKey } from "../../../chain/store/buckets.ts";
import { Database } from "../../../chain/store/database.ts";
import { DEFAULT_LIMITS } from "../../../chain/store/limits.ts";
import { BloomGroups, type LogQuery, logBlocks, puttingLogIndex } from "../../../chain/store/log-index.ts";
import { bloomBits, bloomMayContainAny, bloomOfLogs } from "../../../vm/receipt/bloom.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const word = (byte: number): Hex => `0x${byte.toString(16).padStart(2, "0").repeat(32)}`;
const address = (byte: number): Hex => `0x${byte.toString(16).padStart(2, "0").repeat(20)}`;

function receiptOf(logs: readonly Log[]): Receipt {
  const gas = { gasUsed: 0n, cumulativeGasUsed: 0n, effectiveGasPrice: 0n };
  return { type: 2, succeeded: true, ...gas, logs, createdAddress: undefined, output: EMPTY_BYTES };
}

const folders = new TemporaryFolders();
let database: Database;
beforeEach(async () => {
  database = await Database.open(folders.next(), true, DEFAULT_LIMITS);
});
afterEach(async () => {
  await database.close();
  folders.remove();
});

async function commit(number: number, logs: readonly Log[]): Promise<void> {
  const batch = database.batch();
  finish(puttingLogIndex(database, batch, number, [receiptOf(logs)], bloomOfLogs(logs)));
  await batch.write(false);
}

function logBy(from: number, topic?: number): Log {
  return { address: address(from), topics: topic === undefined ? [] : [word(topic)], data: EMPTY_BYTES };
}

function query(first: number, last: number, rest: Partial<LogQuery> = {}): readonly number[] {
  const found = logBlocks(database, { first, last, addresses: undefined, topics: undefined, ...rest });
  return [...found].filter((number) => number !== undefined);
}

it("finds the blocks by address, by first topic, by both and by neither", async () => {
  await commit(0, []);
  await commit(1, [logBy(1, 10)]);
  await commit(2, [logBy(2, 10), logBy(1)]);
  await commit(3, []);
  await commit(4, [logBy(2, 11)]);
  expect(query(0, 4)).toEqual([1, 2, 4]);
  expect(query(0, 4, { addresses: [address(1)] })).toEqual([1, 2]);
  expect(query(0, 4, { topics: [word(10)] })).toEqual([1, 2]);
  expect(query(0, 4, { addresses: [address(2)], topics: [word(11), word(12)] })).toEqual([4]);
  expect(query(0, 4, { addresses: [address(3)] })).toEqual([]);
  expect(query(2, 3, { addresses: [address(1)] })).toEqual([2]);
});

it("agrees with looking at every block, over several sections", async () => {
  const picked = new Set<number>();
  for (let number = 1000; number < 3200; number++) {
    const isPicked = number % 97 === 0 || number === 1023 || number === 1024;
    if (isPicked) picked.add(number);
    await commit(number, isPicked ? [logBy(7, 7)] : [logBy(8, 8)]);
  }
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 3199 }), fc.nat({ max: 2500 }), (first, length) => {
      const last = Math.min(first + length, 3199);
      const expected = [...picked].filter((number) => number >= first && number <= last).sort((a, b) => a - b);
      expect(query(first, last, { addresses: [address(7)] })).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

it("names every block before the index began", async () => {
  await commit(5, [logBy(1)]);
  await commit(6, []);
  expect(query(3, 6, { addresses: [address(1)] })).toEqual([3, 4, 5]);
});

it("begins anew after blocks that somebody wrote without it", async () => {
  await commit(1, []);
  await commit(4, []);
  expect(query(1, 4, { addresses: [address(1)] })).toEqual([1, 2, 3]);
});

it("says all blocks of a database without an index", () => {
  expect(query(1, 3)).toEqual([1, 2, 3]);
});

it("passes over blocks whose filters have nothing of the further topics, also where groups end", async () => {
  const picked: number[] = [];
  for (let number = 1; number < 100; number++) {
    const isPicked = number % 15 === 0 || number === 16;
    if (isPicked) picked.push(number);
    const log = { ...logBy(7, 7), topics: [word(7), word(isPicked ? 20 : 21)] };
    await commit(number, number % 3 === 1 && !isPicked ? [] : [log]);
  }
  const bits = bloomBits([hexToBytes(word(20))]);
  const mayMatch = (blooms: Uint8Array, start: number): boolean => bloomMayContainAny(blooms, bits, start);
  expect(query(1, 99, { addresses: [address(7)], mayMatch })).toEqual(picked);
  expect(query(17, 99, { mayMatch })).toEqual(picked.filter((number) => number > 16));
  // Whoever wrote no filters may have logs of anything.
  const batch = database.batch();
  batch.put(metaKey("logIndex"), encodeRlp([rlpOfInteger(1n), rlpOfInteger(99n)]));
  await batch.write(false);
  expect(query(16, 31, { mayMatch })).toEqual([16, 17, 18, 20, 21, 23, 24, 26, 27, 29, 30]);
  await commit(100, [logBy(7, 7)]);
  expect(query(98, 100, { mayMatch })).toEqual([98, 99]);
});

it("sees what is added to filters that it has kept, whether it keeps them or not", async () => {
  const kept = new BloomGroups();
  const bits = bloomBits([hexToBytes(word(20))]);
  const mayMatch = (blooms: Uint8Array, start: number): boolean => bloomMayContainAny(blooms, bits, start);
  const picked: number[] = [];
  for (let number = 0; number < 40; number++) {
    const isPicked = number % 5 === 2;
    if (isPicked) picked.push(number);
    await commit(number, [{ ...logBy(7, 7), topics: [word(7), word(isPicked ? 20 : 21)] }]);
    const all: LogQuery = { first: 0, last: number, addresses: [address(7)], topics: undefined, mayMatch };
    expect([...logBlocks(database, all, kept)].filter((found) => found !== undefined)).toEqual(picked);
    expect(query(0, number, { mayMatch })).toEqual(picked);
  }
  // Whole groups come from memory: this is not read.
  const batch = database.batch();
  for (const group of [0, 1, 2]) batch.put(numberKey(BUCKETS.blooms, group), EMPTY_BYTES);
  await batch.write(false);
  const all: LogQuery = { first: 0, last: 39, addresses: undefined, topics: undefined, mayMatch };
  const found = [...logBlocks(database, all, kept)].filter((number) => number !== undefined);
  expect(found).toEqual(picked.filter((number) => number < 32));
});
