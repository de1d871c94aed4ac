import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { OGPU } from "../../base/units.ts";
import { allocatedSupply } from "../../genesis/chain-spec.ts";
import { NETWORK_NAMES, networkSpec } from "../../genesis/networks.ts";
import { buildGenesisState } from "../../vm/genesis-state.ts";
import { STAKING_ADDRESS, TOKEN_ADDRESS } from "../../vm/modules/addresses.ts";
import { MODULE_CODE } from "../../vm/modules/module.ts";
import { readSupply } from "../../vm/modules/token/token.ts";
import { rulesOfSpec } from "../../vm/rules-of-spec.ts";
import { sampleSpec } from "../genesis/support/sample-spec.ts";

describe("buildGenesisState", () => {
  it.each(NETWORK_NAMES)("gives %s exactly the money of its spec, and the token module the same number", (name) => {
    const spec = networkSpec(name);
    const { changes, version } = buildGenesisState(spec);
    let sum = 0n;
    for (const account of changes.accounts.values()) sum += account?.balance ?? 0n;
    expect(sum).toBe(allocatedSupply(spec));
    expect(readSupply(version.reader)).toEqual({ genesis: sum, minted: 0n, burned: 0n });
  });

  it("gives accounts their code, nonce and storage", () => {
    const spec = sampleSpec();
    const { reader } = buildGenesisState(spec).version;
    const contract = spec.accounts.find(({ code }) => code.length > 0);
    const [slot, value] = [...(contract?.storage ?? [])][0] ?? [];
    if (contract === undefined || slot === undefined) throw new Error("the sample has a contract");
    const codeHash = bytesToHex(keccak256(contract.code));
    expect(reader.account(contract.address)).toEqual({ nonce: 1n, balance: 0n, codeHash });
    expect(reader.code(codeHash)).toEqual(contract.code);
    expect(reader.storage(contract.address, slot)).toEqual(value);
  });

  it("gives every module an account that contracts see as a contract", () => {
    const spec = sampleSpec();
    const { reader } = buildGenesisState(spec).version;
    for (const address of rulesOfSpec(spec).modules.keys()) {
      const account = reader.account(address);
      expect(account).toMatchObject({ nonce: 1n, balance: address === STAKING_ADDRESS ? 200n * OGPU : 0n });
      expect(reader.code(account?.codeHash ?? "0x")).toEqual(MODULE_CODE);
    }
    expect(rulesOfSpec(spec).modules.has(TOKEN_ADDRESS)).toBe(true);
  });

  it("does not depend on the order of the accounts", () => {
    const spec = sampleSpec();
    const reversed = { ...spec, accounts: [...spec.accounts].reverse() };
    expect(buildGenesisState(reversed).version.head.root).toEqual(buildGenesisState(spec).version.head.root);
  });
});
