import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import { makeValidatorSet } from "../../chain/consensus/validator-set.ts";
import { consensusParametersOf, genesisWeights } from "../../chain/consensus-parameters.ts";
import { buildGenesisBlock } from "../../chain/genesis-block.ts";
import type { ChainSpec, ConsensusSpec } from "../../genesis/chain-spec.ts";
import { NETWORK_NAMES, networkSpec } from "../../genesis/networks.ts";
import { verifyParameters } from "../../genesis/verify-parameters.ts";

describe("the consensus parameters of a spec", () => {
  it.each(NETWORK_NAMES)("are valid for %s", (name) => {
    const spec = networkSpec(name);
    expect(consensusParametersOf(spec)).toMatchObject({
      chainId: spec.chainId,
      blockInterval: spec.block.intervalMilliseconds,
      viewTimeout: spec.consensus.viewTimeoutMilliseconds,
    });
  });

  it("are refused by consensus only where the spec's own rules refuse them", () => {
    const spec = networkSpec("devnet");
    const withValue = (name: keyof ConsensusSpec, value: number): ChainSpec => ({
      ...spec,
      consensus: { ...spec.consensus, [name]: value },
    });
    for (const name of Object.keys(spec.consensus) as (keyof ConsensusSpec)[]) {
      for (const value of [-1, 0, 1, 3, 4, 200, 201, 9_999, 10_000_001]) {
        const changed = withValue(name, value);
        if (verifyParameters(changed).length > 0) continue;
        expect(() => consensusParametersOf(changed)).not.toThrow();
      }
    }
  });
});

describe("the genesis header", () => {
  it("names the set of the spec's validators", () => {
    const spec = networkSpec("devnet");
    const set = makeValidatorSet(genesisWeights(spec));
    expect(bytesToHex(buildGenesisBlock(spec).header.extra.validatorSetHash)).toBe(set.hash);
  });

  it("names none on a network that is not launched", () => {
    expect(buildGenesisBlock(networkSpec("mainnet")).header.extra.validatorSetHash).toEqual(new Uint8Array(32));
  });
});
