import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Tail, TailIndex } from "../../../chain/mempool/tail-index.ts";
import { effectiveTip, type Waiting } from "../../../chain/mempool/waiting.ts";
import { hashOf, offered } from "./support/offer.ts";

let sequence = 0;

function tailOf(sender: number, tip: number, more: number, isReady: boolean): Tail {
  const entry = offered({ sender, nonce: sequence, tip, maxFee: tip + more });
  const fees = { tip: BigInt(tip), maxFee: BigInt(tip + more), sequence: sequence++ };
  const place = { nonce: 0n, cost: 0n, bytes: 100, arrivedAt: 0, isDuty: false };
  const waiting: Waiting = { ...fees, ...place, entry, hash: hashOf(entry) };
  return { ...fees, waiting, rank: 0, isReady, places: [-1, -1] };
}

function sorted(tails: Iterable<Tail>, baseFee: bigint): Tail[] {
  return [...tails].sort((a, b) => {
    if (a.isReady !== b.isReady) return a.isReady ? 1 : -1;
    const difference = effectiveTip(a, baseFee) - effectiveTip(b, baseFee);
    return difference === 0n ? b.sequence - a.sequence : Number(difference);
  });
}

const change = fc.record({
  sender: fc.nat(40),
  tail: fc.option(fc.tuple(fc.nat(12), fc.nat(12), fc.boolean()), { freq: 4, nil: undefined }),
});

describe("TailIndex", () => {
  it("is in order, what is not ready first and then the worst effective tip, at any base fee", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 150 }), fc.array(fc.nat(25)), (changes, baseFees) => {
        const index = new TailIndex();
        const bySender = new Map<number, Tail>();
        for (const { sender, tail: offer } of changes) {
          const tail = offer === undefined ? undefined : tailOf(sender, ...offer);
          index.replace(bySender.get(sender), tail);
          if (tail === undefined) bySender.delete(sender);
          else bySender.set(sender, tail);
        }
        for (const baseFee of baseFees.map(BigInt)) {
          const [worst] = sorted(bySender.values(), baseFee);
          for (const worth of [-5n, 0n, 3n, 9n]) {
            const isWorst = worst === undefined || (worst.isReady && worth <= effectiveTip(worst, baseFee));
            expect(index.isWorst(worth, baseFee)).toBe(isWorst);
          }
          const walk = index.walk(baseFee);
          const all: Tail[] = [];
          for (let tail = walk.pop(); tail !== undefined; tail = walk.pop()) all.push(tail);
          expect(all.map((tail) => tail.sequence)).toEqual(
            sorted(bySender.values(), baseFee).map((tail) => tail.sequence),
          );
        }
      }),
    );
  });
});
