/** Counts the checks of signatures that nodes make, by any keys. */
import type { KeyMaker } from "./sim-crypto.ts";

export interface CheckCounter {
  single: number;
  aggregate: number;
  /** Public keys that were added up for the aggregates. */
  signers: number;
}

export type CheckCounts = Readonly<CheckCounter>;

export function countingKeys({ crypto, signer }: KeyMaker, counter: CheckCounter): KeyMaker {
  return {
    signer,
    crypto: {
      aggregate: (signatures) => crypto.aggregate(signatures),
      verify: (...check) => {
        counter.single++;
        return crypto.verify(...check);
      },
      verifyAggregate: (...check) => {
        counter.aggregate++;
        counter.signers += check[0].length;
        return crypto.verifyAggregate(...check);
      },
      verifyEach: (...check) => {
        counter.aggregate++;
        counter.signers += check[0].length;
        return crypto.verifyEach(...check);
      },
    },
  };
}

export function countsPerBlock({ single, aggregate, signers }: CheckCounts, nodesTimesBlocks: number): CheckCounts {
  const share = (count: number): number => Math.round((10 * count) / nodesTimesBlocks) / 10;
  return { single: share(single), aggregate: share(aggregate), signers: share(signers) };
}
