import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { MAX_REPUBLISHED, REPUBLISH_INTERVAL } from "../../../chain/runtime/limits.ts";
import { OwnTransactions } from "../../../chain/runtime/own-transactions.ts";
import type { ClaimedTransaction } from "../../../chain/senders/claim.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import type { Address } from "../../../vm/state/account.ts";

const SENDER: Address = `0x0123456789abcdef${"00".repeat(12)}`;

function raw(number: number): Uint8Array {
  return new Uint8Array([number >> 8, number & 255]);
}

/** As it is told to others. */
function told(number: number): ClaimedTransaction {
  return { raw: raw(number), claim: 0x0123456789abcdefn };
}

function hashed(bytes: Uint8Array): { readonly hash: Hex } {
  return { hash: bytesToHex(keccak256(bytes)) };
}

/** A mempool in which exactly these wait. */
function holding(raws: readonly Uint8Array[]): { get(hash: Hex): RecoveredTransaction | undefined } {
  const entries = new Map(raws.map((bytes) => [hashed(bytes).hash, bytes]));
  return {
    get: (hash) => {
      const bytes = entries.get(hash);
      return bytes && ({ transaction: { raw: bytes }, sender: SENDER } as RecoveredTransaction);
    },
  };
}

describe("transactions of our own clients", () => {
  it("are told to others again after a while, and then after another", () => {
    const own = new OwnTransactions();
    const pool = holding([raw(1)]);
    own.add([hashed(raw(1))], 1_000);
    expect(own.takeDue(pool, 999 + REPUBLISH_INTERVAL)).toEqual([]);
    expect(own.takeDue(pool, 1_000 + REPUBLISH_INTERVAL)).toEqual([told(1)]);
    expect(own.takeDue(pool, 1_001 + REPUBLISH_INTERVAL)).toEqual([]);
    expect(own.takeDue(pool, 1_000 + 2 * REPUBLISH_INTERVAL)).toEqual([told(1)]);
  });

  it("are forgotten once they do not wait any more", () => {
    const own = new OwnTransactions();
    own.add([hashed(raw(1)), hashed(raw(2))], Number.NEGATIVE_INFINITY);
    expect(own.takeDue(holding([raw(2)]), 0)).toEqual([told(2)]);
    expect(own.takeDue(holding([raw(1), raw(2)]), REPUBLISH_INTERVAL)).toEqual([told(2)]);
  });

  it("are told a bounded number at a time, and all in the end", () => {
    const own = new OwnTransactions();
    const raws = Array.from({ length: MAX_REPUBLISHED + 3 }, (_, index) => raw(index));
    own.add(raws.map(hashed), Number.NEGATIVE_INFINITY);
    const pool = holding(raws);
    expect(own.takeDue(pool, 0)).toHaveLength(MAX_REPUBLISHED);
    expect(own.takeDue(pool, 1)).toEqual([0, 1, 2].map((index) => told(MAX_REPUBLISHED + index)));
  });
});
