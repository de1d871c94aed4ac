/** What others can make a node hold, ask for and execute before it is of any use. */
import { describe, expect, it } from "vitest";
import type { Block } from "../../../chain/consensus/types.ts";
import { CoreDriver } from "./support/core-driver.ts";

describe("final blocks", () => {
  it("are asked for again when those that came are committed, and not with every one of them", () => {
    const core = new CoreDriver();
    core.executes = false;
    const blocks: Block[] = [];
    for (let view = 1; view <= 10; view++) blocks.push(core.block(view, blocks.at(-1)));
    const answer = (from: number, to: number): void => {
      const segments = blocks.slice(from, to).map((block) => ({
        blocks: [block],
        certificate: core.certificate("FINALIZE", block.view, block.hash),
      }));
      core.feed({ type: "message", from: "peer", message: { type: "finals", segments } });
      // Executing them takes longer than an answer may.
      core.feed({ type: "timer", timer: "fetch" });
      for (const { hash } of blocks.slice(from, to)) core.feed({ type: "executed", hash, valid: true });
      expect(core.of("commit")).toHaveLength(to);
    };
    core.feed({ type: "ahead", from: "peer" });
    answer(0, 8);
    // The next answer is late.
    core.feed({ type: "timer", timer: "fetch" });
    answer(8, 10);
    const asked = core.of("send").filter(({ message }) => message.type === "fetch-finals");
    expect(asked.map(({ to, message }) => ({ to, ...message }))).toEqual(
      [0, 8, 10].map((height) => ({ to: "peer", type: "fetch-finals", height })),
    );
  });
});
