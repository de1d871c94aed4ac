import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../base/bytes.ts";
import { GWEI, OGPU } from "../../base/units.ts";
import { parseChainSpec } from "../../genesis/parse-chain-spec.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { pathsOf, problemsOf } from "./support/problems-of.ts";
import { changed, sampleDocument, sampleSpec } from "./support/sample-spec.ts";

describe("parseChainSpec", () => {
  it("reads amounts, addresses, code and storage into their typed form", () => {
    const spec = sampleSpec();
    const [person, contract] = spec.accounts;
    expect(spec.block.initialBaseFee).toBe(GWEI);
    expect(spec.modules.token.emission.initialPerBlock).toBe(OGPU / 20n);
    expect(person).toMatchObject({
      address: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
      balance: 1000n * OGPU,
      nonce: 0n,
      note: "somebody",
    });
    expect(contract?.nonce).toBe(1n);
    expect(bytesToHex(contract?.code ?? new Uint8Array())).toBe("0x6001600055");
    expect([...(contract?.storage.values() ?? [])]).toEqual([new Uint8Array([42])]);
  });

  it("reports every problem at once, each with its path", () => {
    const document = changed("block.gasLimit", "many");
    document["name"] = "Not A Name";
    document["extra"] = 1;
    (document["accounts"] as object[])[0] = { address: "0x12", balance: "1 ETH" };
    expect(new Set(pathsOf(document))).toEqual(
      new Set(["$.extra", "$.name", "$.block.gasLimit", "$.accounts[0].address", "$.accounts[0].balance"]),
    );
  });

  it.each([
    ["an unknown field deep inside", "modules.token.emission.bonus", 1, "$.modules.token.emission.bonus"],
    ["a module that does not exist", "modules.lottery", {}, "$.modules.lottery"],
    ["another version", "version", 2, "$.version"],
    ["a fork that does not exist", "fork", "frontier", "$.fork"],
    ["a number as text", "chainId", "777001", "$.chainId"],
    ["a fraction", "block.gasLimit", 30_000_000.5, "$.block.gasLimit"],
    ["a number that JSON does not hold exactly", "chainId", 2 ** 53, "$.chainId"],
    ["an amount without a unit", "accounts.0.balance", "1000", "$.accounts[0].balance"],
    ["an amount as a number", "accounts.0.balance", 1000, "$.accounts[0].balance"],
    ["an amount with a leading zero", "accounts.0.balance", "01 oGPU", "$.accounts[0].balance"],
    ["a negative amount", "accounts.0.balance", "-1 oGPU", "$.accounts[0].balance"],
    ["more decimals than the unit has", "accounts.0.balance", "0.1 wei", "$.accounts[0].balance"],
    ["a wrong checksum", "accounts.0.address", "0x70997970C51812dc3A010C7d01b50e0d17dc79c8", "$.accounts[0].address"],
    ["half a byte of code", "accounts.1.code", "0x600", "$.accounts[1].code"],
    ["a short slot", "accounts.1.storage", { "0x01": `0x${"11".repeat(32)}` }, '$.accounts[1].storage["0x01"]'],
    ["a short public key", "validators.0.publicKey", "0x12", "$.validators[0].publicKey"],
    ["a public key in capitals", "validators.0.publicKey", `0x${"A".repeat(96)}`, "$.validators[0].publicKey"],
    ["a short proof", "validators.1.proofOfPossession", `0x${"a".repeat(96)}`, "$.validators[1].proofOfPossession"],
    ["a stake as a number", "validators.0.stake", 100, "$.validators[0].stake"],
    ["an epoch of no blocks", "consensus.epochBlocks", 0, "$.consensus.epochBlocks"],
    ["a fraction of a millisecond", "consensus.fetchMilliseconds", 0.5, "$.consensus.fetchMilliseconds"],
    ["null instead of an object", "block", null, "$.block"],
    ["a list instead of an object", "modules", [], "$.modules"],
    ["an object instead of a list", "accounts", {}, "$.accounts"],
    ["a line break in a note", "accounts.0.note", "a\nb", "$.accounts[0].note"],
  ])("refuses %s", (_what, path, value, expected) => {
    expect(pathsOf(changed(path, value))).toEqual([expected]);
  });

  it.each([
    "version",
    "name",
    "chainId",
    "fork",
    "genesisTime",
    "block",
    "modules",
    "consensus",
    "consensus.epochBlocks",
    "validators",
    "accounts",
    "block.allowUnprotected",
  ])("wants %s", (path) => {
    expect(problemsOf(changed(path))).toEqual([{ path: `$.${path}`, message: "missing" }]);
  });

  it("does not take inherited members for fields", () => {
    expect(pathsOf(JSON.parse('{"__proto__": {"version": 1}, "constructor": 1}'))).toContain("$.version");
  });

  it("tells at most twenty problems in its message, and all of them as data", () => {
    const document = changed("accounts", Array(50).fill({}));
    expect(problemsOf(document)).toHaveLength(50);
    expect(() => parseChainSpec(document)).toThrow(/and 30 more/);
  });

  it("never throws anything but SPEC_INVALID", () => {
    const refused = (value: unknown): void => {
      expect(problemsOf(value)).not.toEqual([]);
    };
    fc.assert(fc.property(fc.anything(), refused));
    fc.assert(fc.property(fc.jsonValue(), refused));
  });

  it("never throws anything but SPEC_INVALID when one place of a good spec holds anything", () => {
    const places = [
      "block.gasLimit",
      "accounts.0",
      "accounts.0.balance",
      "accounts.1.storage",
      "modules.token",
      "consensus.heartbeatMilliseconds",
      "validators.0",
      "validators.0.publicKey",
      "name",
    ];
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("", "0 oGPU", "9".repeat(200), `${"9".repeat(60)} oGPU`, -0, 1e308),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), value, (place, anything) => void problemsOf(changed(place, anything))),
    );
  });

  it("reads back what chainSpecJson writes", () => {
    expect(parseChainSpec(chainSpecJson(sampleSpec()))).toEqual(sampleSpec());
    const amount = fc.bigInt({ min: 1n, max: 1_000_000n * OGPU });
    fc.assert(
      fc.property(amount, fc.nat(), (balance, nonce) => {
        const [account, ...others] = sampleSpec().accounts;
        const spec = {
          ...sampleSpec(),
          accounts: [{ ...(account as NonNullable<typeof account>), balance, nonce: BigInt(nonce) }, ...others],
        };
        expect(parseChainSpec(JSON.parse(JSON.stringify(chainSpecJson(spec))))).toEqual(spec);
      }),
    );
  });

  it("accepts the sample that these tests change", () => {
    expect(problemsOf(sampleDocument())).toEqual([]);
  });
});
