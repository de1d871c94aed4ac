import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GWEI, OGPU } from "../../base/units.ts";
import { amount, amountText } from "../../genesis/amount.ts";

const read = (text: string): unknown => amount().read(text, "$", () => {});

describe("amounts in documents", () => {
  it.each([
    ["1.5 oGPU", (3n * OGPU) / 2n],
    ["0.000000000000000001 oGPU", 1n],
    ["2 gwei", 2n * GWEI],
    ["7 wei", 7n],
    ["0 oGPU", 0n],
  ])("reads %s", (text, wei) => {
    expect(read(text)).toBe(wei);
  });

  it("writes what it reads back, to the wei", () => {
    const wei = fc.oneof(fc.bigInt({ min: 0n, max: 21_000_000n * OGPU }), fc.bigInt({ min: 0n, max: 3n * GWEI }));
    fc.assert(
      fc.property(wei, (value) => {
        expect(read(amountText(value))).toBe(value);
      }),
    );
  });

  it("writes the unit that keeps it short", () => {
    expect([OGPU / 20n, 10n ** 9n, 8n, 0n].map(amountText)).toEqual(["0.05 oGPU", "1 gwei", "8 wei", "0 oGPU"]);
  });
});
