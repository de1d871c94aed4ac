/** The devnet has the CREATE2 factory from its first block on, as Ethereum's development chains do. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create2Address } from "../../base/address.ts";
import { bytesToHex, concatBytes, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { networkSpec } from "../../genesis/networks.ts";
import { ALICE, singleSpec } from "../chain/runtime/support/single-node.ts";
import { CREATE2_FACTORY } from "./clients/support/keyless.ts";
import { initCode } from "./support/driven-chain.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

const FACTORY = CREATE2_FACTORY.address.toLowerCase();
const factory = networkSpec("devnet").accounts.filter(({ address }) => address === FACTORY);

describe("the CREATE2 factory of the devnet", () => {
  let without: RpcFixture;
  let fixture: RpcFixture;
  beforeAll(async () => {
    const spec = singleSpec();
    without = await RpcFixture.open(false, { block: { ...spec.block, allowUnprotected: true } });
    fixture = await RpcFixture.open(false, { accounts: [...spec.accounts, ...factory] });
  });
  afterAll(() => Promise.all([without.close(), fixture.close()]));

  it("is the code that its transaction, signed by nobody, leaves on any chain", async () => {
    const { sender, cost, raw } = CREATE2_FACTORY;
    const { alone } = without;
    expect(await without.call("eth_getCode", FACTORY)).toBe("0x");
    await without.include(alone.sign(ALICE, { to: sender.toLowerCase() as `0x${string}`, value: cost }));
    await without.include(hexToBytes(raw));
    const code = await without.call("eth_getCode", FACTORY);
    expect(await fixture.call("eth_getCode", FACTORY)).toBe(code);
    expect(factory.map((account) => bytesToHex(account.code))).toEqual([code]);
  });

  it("deploys under an address made of code and salt", async () => {
    const salt = new Uint8Array(32).fill(7);
    // Returns 42: PUSH1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
    const runtime = "602a5f5260205ff3";
    const creation = initCode(runtime);
    const made = bytesToHex(create2Address(hexToBytes(FACTORY), salt, keccak256(creation)));
    const to = factory[0]?.address;
    await fixture.include(
      fixture.alone.sign(ALICE, { to, value: 0n, data: concatBytes(salt, creation), gasLimit: 200_000n }),
    );
    expect(await fixture.call("eth_getCode", made)).toBe(`0x${runtime}`);
    expect(Number(await fixture.call("eth_call", { to: made }))).toBe(42);
  });
});
