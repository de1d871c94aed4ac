import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { type CheckJob, checkJob, validVotes } from "../../../chain/consensus/check-job.ts";
import type { Crypto } from "../../../chain/consensus/crypto.ts";
import { leaderOf } from "../../../chain/consensus/leader.ts";
import { VIEW_WINDOW } from "../../../chain/consensus/limits.ts";
import { initialState, makeEpoch, roundOf } from "../../../chain/consensus/state.ts";
import { NO_HASH, type Vote, type VoteContent } from "../../../chain/consensus/types.ts";
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
const epoch = makeEpoch(0, stakes, genesisBlock(), parameters);
const notarize: VoteContent = { kind: "NOTARIZE", epoch: 0, view: 1, hash: HASH };

/** Offers votes to a gate and gives the votes of each check that it asks for. */
function offer(gate: VoteGate, votes: readonly Vote[]): number[][] {
  const state = initialState({ parameters, crypto: keys.crypto }, { epoch, final: epoch.root, certificate: undefined });
  return votes
    .flatMap((one) => gate.prepare(state, idAt(set, 0), { type: "vote", vote: one }))
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
    expect(events).toEqual([{ type: "message", from: other, message: { type: "vote", vote: vote(1, notarize) } }]);
  });
});
