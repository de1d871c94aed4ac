import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { PENDING_LIMITS, PendingTransactions } from "../../../chain/solo/pending.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { codeOf } from "../../base/support/code-of.ts";

const PLENTY = Number.MAX_SAFE_INTEGER;

interface Offer {
  readonly size?: number;
  readonly maxFee?: bigint;
  readonly tip?: bigint;
}

/** Only what the waiting room looks at. */
function entry(sender: number, nonce: number, salt = 0, offer: Offer = {}): RecoveredTransaction {
  const { size = 100, maxFee = 100n, tip = 10n } = offer;
  const hash = new Uint8Array([sender, nonce >> 8, nonce & 255, salt]);
  const fees = { maxFeePerGas: maxFee, maxPriorityFeePerGas: tip };
  const transaction = { nonce: BigInt(nonce), hash, raw: new Uint8Array(size), ...fees };
  return { transaction, sender: bytesToHex(new Uint8Array(20).fill(sender)) } as unknown as RecoveredTransaction;
}

function named(entries: readonly RecoveredTransaction[]): string[] {
  return entries.map(({ sender, transaction }) => `${Number(sender.slice(0, 4))}:${transaction.nonce}`);
}

describe("PendingTransactions", () => {
  it("gives senders turns in the order of arrival, and each sender's nonces in their order", () => {
    const pending = new PendingTransactions();
    for (const [sender, nonce] of [
      [1, 1],
      [2, 0],
      [1, 0],
      [1, 2],
      [2, 1],
    ] as const)
      pending.add(entry(sender, nonce), 0n);
    expect(named(pending.ready(PLENTY, PLENTY, () => 0n))).toEqual(["1:0", "2:0", "1:1", "1:2", "2:1"]);
  });

  it("holds what has a gap before it", () => {
    const pending = new PendingTransactions();
    for (const nonce of [0, 1, 3]) pending.add(entry(1, nonce), 0n);
    expect(named(pending.ready(PLENTY, PLENTY, () => 0n))).toEqual(["1:0", "1:1"]);
    pending.add(entry(1, 2), 0n);
    expect(pending.ready(PLENTY, PLENTY, () => 0n)).toHaveLength(4);
  });

  it("keeps within the number and the bytes of a block", () => {
    const pending = new PendingTransactions();
    for (const nonce of [0, 1, 2]) pending.add(entry(1, nonce), 0n);
    expect(pending.ready(2, PLENTY, () => 0n)).toHaveLength(2);
    expect(pending.ready(PLENTY, 299, () => 0n)).toHaveLength(2);
    expect(pending.ready(PLENTY, 300, () => 0n)).toHaveLength(3);
  });

  it("refuses the same transaction, a taken nonce, a nonce too far ahead, and more than it holds", () => {
    const pending = new PendingTransactions({ ...PENDING_LIMITS, transactions: 2, noncesAhead: 3 });
    pending.add(entry(1, 5), 5n);
    expect(codeOf(() => pending.add(entry(1, 5), 5n))).toBe("PENDING_KNOWN");
    expect(codeOf(() => pending.add(entry(1, 5, 1), 5n))).toBe("PENDING_NONCE_TAKEN");
    expect(codeOf(() => pending.add(entry(1, 8), 5n))).toBe("PENDING_NONCE_TOO_FAR");
    pending.add(entry(1, 7), 5n);
    expect(codeOf(() => pending.add(entry(2, 0), 0n))).toBe("PENDING_FULL");
  });

  it("holds no more bytes than it may, and has room again after a removal", () => {
    const pending = new PendingTransactions({ ...PENDING_LIMITS, bytes: 250 });
    pending.add(entry(1, 0), 0n);
    pending.add(entry(2, 0), 0n);
    expect(codeOf(() => pending.add(entry(3, 0), 0n))).toBe("PENDING_FULL");
    pending.add(entry(3, 0, 0, { size: 50 }), 0n);
    pending.remove(entry(1, 0));
    pending.add(entry(3, 1), 0n);
    expect(pending.size).toBe(3);
  });

  it("takes many nonces in a row, but few beyond one that is missing", () => {
    const pending = new PendingTransactions({ ...PENDING_LIMITS, noncesBeyondGap: 4 });
    for (let nonce = 0; nonce < 100; nonce++) pending.add(entry(1, nonce), 0n);
    for (const nonce of [101, 102, 103, 104]) pending.add(entry(1, nonce), 0n);
    expect(codeOf(() => pending.add(entry(1, 105), 0n))).toBe("PENDING_NONCE_TOO_FAR");
    pending.add(entry(1, 100), 0n);
    pending.add(entry(1, 109), 0n);
  });

  it.each([
    ["a tenth more of both fees", { maxFee: 110n, tip: 11n }, true],
    ["less than a tenth more of the fee", { maxFee: 109n, tip: 11n }, false],
    ["less than a tenth more of the tip", { maxFee: 110n, tip: 10n }, false],
  ])("with %s, replaces the transaction that waits with its nonce: %o %s", (_what, offer, isReplaced) => {
    const pending = new PendingTransactions({ ...PENDING_LIMITS, transactions: 1, bytes: 120 });
    const [old, other] = [entry(1, 0), entry(1, 0, 1, { ...offer, size: 120 })];
    pending.add(old, 0n);
    expect(codeOf(() => pending.add(other, 0n))).toBe(isReplaced ? undefined : "PENDING_NONCE_TAKEN");
    expect(pending.ready(PLENTY, PLENTY, () => 0n)).toEqual([isReplaced ? other : old]);
    expect(pending.get(bytesToHex(old.transaction.hash))).toBe(isReplaced ? undefined : old);
    expect(pending.size).toBe(1);
  });

  it("forgets a replacement when a block has used its nonce, but not when only the replaced one was dropped", () => {
    const pending = new PendingTransactions();
    const [old, other] = [entry(1, 0), entry(1, 0, 1, { maxFee: 200n, tip: 20n })];
    pending.add(old, 0n);
    pending.add(other, 0n);
    pending.remove(old);
    expect(pending.ready(PLENTY, PLENTY, () => 0n)).toEqual([other]);
    pending.removeNonce(old.sender, 0n);
    expect(pending.size).toBe(0);
    expect(pending.nextNonce(old.sender, 1n)).toBe(1n);
  });

  it("knows the next free nonce", () => {
    const pending = new PendingTransactions();
    for (const nonce of [4, 5, 7]) pending.add(entry(1, nonce), 4n);
    expect(pending.nextNonce(entry(1, 0).sender, 4n)).toBe(6n);
    expect(pending.nextNonce(entry(2, 0).sender, 9n)).toBe(9n);
  });

  it("is empty after everything that was ready has been removed, whatever the order of arrival", () => {
    const arrivals = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(9)), { selector: String });
    fc.assert(
      fc.property(arrivals, (all) => {
        const pending = new PendingTransactions();
        for (const [sender, nonce] of all) pending.add(entry(sender, nonce), 0n);
        const ready = pending.ready(PLENTY, PLENTY, () => 0n);
        for (const sender of [1, 2, 3]) {
          const nonces = new Set(all.filter(([other]) => other === sender).map(([, nonce]) => nonce));
          let expected = 0;
          while (nonces.has(expected)) expected++;
          const own = ready.filter((taken) => taken.sender === entry(sender, 0).sender);
          expect(own.map(({ transaction }) => Number(transaction.nonce))).toEqual(
            Array.from({ length: expected }, (_, i) => i),
          );
        }
        for (const taken of ready) pending.remove(taken);
        expect(pending.size).toBe(all.length - ready.length);
      }),
    );
  });
});
