import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatGwei, formatOgpu, GWEI, OGPU, parseGwei, parseOgpu } from "../../base/units.ts";
import { codeOf } from "./support/code-of.ts";

describe("amounts", () => {
  it("round-trip exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 21_000_000n * OGPU }), (amount) => {
        expect(parseOgpu(formatOgpu(amount))).toBe(amount);
        expect(parseGwei(formatGwei(amount))).toBe(amount);
      }),
    );
  });

  it("are written in the shortest form", () => {
    expect(formatOgpu(0n)).toBe("0");
    expect(formatOgpu(1n)).toBe("0.000000000000000001");
    expect(formatOgpu((3n * OGPU) / 2n)).toBe("1.5");
    expect(formatOgpu(100n * OGPU)).toBe("100");
    expect(formatOgpu(-1n)).toBe("-0.000000000000000001");
    expect(formatOgpu(-OGPU)).toBe("-1");
    expect(formatGwei(GWEI / 10n)).toBe("0.1");
  });

  it("are read with the decimals that the unit has", () => {
    expect(parseOgpu("1.5")).toBe((3n * OGPU) / 2n);
    expect(parseOgpu("0.000000000000000001")).toBe(1n);
    expect(parseOgpu("007")).toBe(7n * OGPU);
    expect(parseGwei("1.000000001")).toBe(GWEI + 1n);
  });

  for (const text of [
    "",
    " ",
    "1.",
    ".5",
    "-1",
    "+1",
    "1e18",
    "0x10",
    "1,5",
    "1 ",
    "1.2.3",
    "NaN",
    "١",
    `${"9".repeat(101)}`,
  ]) {
    it(`refuse ${JSON.stringify(text)}`, () => expect(codeOf(() => parseOgpu(text))).toBe("BAD_AMOUNT"));
  }

  it("refuse more decimals than the unit has", () => {
    expect(codeOf(() => parseOgpu("0.0000000000000000001"))).toBe("BAD_AMOUNT");
    expect(codeOf(() => parseGwei("0.0000000001"))).toBe("BAD_AMOUNT");
  });
});
