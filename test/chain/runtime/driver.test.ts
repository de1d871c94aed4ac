import { expect, it } from "vitest";
import { NO_HASH } from "../../../base/votes.ts";
import { certify } from "../../../chain/consensus/certificate.ts";
import { makeEpoch } from "../../../chain/consensus/state.ts";
import type { Certificate, Message } from "../../../chain/consensus/types.ts";
import { ConsensusDriver } from "../../../chain/runtime/driver.ts";
import { genesisBlock } from "../../sim/counter-app.ts";
import { SIM_PARAMETERS } from "../../sim/scenario.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CHAIN_ID, testValidators } from "../consensus/support/validators.ts";

const keys = simulatedKeys();
const { set, stakes, vote } = testValidators(keys, 4);
const parameters = { ...SIM_PARAMETERS, chainId: CHAIN_ID };
const epoch = makeEpoch(0, stakes, genesisBlock());
const votes = [0, 1, 2].map((index) => vote(index, { kind: "NULLIFY", epoch: 0, view: 1, hash: NO_HASH }));
const certificate = certify(votes, set, keys.crypto) as Certificate;

/** A node without a key whose log is durable when the test says so. */
function driven(send: (message: Message) => void) {
  let synced: (position: number) => void = () => undefined;
  const failures: unknown[] = [];
  const fail = (): never => expect.fail("no block is made or executed here");
  const driver = new ConsensusDriver({
    core: { parameters, crypto: keys.crypto },
    base: { epoch, final: epoch.root, certificate: undefined },
    log: {
      append: () => undefined,
      replace: () => undefined,
      onSynced: (listener) => {
        synced = listener;
      },
    },
    records: [],
    ledger: { has: fail, executing: fail, building: fail },
    clock: { now: () => 0, setTimer: () => () => undefined },
    ports: {
      send: (_, message) => send(message),
      serve: () => undefined,
      recover: fail,
      run: fail,
      candidates: () => [],
      onRejected: () => undefined,
      commit: fail,
      onEvidence: () => undefined,
      onAlarm: () => undefined,
      onInvalidBlock: () => undefined,
      onStep: () => undefined,
      onFailure: (error) => failures.push(error),
    },
  });
  driver.start();
  driver.dispatch({ type: "message", from: "peer", message: { type: "certificate", certificate } });
  return { driver, failures, sync: (position: number) => synced(position) };
}

it("says nothing before the log is durable up to what it is about", () => {
  const said: Message[] = [];
  const { failures, sync } = driven((message) => said.push(message));
  expect(said).toEqual([]);
  sync(1);
  expect(said).toEqual([{ type: "certificate", certificate }]);
  expect(failures).toEqual([]);
});

it("stops, and tells whoever runs it, when what waited for the log cannot be sent", () => {
  const bug = new Error("cannot encode");
  const { driver, failures, sync } = driven(() => {
    throw bug;
  });
  // The log calls: nothing may be thrown into its face.
  expect(() => sync(1)).not.toThrow();
  expect(failures).toEqual([bug]);
  const { view } = driver.state;
  driver.dispatch({ type: "timer", timer: "view" });
  expect(driver.state.view).toBe(view);
  expect(failures).toHaveLength(1);
});

it("carries nothing out once it is stopped", () => {
  const said: Message[] = [];
  const { driver, sync } = driven((message) => said.push(message));
  driver.stop();
  sync(1);
  expect(said).toEqual([]);
});
