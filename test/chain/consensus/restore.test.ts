import { expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import type { VoteContent } from "../../../base/votes.ts";
import { restore } from "../../../chain/consensus/restore.ts";
import { makeEpoch } from "../../../chain/consensus/state.ts";
import type { LogRecord } from "../../../chain/consensus/types.ts";
import { genesisBlock } from "../../sim/counter-app.ts";
import { SIM_PARAMETERS } from "../../sim/scenario.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CHAIN_ID, testValidators } from "./support/validators.ts";

const keys = simulatedKeys();
const { stakes, signers } = testValidators(keys, 4);
const parameters = { ...SIM_PARAMETERS, chainId: CHAIN_ID };
const epoch = makeEpoch(0, stakes, genesisBlock());
const base = { epoch, final: epoch.root, certificate: undefined };
const options = { parameters, crypto: keys.crypto, signer: signers[0] };
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
const vote = (of: number, view: number): VoteContent => ({ kind: "NOTARIZE", epoch: of, view, hash: hash("11") });
const record = (content: VoteContent): LogRecord => ({ type: "vote", vote: content });

it("a vote in the log is not signed for another block after a restart", () => {
  const { guard, view } = restore(options, base, [record(vote(0, 3))]);
  expect(view).toBe(3);
  expect(guard.allows({ ...vote(0, 3), hash: hash("22") })).toBe(false);
  expect(guard.allows(vote(0, 4))).toBe(true);
});

it("nothing is signed up to the votes of later epochs, when the store was lost or set back", () => {
  const { guard } = restore(options, base, [record(vote(2, 5)), record(vote(2, 4)), record(vote(1, 9))]);
  // Nothing of epochs before: the log may have forgotten those votes.
  expect(guard.allows(vote(0, 3))).toBe(false);
  guard.prune(1, 0);
  expect(guard.allows(vote(1, 10))).toBe(false);
  guard.prune(2, 0);
  expect(guard.allows({ ...vote(2, 5), hash: hash("22") })).toBe(false);
  expect(guard.allows(vote(2, 6))).toBe(true);
});

it("a floor that the log names is kept when it is higher than the votes", () => {
  const { guard } = restore({ ...options, floor: { epoch: 2, view: 8 } }, base, [record(vote(2, 5))]);
  guard.prune(2, 0);
  expect(guard.allows(vote(2, 8))).toBe(false);
  expect(guard.allows(vote(2, 9))).toBe(true);
});
