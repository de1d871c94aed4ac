import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exactAmount,
  formatAmount,
  formatCount,
  formatGasPrice,
  formatRatio,
  formatShare,
  readAmount,
} from "../../dashboard/format/amounts.ts";
import { bytesOfText, formatBytes, shortHex, textOfBytes } from "../../dashboard/format/hex.ts";
import { formatAgo, formatDuration, formatTime } from "../../dashboard/format/times.ts";

const OGPU = 10n ** 18n;

describe("amounts", () => {
  it.each([
    [0n, "0"],
    [OGPU, "1"],
    [(3n * OGPU) / 2n, "1.5"],
    [21_000_000n * OGPU, "21\u2009000\u2009000"],
    [1n, "<0.0001"],
    [-OGPU, "-1"],
    [OGPU + 99_999n, "1"],
  ])("%s wei is shown rounded towards zero", (wei, text) => {
    expect(formatAmount(wei)).toBe(text);
  });

  it("what is typed back from the exact amount is the amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 21_000_000n * OGPU }), (wei) => {
        expect(readAmount(exactAmount(wei))).toEqual({ ok: true, wei });
      }),
    );
  });

  it.each(["", "0", "1,5", "-1", "1e3", ".", "0.0000000000000000001", "one"])("%j is no amount to send", (text) => {
    expect(readAmount(text).ok).toBe(false);
  });

  it("shows parts of a whole as per cent, and never nothing for something", () => {
    expect(formatRatio(1n, 3n)).toBe("33.3%");
    expect(formatRatio(1n, 1_000_000n)).toBe("<0.01%");
    expect(formatRatio(3n, 3n)).toBe("100%");
    expect(formatRatio(0n, 0n)).toBe("0%");
    expect(formatShare(50_000n)).toBe("5%");
  });

  it("shows gas prices from tiny to large", () => {
    const prices = ["0", "512863284", "7", "30000000000"].map((wei) => formatGasPrice(BigInt(wei)));
    expect(prices).toEqual(["0 wei", "0.5129 gwei", "7 wei", "30 gwei"]);
  });

  it("groups digits of counts", () => {
    expect(formatCount(60_000_000)).toBe("60\u2009000\u2009000");
    expect(formatCount(-1234n)).toBe("-1\u2009234");
  });
});

describe("times", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1500, "1.5 s"],
    [59_900, "59 s"],
    [65_000, "1 min 5 s"],
    [3_600_000, "1 h"],
    [90_061_000, "1 d 1 h"],
    [-5, "0 ms"],
  ])("%i milliseconds are %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it("speaks of what was and what comes", () => {
    expect(formatAgo(10_000, 15_000)).toBe("5 s ago");
    expect(formatAgo(15_000, 10_000)).toBe("in 5 s");
    expect(formatAgo(10_500, 10_000)).toBe("now");
    expect(formatTime(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe("2026-01-02 03:04:05 UTC");
  });
});

describe("bytes", () => {
  it("shortens in the middle what is long", () => {
    expect(shortHex("0x1234567890abcdef")).toBe("0x123456…cdef");
    expect(shortHex("0x1234")).toBe("0x1234");
  });

  it("short text and its bytes lead to each other", () => {
    expect(textOfBytes(bytesOfText("eu-west", 16))).toBe("eu-west");
    expect(textOfBytes(`0x${"00".repeat(16)}`)).toBeUndefined();
    expect(textOfBytes("0xff00")).toBeUndefined();
  });

  it("counts memory in powers of two", () => {
    expect([512, 1024, 1_610_612_736n].map(formatBytes)).toEqual(["512 B", "1 KiB", "1.5 GiB"]);
  });
});
