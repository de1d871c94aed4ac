import { readFileSync } from "node:fs";
import { type Abi, toFunctionSelector } from "viem";
import { beforeAll, beforeEach, expect, test as it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { compileSolidity } from "../../../bench/solidity.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../../vm/modules/addresses.ts";
import { accountKey, EconomyChain, operatorKey, type Target } from "../support/economy-chain.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;

/** A pool that delegates other people's money, and does what a contract can do wrong. */
const POOL_SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "IStaking.sol";

contract Pool {
    IStaking private constant STAKING = IStaking(address(uint160(${BigInt(STAKING_ADDRESS)})));

    receive() external payable { revert("modules run no code here"); }

    function delegate(address operator) external payable returns (uint256) {
        return STAKING.delegate{value: msg.value}(operator);
    }
    function unbond(address operator, uint256 amount) external returns (uint256) { return STAKING.unbond(operator, amount); }
    function withdraw(address operator) external returns (uint256) { return STAKING.withdraw(operator); }
    function claim(address operator) external returns (uint256) { return STAKING.claimRewards(operator); }
    function stakeOf(address operator) external view returns (uint256) { return STAKING.validator(operator).stake; }
    function delegateTwiceFailOnce(address operator) external payable returns (bytes4 reason) {
        STAKING.delegate{value: msg.value / 2}(operator);
        try STAKING.delegate{value: 1}(operator) returns (uint256) {} catch (bytes memory error) { reason = bytes4(error); }
    }
    function delegateStatic(address operator) external view returns (bool ok) {
        (ok, ) = address(STAKING).staticcall(abi.encodeCall(IStaking.unbond, (operator, 1)));
    }
}`;

let code: Uint8Array;
let abi: Abi;
let chain: EconomyChain;
let pool: Target<Abi>;
const operator = operatorKey(0).address;

beforeAll(async () => {
  const source = readFileSync(new URL("../../../vm/interfaces/IStaking.sol", import.meta.url), "utf8");
  const contract = (await compileSolidity({ "IStaking.sol": source, "Pool.sol": POOL_SOURCE })).get("Pool");
  code = contract?.code as Uint8Array;
  abi = contract?.abi as Abi;
});

beforeEach(() => {
  chain = new EconomyChain();
  pool = { address: chain.deploy(code), abi };
});

it("a contract delegates, unbonds, withdraws and claims as anybody does; no code runs when it is paid", () => {
  expect(chain.send(pool, "delegate", [operator], { value: 60n * OGPU }).result).toBe(60n * OGPU);
  expect(chain.send(pool, "stakeOf", [operator]).result).toBe(160n * OGPU);
  expect(chain.view(STAKING, "delegation", [pool.address, operator]).amount).toBe(60n * OGPU);
  chain.endEpoch();
  chain.send(pool, "unbond", [operator, 20n * OGPU]);
  chain.pass(600);
  expect(chain.send(pool, "withdraw", [operator]).result).toBe(20n * OGPU);
  const rewards = chain.send(pool, "claim", [operator]).result as bigint;
  expect(rewards).toBeGreaterThan(0n);
  expect(chain.balance(pool.address)).toBe(20n * OGPU + rewards);
});

it("a contract sees the named error of a call that fails, and what came before it stays", () => {
  const { result } = chain.send(pool, "delegateTwiceFailOnce", [operator], { key: accountKey(1), value: 10n * OGPU });
  expect(chain.revertOf(STAKING, "delegate", [operator], { value: 1n }).name).toBe("TooLittle");
  expect(result).toBe(toFunctionSelector("TooLittle(uint256,uint256)"));
  expect(chain.view(STAKING, "delegation", [pool.address, operator]).amount).toBe(5n * OGPU);
  expect(chain.balance(pool.address)).toBe(5n * OGPU);
});

it("a static call writes nothing", () => {
  chain.send(pool, "delegate", [operator], { value: OGPU });
  expect(chain.send(pool, "delegateStatic", [operator]).result).toBe(false);
  expect(chain.view(STAKING, "delegation", [pool.address, operator]).amount).toBe(OGPU);
});
