import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { parseChainSpec } from "../../genesis/parse-chain-spec.ts";
import { specHash } from "../../genesis/spec-hash.ts";
import { changed, sampleSpec } from "./support/sample-spec.ts";

const hashOf = (spec: ChainSpec): string => bytesToHex(specHash(spec));
const original = hashOf(sampleSpec());

describe("specHash", () => {
  it("does not depend on notes, the order of accounts and validators, or how amounts are written", () => {
    const spec = sampleSpec();
    expect(hashOf({ ...spec, accounts: [...spec.accounts].reverse() })).toBe(original);
    expect(hashOf({ ...spec, validators: [...spec.validators].reverse() })).toBe(original);
    expect(hashOf(parseChainSpec(changed("accounts.0.note", "somebody else")))).toBe(original);
    expect(hashOf(parseChainSpec(changed("accounts.0.balance", `1${"0".repeat(21)} wei`)))).toBe(original);
  });

  it.each([
    ["name", "other"],
    ["chainId", 777_002],
    ["fork", "prague"],
    ["genesisTime", 1_700_000_001],
    ["block.intervalMilliseconds", 999],
    ["block.gasLimit", 30_000_001],
    ["block.initialBaseFee", "2 gwei"],
    ["block.maxTransactionBytes", 131_073],
    ["block.allowUnprotected", true],
    ["consensus.viewTimeoutMilliseconds", 3001],
    ["consensus.viewTimeoutStepMilliseconds", 1001],
    ["consensus.viewTimeoutCapMilliseconds", 30_001],
    ["consensus.heartbeatMilliseconds", 60_001],
    ["consensus.resendMilliseconds", 3001],
    ["consensus.fetchMilliseconds", 1001],
    ["consensus.maxSkewMilliseconds", 2001],
    ["consensus.maxUnfinalBlocks", 9],
    ["consensus.weightCapDivisor", 21],
    ["consensus.epochBlocks", 3601],
    ["consensus.trustingPeriodSeconds", 1_209_601],
    ["validators.0.publicKey", `0x${"c".repeat(96)}`],
    ["validators.0.proofOfPossession", `0x${"c".repeat(192)}`],
    ["validators.0.stake", "101 oGPU"],
    ["validators.0.operator", "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"],
    ["validators", []],
    ["verifiers", [{ account: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", stake: "100 oGPU" }]],
    ["modules.token.emission.initialPerBlock", "0.04 oGPU"],
    ["modules.token.emission.halvingBlocks", 1],
    ["accounts.0.balance", "1 oGPU"],
    ["accounts.0.nonce", 7],
    ["accounts.1.code", "0x6001600056"],
    ["accounts.1.storage", {}],
    ["accounts", []],
  ])("depends on %s", (path, value) => {
    expect(hashOf(parseChainSpec(changed(path, value)))).not.toBe(original);
  });
});
