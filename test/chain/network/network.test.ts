import { afterEach, describe, expect, it } from "vitest";
import type { Vote } from "../../../chain/consensus/types.ts";
import { connected, startNode, stopNodes } from "./support/nodes.ts";

afterEach(stopNodes);

function vote(view: number): Vote {
  return {
    kind: "NOTARIZE",
    epoch: 0,
    view,
    hash: `0x${"22".repeat(32)}`,
    validator: 3,
    signature: new Uint8Array(96).fill(7),
  };
}

describe("two nodes", () => {
  it("exchange hellos, then votes both ways", async () => {
    const a = await startNode("a");
    a.height = 5;
    const b = await startNode("b", { persistent: [a.address] });
    await connected(a, b);
    expect(a.network.send(b.network.peerId, { type: "vote", vote: vote(1) })).toBe(true);
    expect(b.network.broadcast({ type: "vote", vote: vote(2) }, "validators")).toBe(1);
    await Promise.all([a.messages.until((all) => all.length === 1), b.messages.until((all) => all.length === 1)]);
    expect(b.messages.items).toEqual([{ from: a.network.peerId, message: { type: "vote", vote: vote(1) } }]);
    expect(a.messages.items).toEqual([{ from: b.network.peerId, message: { type: "vote", vote: vote(2) } }]);
    expect(b.network.peers()).toMatchObject([{ peer: a.network.peerId, role: "validator", height: 5 }]);
  });
});
