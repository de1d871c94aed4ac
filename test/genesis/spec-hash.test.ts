import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { parseChainSpec } from "../../genesis/parse-chain-spec.ts";
import { specHash } from "../../genesis/spec-hash.ts";
import { changed, sampleSpec } from "./support/sample-spec.ts";

const hashOf = (spec: ChainSpec): string => bytesToHex(specHash(spec));
const original = hashOf(sampleSpec());

describe("specHash", () => {
  it("does not depend on notes, the order of accounts or how amounts are written", () => {
    const spec = sampleSpec();
    expect(hashOf({ ...spec, accounts: [...spec.accounts].reverse() })).toBe(original);
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
