import { describe, expect, it } from "vitest";
import { readinessOf } from "../../../cli/node/readiness.ts";

describe("a node is ready", () => {
  it.each([
    ["with its peers", { height: 7, peerHeights: [7, 7, 6], isAlone: false }],
    ["a block or two behind them, which they have just finalised", { height: 5, peerHeights: [7, 7], isAlone: false }],
    ["when it needs nobody", { height: 0, peerHeights: [], isAlone: true }],
    ["although one of three says that it is far ahead", { height: 5, peerHeights: [5, 5, 1_000_000], isAlone: false }],
  ])("%s", (_case, situation) => {
    expect(readinessOf(situation)).toMatchObject({ ready: true, reason: undefined, height: situation.height });
  });

  it("not without peers, unless it needs none", () => {
    expect(readinessOf({ height: 5, peerHeights: [], isAlone: false })).toMatchObject({
      ready: false,
      reason: "no-peers",
    });
  });

  it("not when most of its peers are ahead", () => {
    expect(readinessOf({ height: 5, peerHeights: [5, 50, 50], isAlone: false })).toMatchObject({
      ready: false,
      reason: "behind",
      peers: 3,
    });
  });
});
