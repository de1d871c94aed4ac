import { describe, expect, it } from "vitest";
import { assert, CodedError } from "../../../base/errors.ts";
import { NO_HASH, revealMessage, type VoteContent } from "../../../base/votes.ts";
import { certify } from "../../../chain/consensus/certificate.ts";
import { type CheckJob, type CheckResult, checkJob } from "../../../chain/consensus/check-job.ts";
import { leaderOf } from "../../../chain/consensus/leader.ts";
import { type ConsensusState, initialState, makeEpoch } from "../../../chain/consensus/state.ts";
import { step } from "../../../chain/consensus/step.ts";
import type { Block, Message, Vote } from "../../../chain/consensus/types.ts";
import { Inbox, type Judgement } from "../../../chain/runtime/inbox.ts";
import { MAX_CHECKS_PER_PEER } from "../../../chain/runtime/limits.ts";
import { CounterApp, genesisBlock } from "../../sim/counter-app.ts";
import { SIM_PARAMETERS } from "../../sim/scenario.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CHAIN_ID, testValidators } from "../consensus/support/validators.ts";

const keys = simulatedKeys();
const { stakes, signers, vote } = testValidators(keys, 7);
const parameters = { ...SIM_PARAMETERS, chainId: CHAIN_ID };
const epoch = makeEpoch(0, stakes, genesisBlock());
const nullify: VoteContent = { kind: "NULLIFY", epoch: 0, view: 1, hash: NO_HASH };
const notarize: VoteContent = { ...nullify, kind: "NOTARIZE", hash: `0x${"11".repeat(32)}` };
const leader = leaderOf(epoch.set, epoch.seed, 1);
/** The leader's own would be checked at once. */
const others: readonly Vote[] = [0, 1, 2, 3, 4, 5, 6].filter((index) => index !== leader).map((i) => vote(i, nullify));

interface Held {
  readonly job: CheckJob;
  readonly resolve: (result: CheckResult) => void;
}

/** A follower whose signature checks end when the test says so. */
class SlowNode {
  readonly state: ConsensusState = initialState(
    { parameters, crypto: keys.crypto },
    { epoch, final: epoch.root, certificate: undefined },
  );
  readonly wholeBlock: (block: Block) => Block;
  readonly held: Held[] = [];
  readonly blamed: string[] = [];
  readonly inbox: Inbox = new Inbox({
    state: this.state,
    verifier: { check: (job) => new Promise((resolve) => this.held.push({ job, resolve })) },
    wholeBlock: (block) => this.wholeBlock(block),
    dispatch: (event) => step(this.state, 0, event),
    blame: (peer) => this.blamed.push(peer),
    onDropped: (error) => expect.fail(String(error)),
  });

  constructor(wholeBlock: (block: Block) => Block = (block) => block) {
    this.wholeBlock = wholeBlock;
  }

  /** Each from its validator's own node, unless somebody else is named. */
  hear(votes: readonly Vote[], from?: string): Promise<Judgement>[] {
    return votes.map((one) => this.inbox.receive(from ?? `node ${one.validator}`, { type: "vote", vote: one }));
  }

  /** The signature checks under way end, and so do those that follow from them. */
  async finishChecks(): Promise<void> {
    for (let next = this.held.shift(); next !== undefined; next = this.held.shift()) {
      next.resolve(checkJob(next.job, CHAIN_ID, keys.crypto));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** What the leader of view 1 builds on the genesis block. */
function firstBlock(): Block {
  const signer = signers[leader];
  assert(signer !== undefined, "every view has a leader");
  const app = new CounterApp({ blocksPerEpoch: 1_000, stakesOf: () => stakes }, epoch.root, 0);
  return app.build({
    type: "build",
    ...{ epoch: 0, view: 1, parent: epoch.root, time: 1_000, emptyOnly: false, proposer: leader },
    reveal: signer.sign(revealMessage(CHAIN_ID, 0, 1)),
    parentCertificate: undefined,
  });
}

describe("the inbox", () => {
  it("checks votes that came while others were being checked, if they complete a quorum with those", async () => {
    const node = new SlowNode();
    // Three of seven are more than a third, which is worth a check; five are a quorum.
    void node.hear(others.slice(0, 3));
    expect(node.held).toHaveLength(1);
    void node.hear(others.slice(3, 5));
    await node.finishChecks();
    expect(node.state.view).toBe(2);
    expect(node.inbox.waitingVotes).toBe(0);
  });

  it("does not let a false vote hold up true ones that came while it was being checked", async () => {
    const node = new SlowNode();
    const votes = [0, 1, 2, 3, 4, 5].map((index) => vote(index, notarize));
    const lie = node.hear([{ ...vote(6, notarize), signature: new Uint8Array(32) }], "liar");
    void node.hear(votes.slice(0, 4));
    expect(node.held).toHaveLength(1);
    void node.hear(votes.slice(4, 5));
    await node.finishChecks();
    expect(node.blamed).toEqual(["liar"]);
    expect(await Promise.all(lie)).toEqual(["ignored"]);
    expect(node.state.view).toBe(2);
  });

  it("checks the votes that waited beside a false one, and blames only who sent that", async () => {
    const node = new SlowNode();
    const votes = [0, 1, 2, 3, 4].map((index) => vote(index, notarize));
    void node.hear(votes.slice(0, 4));
    const [lie] = node.hear([{ ...vote(0, notarize), signature: new Uint8Array(32) }], "liar");
    void node.hear(votes.slice(4));
    await node.finishChecks();
    expect(await lie).toBe("bad");
    expect(node.blamed).toEqual(["liar"]);
    expect(node.state.view).toBe(2);
  });

  it("looks again at votes that wait when one of them is sent again", async () => {
    const node = new SlowNode();
    const votes = [0, 1, 2, 3, 4].map((index) => vote(index, notarize));
    void node.hear(votes.slice(0, 4));
    expect(node.held).toHaveLength(0);
    // As the own vote is: counted without passing here.
    const own = votes[4] as Vote;
    step(node.state, 0, { type: "votes", votes: [own], sum: own.signature });
    void node.hear(votes.slice(0, 1));
    await node.finishChecks();
    expect(node.state.view).toBe(2);
  });

  it("hands on no block whose body is not its header's, and blames who sent it", async () => {
    const block = firstBlock();
    const signed = vote(leader, { kind: "PROPOSE", epoch: 0, view: 1, hash: block.hash });
    const message: Extract<Message, { type: "proposal" }> = {
      type: "proposal",
      proposal: { vote: signed, block, parentView: 0 },
    };
    const node = new SlowNode((read) => {
      if (read.body.length > 0) return read;
      throw new CodedError("BLOCK_TRANSACTIONS_ROOT_MISMATCH", "another body");
    });
    const swapped = { ...message.proposal, block: { ...block, body: new Uint8Array(0) } };
    const first = node.inbox.receive("liar", { type: "proposal", proposal: swapped });
    const second = node.inbox.receive("peer", message);
    await node.finishChecks();
    await new Promise((resolve) => setImmediate(resolve));
    await node.finishChecks();
    expect(await Promise.all([first, second])).toEqual(["bad", "good"]);
    expect(node.blamed).toEqual(["liar"]);
    expect(node.state.rounds.get(1)?.candidate?.block.body).toEqual(block.body);
  });

  it("keeps nothing of a message but the final blocks that it takes from it", async () => {
    const block = firstBlock();
    const votes = [0, 1, 2, 3, 4].map((index) =>
      vote(index, { kind: "FINALIZE", epoch: 0, view: 1, hash: block.hash }),
    );
    const certificate = certify(votes, epoch.set, keys.crypto);
    assert(certificate !== undefined, "five of seven are a quorum");
    const packet = new Uint8Array(1024 * 1024);
    packet.set(block.body);
    const inPacket = { ...block, body: packet.subarray(0, block.body.length) };
    const node = new SlowNode();
    const received = node.inbox.receive("peer", { type: "finals", segments: [{ blocks: [inPacket], certificate }] });
    await node.finishChecks();
    expect(await received).toBe("good");
    const body = node.state.blocks.get(block.hash)?.block.body;
    expect(body).toEqual(block.body);
    expect(body?.buffer.byteLength).toBe(block.body.length);
  });

  it("checks few of many false certificates of one peer, and drops the rest with the first that is false", async () => {
    const node = new SlowNode();
    const falseOne = (view: number): Message => ({
      type: "certificate",
      certificate: { ...nullify, kind: "NULLIFY", view, signers: new Uint8Array([127]), signature: new Uint8Array(96) },
    });
    const flood = Array.from({ length: 1_000 }, (_, view) => node.inbox.receive("liar", falseOne(view + 1)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(node.held).toHaveLength(MAX_CHECKS_PER_PEER);
    void node.hear(others.slice(0, 3));
    expect(node.held).toHaveLength(MAX_CHECKS_PER_PEER + 1);
    await node.finishChecks();
    const judgements = await Promise.all(flood);
    expect(judgements.filter((judgement) => judgement === "bad")).toHaveLength(MAX_CHECKS_PER_PEER);
    expect(node.blamed).toHaveLength(MAX_CHECKS_PER_PEER);
  });

  it("checks all certificates of a peer that sends true ones", async () => {
    const node = new SlowNode();
    const trueOne = (view: number): Message => {
      const certificate = certify(
        [0, 1, 2, 3, 4].map((index) => vote(index, { ...nullify, view })),
        epoch.set,
        keys.crypto,
      );
      assert(certificate !== undefined, "votes make a certificate");
      return { type: "certificate", certificate };
    };
    const views = Array.from({ length: 100 }, (_, index) => index + 1);
    const judgements = views.map((view) => node.inbox.receive("peer", trueOne(view)));
    await new Promise((resolve) => setImmediate(resolve));
    await node.finishChecks();
    expect(new Set(await Promise.all(judgements))).toEqual(new Set(["good"]));
    expect(node.state.view).toBe(views.length + 1);
  });
});
