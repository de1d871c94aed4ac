import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { NO_HASH, offenceOf, type VoteContent, type VoteKind } from "../../../base/votes.ts";
import { Guard } from "../../../chain/consensus/guard.ts";

const kinds: readonly VoteKind[] = ["PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE"];
const hashes: readonly Hex[] = ["0xaa", "0xbb"];

const votes = fc
  .record({ kind: fc.constantFrom(...kinds), view: fc.integer({ min: 1, max: 4 }), hash: fc.constantFrom(...hashes) })
  .map(({ kind, view, hash }): VoteContent => ({ kind, epoch: 0, view, hash: kind === "NULLIFY" ? NO_HASH : hash }));

const vote = (kind: VoteKind, hash: Hex = NO_HASH, view = 1): VoteContent => ({ kind, epoch: 0, view, hash });

/** As the log brings it to another process or machine: vote by vote. */
function copyOf(guard: Guard): Guard {
  const copy = new Guard(0, 0);
  for (const one of guard.votes()) copy.record(one);
  return copy;
}

describe("the double-sign guard", () => {
  it("never allows two votes that are slashable, in any order, also after moving to another machine", () => {
    fc.assert(
      fc.property(fc.array(votes, { maxLength: 30 }), fc.integer({ min: 0, max: 30 }), (wanted, move) => {
        let guard = new Guard(0, 0);
        const signed: VoteContent[] = [];
        for (const [index, one] of wanted.entries()) {
          if (index === move) guard = copyOf(guard);
          if (!guard.allows(one)) continue;
          guard.record(one);
          signed.push(one);
        }
        return signed.every((a) => signed.every((b) => offenceOf(a, b) === undefined));
      }),
    );
  });

  it("allows NOTARIZE after NULLIFY, and not FINALIZE", () => {
    const guard = new Guard(0, 0);
    guard.record(vote("NULLIFY"));
    expect(guard.allows(vote("NOTARIZE", "0xaa"))).toBe(true);
    expect(guard.allows(vote("FINALIZE", "0xaa"))).toBe(false);
  });

  it("refuses every view at or below the final one, and other epochs", () => {
    const guard = new Guard(3, 7);
    expect(guard.allows({ kind: "NULLIFY", epoch: 3, view: 7, hash: NO_HASH })).toBe(false);
    expect(guard.allows({ kind: "NULLIFY", epoch: 3, view: 8, hash: NO_HASH })).toBe(true);
    expect(guard.allows({ kind: "NULLIFY", epoch: 2, view: 9, hash: NO_HASH })).toBe(false);
    guard.prune(4, 0);
    expect(guard.allows({ kind: "NULLIFY", epoch: 3, view: 8, hash: NO_HASH })).toBe(false);
  });

  it("forgets nothing above the final view when it is pruned", () => {
    const guard = new Guard(0, 0);
    for (const view of [1, 2, 3]) guard.record(vote("NOTARIZE", "0xaa", view));
    guard.prune(0, 2);
    expect(guard.votes()).toEqual([vote("NOTARIZE", "0xaa", 3)]);
    expect(() => guard.prune(0, 1)).toThrow("finality goes forward");
  });
});

describe("offences", () => {
  it.each([
    ["double-propose", vote("PROPOSE", "0xaa"), vote("PROPOSE", "0xbb")],
    ["double-notarize", vote("NOTARIZE", "0xaa"), vote("NOTARIZE", "0xbb")],
    ["double-finalize", vote("FINALIZE", "0xaa"), vote("FINALIZE", "0xbb")],
    ["nullify-finalize", vote("NULLIFY"), vote("FINALIZE", "0xbb")],
    ["finalize-other", vote("FINALIZE", "0xaa"), vote("NOTARIZE", "0xbb")],
  ] as const)("%s is one, in either order", (offence, a, b) => {
    expect(offenceOf(a, b)).toBe(offence);
    expect(offenceOf(b, a)).toBe(offence);
  });

  it.each([
    ["NOTARIZE with NULLIFY", vote("NOTARIZE", "0xaa"), vote("NULLIFY")],
    ["NOTARIZE with FINALIZE of the same block", vote("NOTARIZE", "0xaa"), vote("FINALIZE", "0xaa")],
    ["PROPOSE of one block with NOTARIZE of another", vote("PROPOSE", "0xaa"), vote("NOTARIZE", "0xbb")],
    ["the same vote twice", vote("FINALIZE", "0xaa"), vote("FINALIZE", "0xaa")],
    ["votes of different views", vote("FINALIZE", "0xaa", 1), vote("NULLIFY", NO_HASH, 2)],
  ] as const)("%s is none", (_, a, b) => {
    expect(offenceOf(a, b)).toBeUndefined();
    expect(offenceOf(b, a)).toBeUndefined();
  });
});
