import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { bestCandidate, type ReadOffer, reasonToSkip } from "../../../chain/sync/choose-offer.ts";

const situation = { hasBlocks: false, answers: 3, heights: [1_024, 2_048], nearBlocks: 512 };

describe("whether to fetch a snapshot", () => {
  it("is decided for one that is far ahead, by an empty store only", () => {
    expect(reasonToSkip(situation)).toBeUndefined();
    expect(reasonToSkip({ ...situation, hasBlocks: true })).toBe("has-blocks");
  });

  it("is decided against when blocks are as fast: a network a few hundred blocks ahead", () => {
    expect(reasonToSkip({ ...situation, heights: [100, 512] })).toBe("near");
    expect(reasonToSkip({ ...situation, heights: [100, 513] })).toBeUndefined();
  });

  it("is decided against when nobody answers or nobody has one", () => {
    expect(reasonToSkip({ ...situation, answers: 0, heights: [] })).toBe("no-peers");
    expect(reasonToSkip({ ...situation, heights: [] })).toBe("no-offers");
  });
});

describe("which snapshot is chosen", () => {
  const read = (height: number, fork = "a"): ReadOffer => ({
    offer: { header: new Uint8Array(), certificate: new Uint8Array(), bytes: 0 },
    hash: `0x${fork}${height}` as Hex,
    height,
    epoch: 0,
    neededEpoch: 0,
  });
  const choice = (...offers: (readonly [string, ReadOffer])[]): string | undefined =>
    bestCandidate(offers.map(([peer, one]) => ({ peer, read: one })))?.read.hash;

  it("is the highest of those that about as many peers have as any", () => {
    expect(choice(["p", read(1)], ["q", read(1)], ["p", read(2)], ["q", read(2)])).toBe("0xa2");
    expect(choice(["p", read(1)], ["q", read(1)], ["r", read(1)], ["p", read(2)], ["q", read(2)])).toBe("0xa2");
    expect(choice(["p", read(1)], ["q", read(1)], ["r", read(1)], ["p", read(9)])).toBe("0xa1");
    expect(choice()).toBeUndefined();
  });

  it("does not depend on the order of the answers", () => {
    const offers = [["p", read(3, "a")] as const, ["q", read(3, "b")] as const];
    expect(choice(...offers)).toBe(choice(...offers.toReversed()));
  });
});
