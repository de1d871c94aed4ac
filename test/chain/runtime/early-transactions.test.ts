import { describe, expect, it } from "vitest";
import { EarlyTransactions } from "../../../chain/runtime/early-transactions.ts";
import {
  EARLY_MILLISECONDS,
  EARLY_SHARE,
  MAX_EARLY_BYTES,
  MAX_EARLY_TRANSACTIONS,
} from "../../../chain/runtime/limits.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import type { Address } from "../../../vm/state/account.ts";

const ALICE: Address = `0x${"a".repeat(40)}`;
const BOB: Address = `0x${"b".repeat(40)}`;

function entry(sender: Address, nonce: number, bytes = 100): RecoveredTransaction {
  return {
    sender,
    transaction: { nonce: BigInt(nonce), raw: new Uint8Array(bytes) },
  } as unknown as RecoveredTransaction;
}

function taken(early: EarlyTransactions, sender: Address, upTo: number, now = 0): readonly number[] {
  return early.take(sender, BigInt(upTo), now).map((one) => Number(one.entry.transaction.nonce));
}

describe("transactions that come too early", () => {
  it("come back in order of nonces, once, and as far as they are in reach", () => {
    const early = new EarlyTransactions();
    for (const nonce of [7, 5, 9, 6]) expect(early.hold(entry(ALICE, nonce), "peer", 0)).toBe(true);
    early.hold(entry(BOB, 6), "peer", 0);
    expect(taken(early, ALICE, 7)).toEqual([5, 6, 7]);
    expect(taken(early, ALICE, 7)).toEqual([]);
    expect([ALICE, BOB].map((sender) => early.has(sender))).toEqual([true, true]);
    expect(taken(early, ALICE, 9)).toEqual([9]);
    expect([ALICE, BOB].map((sender) => early.has(sender))).toEqual([false, true]);
    expect(early.size).toBe(1);
  });

  it("make way for others with the same nonce", () => {
    const early = new EarlyTransactions();
    early.hold(entry(ALICE, 1, 10), "peer", 0);
    early.hold(entry(ALICE, 1, 20), "peer", 0);
    expect(early.take(ALICE, 1n, 0).map((one) => one.entry.transaction.raw.length)).toEqual([20]);
    expect(early.size).toBe(0);
  });

  it("are gone after a while", () => {
    const early = new EarlyTransactions();
    early.hold(entry(ALICE, 1), "peer", 0);
    early.hold(entry(ALICE, 2), "peer", 1);
    expect(taken(early, ALICE, 2, EARLY_MILLISECONDS)).toEqual([2]);
    expect(early.size).toBe(0);
  });

  it("are bounded for one peer and for all, in number and in bytes", () => {
    const early = new EarlyTransactions();
    const fill = (peer: string, bytes: number): number => {
      let held = 0;
      while (early.hold(entry(ALICE, early.size, bytes), peer, 0)) held++;
      return held;
    };
    expect(fill("greedy", 1)).toBe(EARLY_SHARE * MAX_EARLY_TRANSACTIONS);
    expect(fill("other", 1)).toBe((1 - EARLY_SHARE) * MAX_EARLY_TRANSACTIONS);
    expect(fill("third", 1)).toBe(0);
    const large = new EarlyTransactions();
    const size = MAX_EARLY_BYTES / 4;
    expect([1, 2, 3, 4, 5].map((nonce) => large.hold(entry(ALICE, nonce, size), "peer", 0))).toEqual([
      ...[true, true, true, true],
      false,
    ]);
  });
});
