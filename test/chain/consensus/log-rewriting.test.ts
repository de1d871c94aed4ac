import { describe, expect, it } from "vitest";
import type { Effect } from "../../../chain/consensus/events.ts";
import { restore } from "../../../chain/consensus/restore.ts";
import { step } from "../../../chain/consensus/step.ts";
import type { Block } from "../../../chain/consensus/types.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CoreDriver, voteText } from "./support/core-driver.ts";

/** Proposes, notarizes and finalizes a block in the next view that another one leads. */
function finalise(core: CoreDriver, parent: Block): Block {
  const view = core.viewLedBy("another", core.state.view);
  core.skipTo(view);
  const block = core.block(view, parent);
  core.propose(view, block, parent.view);
  core.certify("NOTARIZE", view, block.hash);
  core.certify("FINALIZE", view, block.hash);
  return block;
}

function finaliseMany(core: CoreDriver, count: number): Block[] {
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) blocks.push(finalise(core, blocks.at(-1) ?? core.epoch.root));
  return blocks;
}

function lastRewrite(core: CoreDriver): Extract<Effect, { type: "compact" }> {
  const rewrite = core.of("compact").at(-1);
  if (rewrite === undefined) throw new Error("the log was not rewritten");
  return rewrite;
}

describe("rewriting the log", () => {
  it("happens although the disk is behind, and keeps what a restart needs until it has caught up", () => {
    const core = new CoreDriver();
    core.commits = false;
    const blocks = finaliseMany(core, 6);
    expect(core.of("compact")).toEqual([]);
    const [first, second, ...rest] = blocks;
    if (first === undefined || second === undefined) return expect.unreachable();
    core.feed({ type: "committed", hash: first.hash });
    const { records } = lastRewrite(core);
    const kept = records.flatMap((record) => (record.type === "block" ? record.block.hash : []));
    expect(kept).toEqual([second, ...rest].map(({ hash }) => hash));
    expect(kept).not.toContain(first.hash);

    // A kill now: the store has the first block, the log what is here.
    const options = { parameters: core.parameters, crypto: simulatedKeys().crypto, signer: core.validators.signers[0] };
    const certificate = core.certificate("FINALIZE", first.view, first.hash);
    const state = restore(options, { epoch: core.epoch, final: first, certificate }, records);
    for (const { view, hash } of [second, ...rest]) {
      expect(state.guard.slot(view)).toEqual({ notarize: hash, finalize: hash });
      expect(state.rounds.get(view)?.notarization?.hash).toBe(hash);
      expect(state.blocks.get(hash)?.recorded).toBe(true);
    }
    step(state, core.now, { type: "start" });
    const signed = [...state.rounds.values()].flatMap(({ ownVotes }) => ownVotes);
    expect(signed).toHaveLength(2 * (rest.length + 1));
  });

  it("forgets what is durable", () => {
    const core = new CoreDriver();
    core.commits = false;
    const blocks = finaliseMany(core, 6);
    for (const { hash } of blocks) core.feed({ type: "committed", hash });
    expect(core.state.committing).toEqual([]);
    finaliseMany(core, 1);
    core.commits = true;
    const records = lastRewrite(core).records.filter(({ type }) => type === "block");
    expect(records.length).toBeLessThan(blocks.length);
  });

  it("keeps what the same step has recorded", () => {
    const core = new CoreDriver();
    core.commits = false;
    const blocks = finaliseMany(core, 6);
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (first === undefined || last === undefined) return expect.unreachable();
    const view = core.viewLedBy("another", core.state.view);
    core.skipTo(view);
    // Of a clock ahead of ours: it waits until its time has come, and that is when the first commit is durable.
    const now = core.now;
    core.now += core.parameters.maxSkew + 1_000;
    const block = core.block(view, last);
    core.now = now;
    core.propose(view, block, last.view);
    expect(core.sent).not.toContain(voteText("NOTARIZE", view, block.hash));
    core.now = block.time;
    core.feed({ type: "committed", hash: first.hash });
    expect(core.sent).toContain(voteText("NOTARIZE", view, block.hash));
    const { records } = lastRewrite(core);
    expect(records).toContainEqual({ type: "vote", vote: { kind: "NOTARIZE", epoch: 0, view, hash: block.hash } });
    expect(records).toContainEqual({ type: "block", block });
  });

  it("is not repeated with every commit when much has to be kept", () => {
    const core = new CoreDriver();
    const [parent] = finaliseMany(core, 1);
    if (parent === undefined) return expect.unreachable();
    // Far above the final block: all these certificates stay in the log until one of their views is final.
    const far = core.state.view + 100;
    for (let view = core.state.view + 20; view < far; view++) core.certify("NULLIFY", view);
    core.effects.length = 0;
    let block = parent;
    for (let i = 1; i <= 12; i++) {
      const view = parent.view + i;
      const next = core.block(view, block);
      core.propose(view, next, block.view);
      core.certify("NOTARIZE", view, next.hash);
      core.certify("FINALIZE", view, next.hash);
      block = next;
    }
    expect(core.of("commit")).toHaveLength(12);
    expect(core.of("compact").length).toBeLessThan(3);
  });
});
