import { describe, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { portableBls } from "../../base/bls-portable.ts";
import type { ChainSpec, GenesisValidator } from "../../genesis/chain-spec.ts";
import { developmentValidators } from "../../genesis/development-validators.ts";
import { networkSpec } from "../../genesis/networks.ts";
import { verifyValidators } from "../../genesis/verify-validators.ts";
import { sampleSpec } from "./support/sample-spec.ts";

const [first, second] = developmentValidators(2, bls) as [GenesisValidator, GenesisValidator];

function withValidators(...validators: readonly GenesisValidator[]): ChainSpec {
  return { ...sampleSpec(), validators };
}

describe("the validators of a spec that is to run", () => {
  it("are accepted when each proves that it has its key, by either engine", () => {
    expect(() => verifyValidators(withValidators(first, second), bls)).not.toThrow();
    expect(() => verifyValidators(withValidators(first), portableBls)).not.toThrow();
  });

  it.each(["testnet", "mainnet"] as const)("are missing on %s, which says that it is not launched", (name) => {
    expect(() => verifyValidators(networkSpec(name), bls)).toThrow(
      expect.objectContaining({ code: "SPEC_NOT_LAUNCHED", message: expect.stringContaining(name) }),
    );
  });

  it.each([
    ["with the proof of another key", { proofOfPossession: second.proofOfPossession }],
    ["with a proof that is no point", { proofOfPossession: `0x${"11".repeat(96)}` as const }],
    ["with a key that is no point", { publicKey: `0x${"11".repeat(48)}` as const }],
    ["with the key at infinity", { publicKey: `0xc0${"00".repeat(47)}` as const }],
  ])("are refused %s, naming it", (_what, change) => {
    expect(() => verifyValidators(withValidators(second, { ...first, ...change }), bls)).toThrow(
      expect.objectContaining({ code: "SPEC_VALIDATOR_INVALID", data: expect.objectContaining({ index: 1 }) }),
    );
  });
});
