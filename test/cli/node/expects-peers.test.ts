import { expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { blsSigner } from "../../../chain/consensus/bls-crypto.ts";
import { expectsPeers } from "../../../cli/node/expects-peers.ts";
import { developmentValidatorKey, developmentValidators } from "../../../genesis/development-validators.ts";
import { sampleSpec } from "../../genesis/support/sample-spec.ts";

const specOf = (validators: number) => ({ ...sampleSpec(), validators: developmentValidators(validators, bls) });
const key = { isDevelopment: false, signer: blsSigner(bls, developmentValidatorKey(0, bls)) };
const none = { bootstrap: [], persistent: [], spec: specOf(4), key: undefined };

it("a node waits for the peers that its operator names", () => {
  expect(expectsPeers(none)).toBe(false);
  expect(expectsPeers({ ...none, key })).toBe(false);
  for (const own of [undefined, key]) {
    expect(expectsPeers({ ...none, key: own, bootstrap: ["a"] })).toBe(true);
    expect(expectsPeers({ ...none, key: own, persistent: ["a"] })).toBe(true);
  }
});

it("a development validator and one that is alone begin at once", () => {
  expect(expectsPeers({ ...none, persistent: ["a"], key: { ...key, isDevelopment: true } })).toBe(false);
  expect(expectsPeers({ ...none, persistent: ["a"], key, spec: specOf(1) })).toBe(false);
});
