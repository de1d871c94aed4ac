import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emissionOfBlock, emissionUpTo, totalEmission } from "../../genesis/emission.ts";

const schedule = fc.record({
  initialPerBlock: fc.bigInt({ min: 0n, max: 1000n }),
  halvingBlocks: fc.bigInt({ min: 1n, max: 20n }),
});

describe("the emission schedule", () => {
  it("mints nothing in genesis and halves every so many blocks", () => {
    const halving = { initialPerBlock: 8n, halvingBlocks: 3n };
    const rewards = Array.from({ length: 14 }, (_, number) => emissionOfBlock(halving, BigInt(number)));
    expect(rewards).toEqual([0n, 8n, 8n, 8n, 4n, 4n, 4n, 2n, 2n, 2n, 1n, 1n, 1n, 0n]);
  });

  it("adds up: the sum over blocks is emissionUpTo, and never more than totalEmission", () => {
    fc.assert(
      fc.property(schedule, (emission) => {
        let sum = 0n;
        for (let number = 0n; number <= 250n; number++) {
          sum += emissionOfBlock(emission, number);
          expect(emissionUpTo(emission, number)).toBe(sum);
        }
        // 250 blocks are past the last of at most ten halvings of at most twenty blocks.
        expect(totalEmission(emission)).toBe(sum);
      }),
      { numRuns: 50 },
    );
  });
});
