import { expect, it } from "vitest";
import { assert } from "../../../base/errors.ts";
import { revealMessage, voteMessage } from "../../../base/votes.ts";
import { certify, verifyCertificate } from "../../../chain/consensus/certificate.ts";
import type { Effect, Event } from "../../../chain/consensus/events.ts";
import { leaderOf } from "../../../chain/consensus/leader.ts";
import { isQuorum } from "../../../chain/consensus/quorum.ts";
import { initialState, makeEpoch } from "../../../chain/consensus/state.ts";
import { step } from "../../../chain/consensus/step.ts";
import type { Vote } from "../../../chain/consensus/types.ts";
import { idAt, weightAt, weightOf } from "../../../chain/consensus/validator-set.ts";
import { CounterApp, genesisBlock } from "../../sim/counter-app.ts";
import { SIM_PARAMETERS } from "../../sim/scenario.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";

const HEAVY = 3;
const LIGHT = 6;

/** Three that are a quorum together, and six that are not. */
function unequalValidators() {
  const keys = simulatedKeys();
  const signers = Array.from({ length: HEAVY + LIGHT }, (_, index) => keys.signer(`unequal ${index}`));
  const stakes = signers.map(({ id }, index) => ({ id, stake: index < HEAVY ? 100n : 1n }));
  return { keys, signers, stakes };
}

it("a leader proposes with a quorum's votes for the parent, however many light ones it has itself", () => {
  const { keys, signers, stakes } = unequalValidators();
  const parameters = SIM_PARAMETERS;
  const epoch = makeEpoch(0, stakes, genesisBlock());
  const { set } = epoch;
  const leader = (view: number): number => leaderOf(set, epoch.seed, view);
  const signerAt = (index: number) => {
    const signer = signers.find(({ id }) => id === idAt(set, index));
    assert(signer !== undefined, "every validator has a key");
    return signer;
  };
  const proposer = signerAt(leader(1));
  const app = new CounterApp({ blocksPerEpoch: 1_000, stakesOf: () => stakes }, epoch.root, 0);
  const block = app.build({
    type: "build",
    ...{ epoch: 0, view: 1, parent: epoch.root, time: 1_000, emptyOnly: false, proposer: leader(1) },
    reveal: proposer.sign(revealMessage(parameters.chainId, 0, 1)),
    parentCertificate: undefined,
  });
  const notarize = (validator: number): Vote => {
    const content = { kind: "NOTARIZE", epoch: 0, view: 1, hash: block.hash } as const;
    return { ...content, validator, signature: signerAt(validator).sign(voteMessage(parameters.chainId, content)) };
  };
  const indices = set.ids.map((_, index) => index);
  const heavy = indices.filter((index) => weightAt(set, index) > 1n);
  const light = indices.filter((index) => weightAt(set, index) === 1n);
  expect([heavy.length, isQuorum(weightOf(set, light), set.total)]).toEqual([HEAVY, false]);
  const certificate = certify(heavy.map(notarize), set, keys.crypto);
  assert(certificate !== undefined, "votes make a certificate");

  const core = { parameters, crypto: keys.crypto, signer: signerAt(leader(2)) };
  const state = initialState(core, { epoch, final: epoch.root, certificate: undefined });
  const effects: Effect[] = [];
  const feed = (event: Event): void => void effects.push(...step(state, 5_000, event));
  const from = idAt(set, leader(1));
  const vote: Vote = { ...notarize(leader(1)), kind: "PROPOSE" };
  feed({ type: "start" });
  feed({ type: "message", from, message: { type: "proposal", proposal: { vote, block, parentView: 0 } } });
  feed({ type: "executed", hash: block.hash, valid: true });
  feed({ type: "message", from, message: { type: "certificate", certificate } });
  for (const index of light) {
    const vote = notarize(index);
    feed({ type: "votes", votes: [vote], sum: vote.signature });
  }
  feed({ type: "work", waiting: true });
  const built = effects.find((effect) => effect.type === "build");
  assert(built?.parentCertificate !== undefined, "the leader of view 2 builds on the block of view 1");
  expect(verifyCertificate(built.parentCertificate, set, parameters.chainId, keys.crypto)).toBe(true);
});
