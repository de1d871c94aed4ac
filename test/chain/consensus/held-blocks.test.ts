/** What others can make a node hold, ask for and execute before it is of any use. */
import { describe, expect, it } from "vitest";
import { MAX_HELD_BYTES, VIEW_WINDOW, VIEWS_EXECUTED_AHEAD } from "../../../chain/consensus/limits.ts";
import type { Block, Request } from "../../../chain/consensus/types.ts";
import { CoreDriver } from "./support/core-driver.ts";

/** As large as a block may be. */
const BODY = new Uint8Array(8 * 1024 * 1024);

/** Larger than what may be held. */
function chainOfLargeBlocks(core: CoreDriver): Block[] {
  const blocks: Block[] = [];
  for (let view = 1; view <= 40; view++) blocks.push(core.block(view, blocks.at(-1)));
  return blocks.map((block) => ({ ...block, body: BODY }));
}

function heldBytes(core: CoreDriver): number {
  return [...core.state.blocks.values()].reduce((sum, { block }) => sum + block.body.length, 0);
}

function receiveFinal(core: CoreDriver, block: Block): void {
  const certificate = core.certificate("FINALIZE", block.view, block.hash);
  core.receive({ type: "finals", segments: [{ blocks: [block], certificate }] });
}

/** Requests for blocks since the last time. */
function takeRequests(core: CoreDriver): Extract<Request, { type: "fetch-block" }>[] {
  const sent = core.of("send").map(({ message }) => message);
  core.effects.length = 0;
  return sent.filter((message) => message.type === "fetch-block");
}

describe("blocks that wait for others", () => {
  it("are held up to a number of bytes when they are final, and those that they wait for are still taken", () => {
    const core = new CoreDriver();
    const blocks = chainOfLargeBlocks(core);
    for (const block of blocks.slice(1)) receiveFinal(core, block);
    expect(core.state.final).toBe(core.epoch.root);
    expect(heldBytes(core)).toBeGreaterThan(MAX_HELD_BYTES / 2);
    expect(heldBytes(core)).toBeLessThanOrEqual(MAX_HELD_BYTES);
    for (const block of blocks) receiveFinal(core, block);
    expect(core.state.final.height).toBe(blocks.length);
  });

  it("are held up to a number of bytes when each is the parent of the one before", () => {
    const core = new CoreDriver();
    const blocks = chainOfLargeBlocks(core);
    const byHash = new Map(blocks.map((block) => [block.hash, block]));
    const last = blocks.at(-1) as Block;
    core.certify("FINALIZE", last.view, last.hash);
    for (let requests = takeRequests(core); requests.length > 0; requests = takeRequests(core)) {
      for (const { hash } of requests) {
        const block = byHash.get(hash);
        if (block !== undefined) core.receive({ type: "block", block });
      }
    }
    expect(heldBytes(core)).toBeGreaterThan(MAX_HELD_BYTES / 2);
    expect(heldBytes(core)).toBeLessThanOrEqual(MAX_HELD_BYTES);
    for (const block of blocks) receiveFinal(core, block);
    expect(core.state.final.height).toBe(blocks.length);
  });
});

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

describe("proposals of views to come", () => {
  it("are executed when their views are near, and not all at once", () => {
    const core = new CoreDriver();
    core.executes = false;
    const views = Array.from({ length: VIEW_WINDOW }, (_, index) => core.state.view + index);
    for (const view of views) core.propose(view, core.block(view));
    const executed = (): number[] => core.of("execute").map(({ block }) => block.view);
    expect(executed()).toEqual(views.slice(0, 1 + VIEWS_EXECUTED_AHEAD));
    core.skipTo(10);
    expect(executed().at(-1)).toBe(10 + VIEWS_EXECUTED_AHEAD);
  });
});
