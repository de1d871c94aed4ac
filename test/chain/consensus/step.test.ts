import { describe, expect, it } from "vitest";
import { NO_HASH } from "../../../base/votes.ts";
import { addExecutedBlock } from "../../../chain/consensus/blocks.ts";
import { Guard } from "../../../chain/consensus/guard.ts";
import { CoreDriver, voteText } from "./support/core-driver.ts";

describe("voting", () => {
  it("notarizes a proposal only after it executed, and only once per view", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.executes = false;
    const block = core.block(view);
    core.propose(view, block);
    expect(core.sent).toEqual([]);
    core.feed({ type: "executed", hash: block.hash, valid: true });
    core.propose(view, core.block(view, undefined, [1]));
    expect(core.sent).toEqual([voteText("NOTARIZE", view, block.hash)]);
    expect(core.of("evidence").map(({ offence }) => offence)).toEqual(["double-propose"]);
  });

  it("gives a view up at once when its block is invalid", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.executes = false;
    const block = core.block(view);
    core.propose(view, block);
    core.feed({ type: "executed", hash: block.hash, valid: false });
    expect(core.sent).toEqual([voteText("NULLIFY", view)]);
  });

  it.each([
    ["height", { height: 2 }],
    ["time", { time: -1 }],
    ["beacon", { beacon: `0x${"00".repeat(32)}` as const }],
  ])("gives a view up at once when the %s of its block does not follow from the parent", (_, change) => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.propose(view, { ...core.block(view), ...change });
    expect(core.sent).toEqual([voteText("NULLIFY", view)]);
  });

  it("signs nothing before the log is durable", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.syncs = false;
    const block = core.block(view);
    core.propose(view, block);
    expect(core.sent).toEqual([]);
    const written = core.of("persist").at(-1);
    expect(written?.records.map(({ type }) => type)).toEqual(["block", "vote"]);
    core.feed({ type: "synced", position: written?.position ?? 0 });
    expect(core.sent).toEqual([voteText("NOTARIZE", view, block.hash)]);
  });

  it("notarizes after giving up, and then does not finalize", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.timeOut();
    const block = core.block(view);
    core.propose(view, block);
    core.certify("NOTARIZE", view, block.hash);
    expect(core.sent).toEqual([voteText("NULLIFY", view), voteText("NOTARIZE", view, block.hash)]);
  });

  it("notarizes and finalizes late, long after leaving the view, once the block has executed", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.executes = false;
    const block = core.block(view);
    core.propose(view, block);
    core.certify("NOTARIZE", view, block.hash);
    core.certify("NULLIFY", view + 1);
    core.certify("NULLIFY", view + 2);
    expect(core.sent).toEqual([]);
    core.feed({ type: "executed", hash: block.hash, valid: true });
    const expected = [voteText("NOTARIZE", view, block.hash), voteText("FINALIZE", view, block.hash)];
    expect(core.sent).toEqual(expected);
  });

  it("fetches a notarized block that it was not shown, even after another proposal, and does not vote twice", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const [shown, hidden] = [core.block(view), core.block(view, undefined, [1])];
    core.propose(view, shown);
    core.certify("NOTARIZE", view, hidden.hash);
    const asked = core.of("send").filter(({ message }) => message.type === "fetch-block");
    expect(asked.map(({ message }) => message)).toEqual([{ type: "fetch-block", hash: hidden.hash }]);
    core.receive({ type: "block", block: hidden });
    expect(core.state.blocks.get(hidden.hash)?.status).toBe("valid");
    expect(core.sent).toEqual([voteText("NOTARIZE", view, shown.hash)]);
  });

  it("says which block it was shown when another one of that view is notarized, or none", () => {
    for (const kind of ["NOTARIZE", "NULLIFY"] as const) {
      const core = new CoreDriver();
      const view = core.viewLedBy("another");
      core.skipTo(view);
      const [shown, hidden] = [core.block(view), core.block(view, undefined, [1])];
      core.propose(view, shown);
      core.certify(kind, view, kind === "NULLIFY" ? NO_HASH : hidden.hash);
      const leader = core.leader(view);
      const vote = core.validators.vote(leader, { kind: "PROPOSE", epoch: 0, view, hash: shown.hash });
      const said = core.of("send").filter(({ message }) => message.type === "vote" && message.vote.kind === "PROPOSE");
      expect(said.map(({ to, message }) => ({ to, message }))).toEqual([
        { to: "some", message: { type: "vote", vote } },
      ]);
      // Whoever was shown the other one has both now.
      const other = core.validators.vote(leader, { kind: "PROPOSE", epoch: 0, view, hash: hidden.hash });
      core.receive({ type: "vote", vote: other });
      expect(core.of("evidence").map(({ offence }) => offence)).toEqual(["double-propose"]);
    }
  });

  it("says nothing of a leader whose block is notarized", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const block = core.block(view);
    core.propose(view, block);
    core.certify("NOTARIZE", view, block.hash);
    core.certify("FINALIZE", view, block.hash);
    const kinds = core.of("send").map(({ message }) => (message.type === "vote" ? message.vote.kind : message.type));
    expect(kinds).not.toContain("PROPOSE");
  });

  it("sends a new certificate to some, once, and what it has to all when nothing moves", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.effects.length = 0;
    core.certify("NULLIFY", view);
    core.certify("NULLIFY", view);
    const sends = (): string[] =>
      core.of("send").flatMap(({ to, message }) => (message.type === "certificate" ? to : []));
    expect(sends()).toEqual(["some"]);
    core.effects.length = 0;
    core.feed({ type: "work", waiting: true });
    core.feed({ type: "timer", timer: "resend" });
    core.feed({ type: "timer", timer: "resend" });
    expect(new Set(sends())).toEqual(new Set(["all"]));
  });

  it("gives who lags the certificate that it lacks", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const block = core.block(view);
    core.propose(view, block);
    core.certify("NOTARIZE", view, block.hash);
    core.effects.length = 0;
    const answers = (): unknown[] =>
      core.of("send").map(({ to, message }) => [to, message.type === "certificate" && message.certificate.kind]);
    core.feed({ type: "lagging", from: "peer", view });
    core.feed({ type: "lagging", from: "peer", view: undefined });
    expect(answers()).toEqual([["peer", "NOTARIZE"]]);
    core.certify("FINALIZE", view, block.hash);
    core.effects.length = 0;
    core.feed({ type: "lagging", from: "peer", view: undefined });
    expect(answers()).toEqual([["peer", "FINALIZE"]]);
  });

  it("follows the leader when it gives up", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const vote = core.validators.vote(core.leader(view), { kind: "NULLIFY", epoch: 0, view, hash: "0x" });
    core.receive({ type: "vote", vote });
    expect(core.sent).toEqual([voteText("NULLIFY", view)]);
  });

  it("waits for a block whose time is ahead, and votes when that time comes", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    core.now += core.parameters.maxSkew + 50;
    const block = core.block(view);
    core.now -= core.parameters.maxSkew + 50;
    core.propose(view, block);
    expect(core.sent).toEqual([]);
    core.now += 50;
    core.feed({ type: "timer", timer: "recheck" });
    expect(core.sent).toEqual([voteText("NOTARIZE", view, block.hash)]);
  });
});

describe("which parent is acceptable", () => {
  it("lets a view that is both notarized and nullified be built on, and be skipped", () => {
    for (const skips of [true, false]) {
      const core = new CoreDriver();
      const first = core.viewLedBy("another");
      const second = core.viewLedBy("another", first + 1);
      core.skipTo(first);
      const below = core.block(first);
      core.propose(first, below);
      core.certify("NOTARIZE", first, below.hash);
      core.certify("NULLIFY", first);
      core.skipTo(second);
      core.now += 500;
      const block = core.block(second, skips ? core.epoch.root : below);
      core.propose(second, block, skips ? 0 : first);
      expect(core.sent).toContain(voteText("NOTARIZE", second, block.hash));
    }
  });

  it("waits for the certificates of skipped views, asks for them, and votes when they come", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another", 3);
    const block = core.block(view);
    core.propose(view, block);
    expect(core.sent).toEqual([]);
    const asked = core.of("send").map(({ message }) => message);
    expect(asked).toContainEqual({ type: "fetch-certificates", epoch: 0, from: 1, to: view - 1 });
    for (let below = 1; below < view; below++) core.certify("NULLIFY", below);
    expect(core.sent).toEqual([voteText("NOTARIZE", view, block.hash)]);
  });

  it("does not ask for the time of a seal that is proposed again, for clocks may have been set back since", () => {
    const core = new CoreDriver(1);
    const first = core.viewLedBy("another");
    core.skipTo(first);
    core.now += 300_000;
    core.timeOut();
    const seal = core.block(first);
    core.propose(first, seal);
    core.certify("NOTARIZE", first, seal.hash);
    const second = core.viewLedBy("another", first + 1);
    core.skipTo(second);
    core.now -= 300_000;
    core.propose(second, seal, first);
    expect(core.sent).toContain(voteText("NOTARIZE", second, seal.hash));
  });

  it("after a seal proposes and accepts nothing but the seal itself, until it is final", () => {
    const core = new CoreDriver(1);
    const first = core.viewLedBy("another");
    core.skipTo(first);
    const seal = core.block(first);
    expect(seal.next).toBeDefined();
    core.propose(first, seal);
    core.certify("NOTARIZE", first, seal.hash);
    const led = core.viewLedBy("core", first + 1);
    core.skipTo(led);
    core.feed({ type: "work", waiting: true });
    expect(core.sent).toContain(voteText("PROPOSE", led, seal.hash));
    expect(core.sent).toContain(voteText("NOTARIZE", led, seal.hash));
    core.certify("FINALIZE", led, seal.hash);
    expect(core.state.epoch.number).toBe(1);
    expect([core.state.view, core.state.finalView]).toEqual([1, 0]);
  });
});

describe("proposing", () => {
  it("makes no block on an idle chain, one when work waits, and one at the heartbeat", () => {
    const core = new CoreDriver();
    core.skipTo(core.viewLedBy("core"));
    expect(core.of("build")).toEqual([]);
    core.feed({ type: "timer", timer: "heartbeat" });
    expect(core.of("build")).toHaveLength(1);
    const busy = new CoreDriver();
    busy.skipTo(busy.viewLedBy("core"));
    busy.feed({ type: "work", waiting: true });
    expect(busy.of("build")).toHaveLength(1);
  });

  it("makes no block in a view in which it may sign none", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("core");
    core.skipTo(view);
    core.state.guard = new Guard(0, 0, { floor: { epoch: 0, view } });
    core.feed({ type: "work", waiting: true });
    expect(core.of("build")).toEqual([]);
    core.skipTo(core.viewLedBy("core", view + 1));
    expect(core.of("build")).toHaveLength(1);
  });

  it("waits for the block interval after the parent", () => {
    const core = new CoreDriver();
    core.now = 100;
    core.skipTo(core.viewLedBy("core"));
    core.feed({ type: "work", waiting: true });
    expect(core.of("build")).toEqual([]);
    expect(core.state.timers.get("pace")).toBe(core.parameters.blockInterval);
    core.now = core.parameters.blockInterval;
    core.feed({ type: "timer", timer: "pace" });
    expect(core.of("build")).toHaveLength(1);
  });

  it("asks for an empty block far above the final one", () => {
    const core = new CoreDriver();
    let parent = core.epoch.root;
    let view = 1;
    for (let height = 1; height <= core.parameters.maxUnfinal; height++) {
      view = core.viewLedBy("another", view);
      core.skipTo(view);
      core.now += 300;
      parent = core.block(view, parent);
      addExecutedBlock(core.state, parent);
      core.certify("NOTARIZE", view, parent.hash);
      view++;
    }
    core.skipTo(core.viewLedBy("core", view));
    core.now += 300;
    core.feed({ type: "work", waiting: true });
    expect(core.of("build").at(-1)).toMatchObject({ parent: { hash: parent.hash }, emptyOnly: true });
  });
});

describe("the view timer", () => {
  it("rests while no block is due, and starts when one is or when more than a third give up", () => {
    const core = new CoreDriver();
    expect(core.state.timers.has("view")).toBe(false);
    const givers = [1, 2, 3].filter((index) => index !== core.leader(1)).slice(0, 2);
    for (const index of givers) {
      const vote = core.validators.vote(index, { kind: "NULLIFY", epoch: 0, view: 1, hash: "0x" });
      core.receive({ type: "vote", vote });
    }
    expect(core.state.timers.get("view")).toBe(core.now + core.parameters.viewTimeout);
    const busy = new CoreDriver();
    busy.feed({ type: "work", waiting: true });
    expect(busy.state.timers.has("view")).toBe(true);
    busy.feed({ type: "work", waiting: false });
    expect(busy.state.timers.has("view")).toBe(false);
  });

  it("grows with the views since the final one, up to the cap", () => {
    const core = new CoreDriver();
    core.feed({ type: "work", waiting: true });
    const delays: number[] = [];
    for (let view = 1; view <= 12; view++) {
      delays.push((core.state.timers.get("view") ?? 0) - core.now);
      core.certify("NULLIFY", view);
    }
    expect(delays[1]).toBe(core.parameters.viewTimeout + core.parameters.viewTimeoutStep);
    expect(delays.at(-1)).toBe(core.parameters.viewTimeoutCap);
    expect([...delays].sort((a, b) => a - b)).toEqual(delays);
  });
});

describe("finality", () => {
  it("commits a chain at once, oldest first, and refuses all views below", () => {
    const core = new CoreDriver();
    const first = core.viewLedBy("another");
    core.skipTo(first);
    const below = core.block(first);
    core.propose(first, below);
    core.certify("NOTARIZE", first, below.hash);
    const second = core.viewLedBy("another", first + 1);
    core.skipTo(second);
    core.now += 300;
    const above = core.block(second, below);
    core.propose(second, above, first);
    core.certify("FINALIZE", second, above.hash);
    expect(core.of("commit").map(({ blocks }) => blocks.map(({ hash }) => hash))).toEqual([[below.hash, above.hash]]);
    expect([core.state.finalView, core.state.view]).toEqual([second, second + 1]);
    expect([...core.state.rounds.keys()].every((view) => view > second)).toBe(true);
    expect(core.state.guard.allows({ kind: "NULLIFY", epoch: 0, view: second, hash: "0x" })).toBe(false);
  });

  it("waits for missing blocks and asks for them", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const block = core.block(view);
    core.certify("FINALIZE", view, block.hash);
    expect(core.of("commit")).toEqual([]);
    core.receive({ type: "block", block });
    expect(core.of("commit")).toHaveLength(1);
  });
});

describe("restart", () => {
  it("brings back the view, the guard and the blocks, and says the own votes again", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const block = core.block(view);
    core.propose(view, block);
    core.timeOut();
    const before = core.sent;
    core.effects.length = 0;
    core.restart();
    expect(core.state.view).toBe(view);
    expect(core.state.blocks.get(block.hash)?.status).toBe("valid");
    expect(core.sent.sort()).toEqual(before.sort());
    core.propose(view, core.block(view, undefined, [1]));
    expect(core.sent).toHaveLength(before.length);
  });

  it("counts the own NULLIFY again, so that two more end the view", () => {
    const core = new CoreDriver();
    core.timeOut();
    core.restart();
    for (const validator of [1, 2]) {
      const vote = core.validators.vote(validator, { kind: "NULLIFY", epoch: 0, view: 1, hash: "0x" });
      core.receive({ type: "vote", vote });
    }
    expect(core.state.view).toBe(2);
  });

  it("proposes the same block again, not another one", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("core");
    core.skipTo(view);
    core.feed({ type: "work", waiting: true });
    const block = core.block(view);
    core.feed({ type: "built", epoch: 0, view, block });
    core.effects.length = 0;
    core.restart();
    core.feed({ type: "work", waiting: true });
    expect(core.sent).toContain(voteText("PROPOSE", view, block.hash));
    expect(core.of("build")).toEqual([]);
  });
});
