import { readFileSync } from "node:fs";
import { type Abi, toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { compileSolidity } from "../../../bench/solidity.ts";
import { tokenAbi } from "../../../vm/interfaces/abi/token.ts";
import { treasuryAbi } from "../../../vm/interfaces/abi/treasury.ts";
import { TOKEN_ADDRESS, TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import { accountKey, EconomyChain, eventsOf, systemLogs } from "../support/economy-chain.ts";

const TREASURY = { address: TREASURY_ADDRESS, abi: treasuryAbi };
const NOTHING = new Uint8Array();
const GWEI = 1_000_000_000n;

describe("the treasury", () => {
  it("takes what anybody gives, by call or by plain transfer", () => {
    const chain = new EconomyChain();
    const key = accountKey(3);
    const { receipt } = chain.send(TREASURY, "deposit", [], { key, value: 5n * OGPU });
    chain.block([chain.transaction(TREASURY_ADDRESS, NOTHING, { key, value: 2n * OGPU })]);
    expect(chain.view(TREASURY, "balance", [])).toBe(7n * OGPU);
    expect(chain.view(TREASURY, "receivedFrom", ["deposit"])).toBe(5n * OGPU);
    const events = eventsOf(TREASURY, receipt.logs).map(({ name, args }) => [name, args["source"], args["amount"]]);
    expect(events).toEqual([["Funded", "deposit", 5n * OGPU]]);
  });

  it("refuses a deposit of nothing", () => {
    const chain = new EconomyChain();
    expect(chain.revertOf(TREASURY, "deposit", [])).toEqual({ name: "NothingSent", args: [] });
  });

  it("answers for any text that it is asked about", () => {
    const chain = new EconomyChain();
    for (const source of ["", "0x", "0xzz", "x".repeat(1000)]) {
      expect(chain.view(TREASURY, "receivedFrom", [source])).toBe(0n);
    }
  });
});

describe("base fees", () => {
  const baseFee = 3n * GWEI + 1n;

  it("go to the treasury by its share, rounded down, and the rest is burned", () => {
    const chain = new EconomyChain({ baseFee, parameters: { treasury: { baseFeeShare: 333_333n } } });
    const transfers = [0, 1, 2].map((index) =>
      chain.transaction(accountKey(9).address, NOTHING, { key: accountKey(index), value: 1n, gasLimit: 21_000n }),
    );
    const block = chain.block(transfers);
    const fees = 3n * 21_000n * baseFee;
    const share = (fees * 333_333n) / 1_000_000n;
    expect(chain.balance(TREASURY_ADDRESS)).toBe(share);
    expect(chain.view(TREASURY, "receivedFrom", ["base fees"])).toBe(share);
    expect(readSupply(chain.state.reader).burned).toBe(fees - share);
    // Told once, when the epoch ends.
    expect(eventsOf(TREASURY, systemLogs(block))).toEqual([]);
    const told = (): unknown[] => eventsOf(TREASURY, systemLogs(chain.endEpoch())).map(({ args }) => args["amount"]);
    expect(told()).toEqual([share]);
    expect(told()).toEqual([]);
  });

  it.each([
    [0n, 0n],
    [1_000_000n, 21_000n * baseFee],
  ])("of which the treasury's share is %s millionths give it %s", (baseFeeShare, expected) => {
    const chain = new EconomyChain({ baseFee, parameters: { treasury: { baseFeeShare } } });
    chain.block([chain.transaction(accountKey(9).address, NOTHING, { value: 1n, gasLimit: 21_000n })]);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(expected);
    expect(readSupply(chain.state.reader).burned).toBe(21_000n * baseFee - expected);
    expect(eventsOf(TREASURY, systemLogs(chain.endEpoch())).length).toBe(expected === 0n ? 0 : 1);
  });

  it("are told apart from what is burned otherwise", () => {
    const chain = new EconomyChain({ baseFee, parameters: { treasury: { baseFeeShare: 1_000_000n } } });
    const { fee } = chain.send({ address: TOKEN_ADDRESS, abi: tokenAbi }, "burn", [], { value: OGPU });
    expect(chain.balance(TREASURY_ADDRESS)).toBe(fee);
    expect(readSupply(chain.state.reader).burned).toBe(OGPU);
  });

  it("of calls that fail count as all others", () => {
    const chain = new EconomyChain({ baseFee, parameters: { treasury: { baseFeeShare: 1_000_000n } } });
    const block = chain.block([chain.transaction(TREASURY_ADDRESS, utf8("nonsense"), { gasLimit: 100_000n })]);
    expect(block.receipts[0]?.succeeded).toBe(false);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(block.gasUsed * baseFee);
    expect(readSupply(chain.state.reader).burned).toBe(0n);
  });

  it("an empty block gives nothing and tells nothing", () => {
    const chain = new EconomyChain({ baseFee });
    const block = chain.block();
    expect(chain.balance(TREASURY_ADDRESS)).toBe(0n);
    expect(eventsOf(TREASURY, systemLogs(block))).toEqual([]);
  });
});

it("contracts give to the treasury and read it", async () => {
  const source = readFileSync("vm/interfaces/ITreasury.sol", "utf8");
  const contracts = await compileSolidity({
    "ITreasury.sol": source,
    "Giver.sol": `
      // SPDX-License-Identifier: Apache-2.0
      pragma solidity ^0.8.20;
      import "ITreasury.sol";
      contract Giver {
        ITreasury private constant TREASURY = ITreasury(address(uint160(${BigInt(TREASURY_ADDRESS)})));
        function give() external payable returns (uint256) {
          TREASURY.deposit{value: msg.value}();
          return TREASURY.balance();
        }
        function giveNothing() external returns (bytes4) {
          try TREASURY.deposit() { return 0; } catch (bytes memory reason) { return bytes4(reason); }
        }
      }`,
  });
  const giver = contracts.get("Giver");
  const chain = new EconomyChain();
  const address = chain.deploy(giver?.code as Uint8Array);
  const abi = giver?.abi as Abi;
  const target = { address, abi };
  expect(chain.send(target, "give", [], { value: OGPU }).result).toBe(OGPU);
  expect(chain.balance(TREASURY_ADDRESS)).toBe(OGPU);
  expect(chain.send(target, "giveNothing", []).result).toBe(toFunctionSelector("NothingSent()"));
});
