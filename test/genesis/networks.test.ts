import * as chains from "viem/chains";
import { describe, expect, it } from "vitest";
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { OGPU } from "../../base/units.ts";
import { allocatedSupply } from "../../genesis/chain-spec.ts";
import { totalEmission } from "../../genesis/emission.ts";
import { NETWORK_NAMES, networkSpec } from "../../genesis/networks.ts";
import { specHash } from "../../genesis/spec-hash.ts";
import { verifyParameters } from "../../genesis/verify-parameters.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";

describe("the networks that ship with the node", () => {
  it.each(NETWORK_NAMES)("%s has valid parameters and carries its name", (name) => {
    expect(verifyParameters(networkSpec(name))).toEqual([]);
    expect(networkSpec(name)).toMatchObject({ name, fork: "osaka" });
  });

  it("have chain ids that no network known to viem has", () => {
    const ids = NETWORK_NAMES.map((name) => Number(networkSpec(name).chainId));
    expect(new Set(ids).size).toBe(NETWORK_NAMES.length);
    const foreign = new Set<number>(Object.values(chains).map((chain) => chain.id));
    expect(foreign.size).toBeGreaterThan(100);
    expect(ids.filter((id) => foreign.has(id))).toEqual([]);
  });

  it("mint and allocate nearly all of the 21,000,000 oGPU on mainnet and testnet, and no wei more", () => {
    for (const name of ["mainnet", "testnet"] as const) {
      const spec = networkSpec(name);
      const total = allocatedSupply(spec) + totalEmission(spec.modules.token.emission);
      expect(total).toBeLessThanOrEqual(21_000_000n * OGPU);
      expect(21_000_000n * OGPU - total).toBeLessThan(OGPU);
    }
  });

  it.each(["mainnet", "testnet"] as const)(
    "%s allocates to addresses made from words, whose keys nobody has",
    (name) => {
      for (const { address, note } of networkSpec(name).accounts) {
        expect(address).toBe(bytesToHex(keccak256(utf8(`OpenGPU ${name} ${note}`)).subarray(12)));
      }
    },
  );

  it("fund the twenty accounts of the test mnemonic on the devnet, and nobody else", () => {
    const { accounts, block } = networkSpec("devnet");
    const funded = accounts.filter(({ balance }) => balance > 0n);
    expect(funded.map(({ address }) => address)).toEqual(funded.map((_, index) => testAccount(index).address));
    expect(funded).toHaveLength(20);
    expect(funded[0]?.address).toBe("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    expect(block).toMatchObject({ intervalMilliseconds: 200, allowUnprotected: true });
  });

  it.each([
    ["devnet", "0x0124ec82afbaf12d49a23b291ecd300bd43fcee817c903a1f8e9e0a36fc4a6af"],
    ["testnet", "0xa3d87cd55873c7186ce4bae856b50617a1d3058bd84da68d0246de55bf0abb18"],
    ["mainnet", "0xa42a6927bc7117a54a38fe4c869367d965135a6712ac6b87343bc9622e2c37aa"],
  ] as const)("%s keeps its hash: another one would be another chain", (name, hash) => {
    expect(bytesToHex(specHash(networkSpec(name)))).toBe(hash);
  });
});
