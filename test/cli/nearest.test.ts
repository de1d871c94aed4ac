import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "../../cli/nearest.ts";

describe("nearest", () => {
  it.each([
    ["verison", "version"],
    ["genesi", "genesis"],
    ["hlep", "help"],
    ["au", "audit"],
  ])("takes %s for %s", (word, meant) => {
    expect(nearest(word, ["help", "genesis", "version", "audit"])).toBe(meant);
  });

  it("guesses nothing from a beginning that several have", () => {
    expect(nearest("co", ["compute", "consensus"])).toBeUndefined();
  });

  it("guesses nothing when nothing is near", () => {
    expect(nearest("frobnicate", ["help", "genesis", "version"])).toBeUndefined();
    expect(nearest("x", [])).toBeUndefined();
  });
});

describe("editDistance", () => {
  it("counts a swap of neighbours as one edit", () => {
    expect(editDistance("ab", "ba")).toBe(1);
    expect(editDistance("kitten", "sitting")).toBe(3);
  });

  it("is symmetric, zero only for equal words, and at most the longer length", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const edits = editDistance(a, b);
        expect(edits).toBe(editDistance(b, a));
        expect(edits === 0).toBe(a === b);
        expect(edits).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(edits).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});
