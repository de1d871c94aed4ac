import { describe, expect, it } from "vitest";
import type { Message } from "../../../chain/consensus/types.ts";
import { countVote, isBehind, noMeter } from "../../../chain/runtime/node-meter.ts";
import { genesisBlock } from "../../sim/counter-app.ts";

describe("the count of votes", () => {
  it("has a PROPOSE for each proposal, and nothing for what is no vote", () => {
    const counted: string[] = [];
    const meter = { ...noMeter, vote: (kind: string, direction: string) => counted.push(`${kind} ${direction}`) };
    const block = genesisBlock();
    const content = { epoch: 0, view: 1, hash: block.hash, validator: 0, signature: new Uint8Array(96) };
    const messages: readonly Message[] = [
      { type: "proposal", proposal: { vote: { kind: "PROPOSE", ...content }, block, parentView: 0 } },
      { type: "vote", vote: { kind: "FINALIZE", ...content } },
      { type: "block", block },
      { type: "fetch-block", hash: block.hash },
    ];
    for (const message of messages) countVote(meter, message, "received");
    countVote(meter, messages[0] as Message, "sent");
    expect(counted).toEqual(["PROPOSE received", "FINALIZE received", "PROPOSE sent"]);
  });
});

it("a block is caught up with while more than half of the peers are well ahead", () => {
  expect(isBehind(10, [])).toBe(false);
  expect(isBehind(10, [12, 11, 10])).toBe(false);
  expect(isBehind(10, [13, 13, 10])).toBe(true);
  // Of one that lies about its height nothing follows.
  expect(isBehind(10, [1_000_000, 10, 11])).toBe(false);
});
