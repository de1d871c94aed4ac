/** What a leader that signs many blocks for one view can make others do. */
import { describe, expect, it } from "vitest";
import type { CheckJob } from "../../../chain/consensus/check-job.ts";
import type { Block } from "../../../chain/consensus/types.ts";
import { idAt } from "../../../chain/consensus/validator-set.ts";
import { VoteGate } from "../../../chain/consensus/vote-gate.ts";
import { CoreDriver } from "./support/core-driver.ts";

/** A core in a view that another one leads, and its gate. Every check finds what it is for. */
class GatedCore {
  readonly core = new CoreDriver();
  readonly view: number;
  readonly #gate = new VoteGate();

  constructor() {
    this.view = this.core.viewLedBy("another");
    this.core.skipTo(this.view);
  }

  block(id: number): Block {
    return this.core.block(this.view, undefined, [id]);
  }

  /** The kinds of checks that the leader's proposal of that block takes. */
  propose(block: Block): CheckJob["type"][] {
    const { core, view } = this;
    const leader = core.leader(view);
    const vote = core.validators.vote(leader, { kind: "PROPOSE", epoch: 0, view, hash: block.hash });
    const proposal = { vote, block, parentView: 0 };
    const jobs = this.#gate.prepare(core.state, idAt(core.validators.set, leader), { type: "proposal", proposal });
    for (const job of jobs) {
      if (job.type === "proposal") core.receive({ type: "proposal", proposal });
      if (job.type !== "votes") continue;
      for (const received of job.votes) core.receive({ type: "vote", vote: received.vote });
      this.#gate.settle(core.state, job.votes);
    }
    return jobs.map(({ type }) => type);
  }
}

describe("proposals of one view", () => {
  it("are read but for the first one only as votes, and not at all when two are known", () => {
    const gated = new GatedCore();
    const checks = [1, 2, 3, 4, 5].map((id) => gated.propose(gated.block(id)));
    expect(checks).toEqual([["proposal"], ["votes"], [], [], []]);
    expect(gated.core.of("evidence").map(({ offence }) => offence)).toEqual(["double-propose"]);
  });

  it("bring the block that is notarized, once, even after another one and when the leader is accused", () => {
    for (const isAccused of [false, true]) {
      const gated = new GatedCore();
      const { core, view } = gated;
      gated.propose(gated.block(1));
      if (isAccused) gated.propose(gated.block(2));
      const notarized = gated.block(3);
      core.certify("NOTARIZE", view, notarized.hash);
      expect(gated.propose(notarized)).toEqual(["proposal"]);
      expect(core.state.blocks.get(notarized.hash)?.status).toBe("valid");
      expect(gated.propose(notarized)).toEqual([]);
      expect(core.of("evidence")).toHaveLength(1);
    }
  });

  it("are evidence when the notarized block came from somebody else before", () => {
    const gated = new GatedCore();
    const notarized = gated.block(3);
    gated.propose(gated.block(1));
    gated.core.certify("NOTARIZE", gated.view, notarized.hash);
    gated.core.receive({ type: "block", block: notarized });
    expect(gated.propose(notarized)).toEqual(["votes"]);
    expect(gated.core.of("evidence").map(({ offence }) => offence)).toEqual(["double-propose"]);
  });
});
