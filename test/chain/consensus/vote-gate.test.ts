import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { NO_HASH, type VoteContent } from "../../../base/votes.ts";
import { certify } from "../../../chain/consensus/certificate.ts";
import { type CheckJob, checkJob, type ReceivedVote, validVotes } from "../../../chain/consensus/check-job.ts";
import type { Crypto } from "../../../chain/consensus/crypto.ts";
import { leaderOf } from "../../../chain/consensus/leader.ts";
import { MAX_UNCHECKED_PER_PEER, VIEW_WINDOW } from "../../../chain/consensus/limits.ts";
import { type ConsensusState, initialState, makeEpoch, roundOf } from "../../../chain/consensus/state.ts";
import { step } from "../../../chain/consensus/step.ts";
import type { Certificate, Message, Vote } from "../../../chain/consensus/types.ts";
import { idAt } from "../../../chain/consensus/validator-set.ts";
import { VoteGate } from "../../../chain/consensus/vote-gate.ts";
import { genesisBlock } from "../../sim/counter-app.ts";
import { SIM_PARAMETERS } from "../../sim/scenario.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CHAIN_ID, testValidators } from "./support/validators.ts";

const HASH: Hex = `0x${"11".repeat(32)}`;
const OTHER: Hex = `0x${"22".repeat(32)}`;
const keys = simulatedKeys();
const { set, stakes, vote } = testValidators(keys, 4);
const parameters = { ...SIM_PARAMETERS, chainId: CHAIN_ID };
const epoch = makeEpoch(0, stakes, genesisBlock());
const notarize: VoteContent = { kind: "NOTARIZE", epoch: 0, view: 1, hash: HASH };

/** Offers votes to a gate, each from its validator's own node, and gives the votes of each check that it asks for. */
function offer(gate: VoteGate, votes: readonly Vote[]): number[][] {
  const state = initialState({ parameters, crypto: keys.crypto }, { epoch, final: epoch.root, certificate: undefined });
  return votes
    .flatMap((one) => gate.prepare(state, set.ids[one.validator] ?? "nobody", { type: "vote", vote: one }))
    .map((job) => (job.type === "votes" ? job.votes.map((received) => received.vote.validator) : []));
}

describe("the vote gate", () => {
  it("lets votes wait until they would make a quorum, then asks for one check of all", () => {
    expect(offer(new VoteGate(), [vote(0, notarize), vote(1, notarize)])).toEqual([]);
    expect(
      offer(
        new VoteGate(),
        [0, 1, 2].map((index) => vote(index, notarize)),
      ),
    ).toEqual([[0, 1, 2]]);
  });

  it("asks at once for the leader's NULLIFY, and for others when they are more than a third", () => {
    const nullify: VoteContent = { kind: "NULLIFY", epoch: 0, view: 1, hash: NO_HASH };
    const leader = leaderOf(epoch.set, epoch.seed, 1);
    const [first = 0, second = 0] = [0, 1, 2, 3].filter((index) => index !== leader);
    expect(offer(new VoteGate(), [vote(leader, nullify)])).toEqual([[leader]]);
    expect(offer(new VoteGate(), [vote(first, nullify), vote(second, nullify)])).toEqual([[first, second]]);
  });

  it("asks for both votes of a validator that conflict, as evidence", () => {
    const twice = [vote(2, notarize), vote(2, { ...notarize, hash: OTHER })];
    expect(offer(new VoteGate(), twice)).toEqual([[2], [2]]);
  });

  it("does not let a false vote in somebody's name keep the true one out", () => {
    for (const length of [0, 3, 32]) {
      const fake = { ...vote(1, notarize), signature: new Uint8Array(length) };
      expect(offer(new VoteGate(), [fake, vote(1, notarize)])).toEqual([[1], [1]]);
    }
  });

  it("keeps nothing more in the name of a validator that has broken the rules in that view", () => {
    const base = { epoch, final: epoch.root, certificate: undefined };
    const state = initialState({ parameters, crypto: keys.crypto }, base);
    roundOf(state, 1).accused.add(2);
    const gate = new VoteGate();
    for (let i = 10; i < 60; i++) {
      const lie = { ...vote(2, notarize), hash: `0x${String(i).repeat(32)}` as const };
      expect(gate.prepare(state, idAt(set, 0), { type: "vote", vote: lie })).toEqual([]);
    }
    expect(gate.size).toBe(0);
  });

  it("drops what is malformed or out of reach, and keeps no repetition", () => {
    const gate = new VoteGate();
    const bad: readonly Vote[] = [
      { ...vote(0, notarize), validator: 4 },
      vote(0, { ...notarize, hash: NO_HASH }),
      vote(0, { ...notarize, view: 2 + VIEW_WINDOW }),
      vote(0, { ...notarize, kind: "PROPOSE" }),
    ];
    expect(offer(gate, bad)).toEqual([]);
    expect(gate.size).toBe(0);
    offer(gate, [vote(0, notarize), vote(0, notarize)]);
    expect(gate.size).toBe(1);
  });
});

describe("votes that are not checked", () => {
  const { set: seven, stakes: stakesOfSeven, vote: voteOf } = testValidators(keys, 7, "seven");
  const epochOfSeven = makeEpoch(0, stakesOfSeven, genesisBlock());
  const fresh = (): ConsensusState =>
    initialState(
      { parameters, crypto: keys.crypto },
      { epoch: epochOfSeven, final: epochOfSeven.root, certificate: undefined },
    );
  const votesOf = (job: CheckJob | undefined): readonly ReceivedVote[] => (job?.type === "votes" ? job.votes : []);
  const hear = (gate: VoteGate, state: ConsensusState, one: Vote, from: string = idAt(seven, one.validator)) =>
    gate.prepare(state, from, { type: "vote", vote: one });

  it("are few of each peer in each view, in whosever name, and take no place of others", () => {
    const gate = new VoteGate();
    const state = fresh();
    for (let index = 0; index < 7; index++) hear(gate, state, voteOf(index, { ...notarize, hash: OTHER }), "liar");
    expect(gate.size).toBe(MAX_UNCHECKED_PER_PEER);
    for (let view = 2; view < 10; view++) hear(gate, state, voteOf(1, { ...notarize, view }), "liar");
    expect(gate.size).toBe(MAX_UNCHECKED_PER_PEER + 8);
    const jobs = [4, 5, 6].flatMap((index) => hear(gate, state, voteOf(index, notarize)));
    expect(jobs).toEqual([]);
    gate.dropPeer(state, "liar");
    expect(gate.size).toBe(3);
    const checked = [0, 1].flatMap((index) => hear(gate, state, voteOf(index, notarize)));
    expect(checked.map((job) => votesOf(job).length)).toEqual([5]);
  });

  it("are all those of an honest peer, however many views are open", () => {
    const gate = new VoteGate();
    const state = fresh();
    for (let view = 1; view <= VIEW_WINDOW; view++) {
      for (const kind of ["NOTARIZE", "NULLIFY"] as const) {
        const [index = 0] = [0, 1].filter((one) => one !== leaderOf(epochOfSeven.set, epochOfSeven.seed, view));
        hear(gate, state, voteOf(index, { kind, epoch: 0, view, hash: kind === "NULLIFY" ? NO_HASH : HASH }));
      }
    }
    expect(gate.size).toBe(2 * VIEW_WINDOW);
  });

  it("are checked in one group at a time: those that come meanwhile wait, and are checked when it ends", () => {
    const gate = new VoteGate();
    const state = fresh();
    const [job] = [0, 1, 2, 3, 4].flatMap((index) => hear(gate, state, voteOf(index, notarize)));
    expect(votesOf(job)).toHaveLength(5);
    expect(hear(gate, state, voteOf(5, notarize))).toEqual([]);
    // A copy of one that is being checked is of no use.
    expect(hear(gate, state, voteOf(0, notarize), "liar")).toEqual([]);
    expect(gate.size).toBe(1);
    const [first, ...good] = votesOf(job).map((received) => received.vote);
    step(state, 0, { type: "votes", votes: good, sum: keys.crypto.aggregate(good.map(signatureOf)) as Uint8Array });
    // Validator 0's was false, say, and the last one completes the quorum in its place.
    expect(first?.validator).toBe(0);
    const next = gate.settle(state, votesOf(job));
    expect(next.map((one) => votesOf(one).map((received) => received.vote.validator))).toEqual([[5]]);
    expect(gate.settle(state, votesOf(next[0]))).toEqual([]);
  });

  it("are asked for again when a check was dropped", () => {
    const gate = new VoteGate();
    const state = fresh();
    const all = [0, 1, 2, 3, 4].map((index) => voteOf(index, notarize));
    const [job] = all.flatMap((one) => hear(gate, state, one));
    expect(gate.settle(state, votesOf(job))).toEqual([]);
    const again = all.flatMap((one) => hear(gate, state, one));
    expect(again.map((one) => votesOf(one).length)).toEqual([5]);
  });

  it("show that a leader proposed two blocks, when one of its PROPOSE votes is known", () => {
    const gate = new VoteGate();
    const state = fresh();
    const leader = leaderOf(epochOfSeven.set, epochOfSeven.seed, 1);
    const propose = (hash: Hex, by = leader): Vote => voteOf(by, { ...notarize, kind: "PROPOSE", hash });
    expect(hear(gate, state, propose(OTHER))).toEqual([]);
    const known = propose(HASH);
    roundOf(state, 1).votes.add([known], known.signature);
    expect(hear(gate, state, known)).toEqual([]);
    expect(hear(gate, state, propose(OTHER, (leader + 1) % 7))).toEqual([]);
    const [job] = hear(gate, state, propose(OTHER), "witness");
    expect(votesOf(job)).toEqual([{ vote: propose(OTHER), from: "witness" }]);
    const effects = step(state, 0, { type: "votes", votes: [propose(OTHER)], sum: propose(OTHER).signature });
    expect(effects).toContainEqual({
      type: "evidence",
      evidence: { first: known, second: propose(OTHER) },
      offence: "double-propose",
    });
  });
});

function signatureOf({ signature }: Vote): Uint8Array {
  return signature;
}

describe("a peer that lags", () => {
  const finalize = (view: number): Certificate => {
    const content: VoteContent = { kind: "FINALIZE", epoch: 0, view, hash: HASH };
    const certificate = certify(
      [0, 1, 2].map((index) => vote(index, content)),
      set,
      keys.crypto,
    );
    if (certificate === undefined) throw new Error("three of four are a quorum");
    return certificate;
  };
  const laggards = (state: ConsensusState, message: Message): unknown[] =>
    new VoteGate().prepare(state, "peer", message).map((job) => job.type === "pass" && job.event);
  const base = { epoch, final: epoch.root, certificate: undefined };

  it("is known by the certificate of an older final block, but not by one like our own", () => {
    const state = initialState({ parameters, crypto: keys.crypto }, base);
    state.finalView = 5;
    state.finalCertificate = finalize(5);
    const old = { type: "certificate", certificate: finalize(3) } as const;
    expect(laggards(state, old)).toEqual([{ type: "lagging", from: "peer", view: undefined }]);
    expect(laggards(state, { type: "certificate", certificate: finalize(5) })).toEqual([]);
    // Of the epoch before: both have nothing but the seal.
    state.epoch = { ...epoch, number: 1 };
    expect(laggards(state, { type: "certificate", certificate: finalize(5) })).toEqual([]);
  });

  it("is known by its NULLIFY of a view that is notarized here, which counts nevertheless", () => {
    const state = initialState({ parameters, crypto: keys.crypto }, base);
    const nullify: VoteContent = { kind: "NULLIFY", epoch: 0, view: 1, hash: NO_HASH };
    const [index = 0] = [0, 1].filter((one) => one !== leaderOf(epoch.set, epoch.seed, 1));
    const message = { type: "vote", vote: vote(index, nullify) } as const;
    expect(laggards(state, message)).toEqual([]);
    roundOf(state, 1).notarization = { ...finalize(1), kind: "NOTARIZE" };
    const gate = new VoteGate();
    expect(gate.prepare(state, "peer", message)).toEqual([
      { type: "pass", event: { type: "lagging", from: "peer", view: 1 } },
    ]);
    expect(gate.size).toBe(1);
  });
});

describe("checking votes", () => {
  const { set: large, vote: voteOf } = testValidators(keys, 64, "many");
  const counting = (): { crypto: Crypto; checks: () => number } => {
    let checks = 0;
    const verifyEach: Crypto["verifyEach"] = (...args) => {
      checks++;
      return keys.crypto.verifyEach(...args);
    };
    return { crypto: { ...keys.crypto, verifyEach }, checks: () => checks };
  };
  const votes = Array.from({ length: 64 }, (_, index) => voteOf(index, notarize));

  it("takes one check when all are right", () => {
    const { crypto, checks } = counting();
    expect(validVotes(votes, large, CHAIN_ID, crypto)).toEqual(votes);
    expect(checks()).toBe(1);
  });

  it("finds the false ones by halving, and keeps the rest", () => {
    const { crypto, checks } = counting();
    const spoiled = votes.map((one, index) =>
      index === 17
        ? { ...one, signature: new Uint8Array(32) }
        : index === 40
          ? { ...one, signature: new Uint8Array(3) }
          : one,
    );
    const good = validVotes(spoiled, large, CHAIN_ID, crypto).map(({ validator }) => validator);
    expect(good).toEqual(votes.map(({ validator }) => validator).filter((index) => index !== 17 && index !== 40));
    expect(checks()).toBeLessThan(26);
  });

  it("does not take votes for right because their sum is", () => {
    const [first, second, ...rest] = votes;
    if (!first || !second) return expect.unreachable();
    const swapped = [{ ...first, signature: second.signature }, { ...second, signature: first.signature }, ...rest];
    expect(validVotes(swapped, large, CHAIN_ID, keys.crypto)).toEqual(rest);
  });

  it("lets nothing with a false signature into the core, and blames who sent it, not who is named", () => {
    const [sender, other] = [idAt(set, 3), idAt(set, 1)];
    const fake = { vote: { ...vote(0, notarize), signature: new Uint8Array(32) }, from: sender };
    const job: CheckJob = { type: "votes", set, votes: [fake, { vote: vote(1, notarize), from: other }] };
    const { events, blamed } = checkJob(job, CHAIN_ID, keys.crypto);
    expect(blamed).toEqual([sender]);
    const good = vote(1, notarize);
    expect(events).toEqual([{ type: "votes", votes: [good], sum: good.signature }]);
  });
});
