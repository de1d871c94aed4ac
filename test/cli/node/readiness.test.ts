import { describe, expect, it } from "vitest";
import { chainShare, readinessOf } from "../../../cli/node/readiness.ts";

describe("a node is ready", () => {
  it.each([
    ["with its peers", { height: 7, peerHeights: [7, 7, 6], isTrusted: true, isAlone: false }],
    [
      "a block or two behind them, which they have just finalised",
      { height: 5, peerHeights: [7, 7], isTrusted: true, isAlone: false },
    ],
    ["when it needs nobody", { height: 0, peerHeights: [], isTrusted: true, isAlone: true }],
    [
      "although one of three says that it is far ahead",
      { height: 5, peerHeights: [5, 5, 1_000_000], isTrusted: true, isAlone: false },
    ],
  ])("%s", (_case, situation) => {
    expect(readinessOf(situation)).toMatchObject({ ready: true, reason: undefined, height: situation.height });
  });

  it("not without peers, unless it needs none", () => {
    expect(readinessOf({ height: 5, peerHeights: [], isTrusted: true, isAlone: false })).toMatchObject({
      ready: false,
      reason: "no-peers",
    });
  });

  it("not when most of its peers are ahead", () => {
    expect(readinessOf({ height: 5, peerHeights: [5, 50, 50], isTrusted: true, isAlone: false })).toMatchObject({
      ready: false,
      reason: "behind",
      peers: 3,
    });
  });

  it("not before the block has come that its operator trusts", () => {
    expect(readinessOf({ height: 5, peerHeights: [5, 5], isTrusted: false, isAlone: false })).toMatchObject({
      ready: false,
      reason: "checkpoint-to-come",
    });
  });
});

describe("the share of the chain that a node has", () => {
  it.each([
    ["is the height over that of its peers while it is behind", 10, 40, 0.25],
    ["is 0 before the first block", 0, 40, 0],
    ["is all, as it is ready, a block or two behind", 5, 7, 1],
    ["is less three blocks behind", 6, 9, 6 / 9],
    ["is all ahead of its peers", 41, 40, 1],
    ["is all without peers, and at the beginning of a chain", 0, 0, 1],
  ])("%s", (_case, height, target, share) => {
    expect(chainShare(height, target)).toBe(share);
  });
});
