/** The trust lock as contracts see it: as controllers of commitments, and as owners. */
import { readFileSync } from "node:fs";
import { type Abi, toFunctionSelector } from "viem";
import { beforeAll, expect, it } from "vitest";
import { bytes32, bytesToHex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { type CompiledContract, compileSolidity } from "../../../bench/solidity.ts";
import { trustLockAbi } from "../../../vm/interfaces/abi/trust-lock.ts";
import { TRUST_LOCK_ADDRESS } from "../../../vm/modules/addresses.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, EconomyChain, eventsOf } from "../support/economy-chain.ts";

const LOCK = { address: TRUST_LOCK_ADDRESS, abi: trustLockAbi } as const;
const OWNER = accountKey(0);
const VICTIM = accountKey(2);
const JOB = bytesToHex(bytes32(7n));

const SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "ITrustLock.sol";

contract Judge {
    ITrustLock private constant LOCK = ITrustLock(address(uint160(${BigInt(TRUST_LOCK_ADDRESS)})));

    function acquit(address owner, bytes32 job, uint256 amount) external { LOCK.release(owner, job, amount); }

    function convict(address owner, bytes32 job, uint256 amount, address victim) public {
        address[] memory to = new address[](2);
        uint256[] memory amounts = new uint256[](2);
        to[0] = victim;
        amounts[0] = amount / 3;
        amounts[1] = amount - amount / 3;
        LOCK.breach(owner, job, amount, 42, to, amounts);
    }

    function convictThenFail(address owner, bytes32 job, uint256 amount, address victim) external {
        convict(owner, job, amount, victim);
        revert("appealed");
    }

    function convictAppealed(address owner, bytes32 job, uint256 amount, address victim) external returns (bool ok) {
        try this.convictThenFail(owner, job, amount, victim) { ok = true; } catch { ok = false; }
    }

    function left(address owner, bytes32 job) external view returns (uint256) {
        return LOCK.commitmentOf(owner, address(this), job).left;
    }

    function tryTooMuch(address owner, bytes32 job) external returns (bytes4 selector) {
        try LOCK.release(owner, job, type(uint256).max) {} catch (bytes memory why) { selector = bytes4(why); }
    }

    function releaseStatically(address owner, bytes32 job) external returns (bool ok) {
        (ok, ) = address(LOCK).staticcall(abi.encodeCall(LOCK.release, (owner, job, 1)));
    }

    function pledge(bytes32 job, address judge, uint256 deadline) external payable {
        LOCK.lock{value: msg.value}();
        LOCK.allocate(job, judge, msg.value, deadline);
    }

    function leave() external {
        (, uint256 free, , ) = LOCK.accountOf(address(this));
        LOCK.unlock(free);
    }

    function collect() external returns (uint256) { return LOCK.withdraw(); }
}`;

let judge: CompiledContract;

beforeAll(async () => {
  const file = readFileSync(new URL("../../../vm/interfaces/ITrustLock.sol", import.meta.url), "utf8");
  const contracts = await compileSolidity({ "ITrustLock.sol": file, "Judge.sol": SOURCE });
  judge = contracts.get("Judge") as CompiledContract;
});

/** A judge for whom the owner has set aside nine. */
function courtroom(): { chain: EconomyChain; court: { address: Address; abi: Abi } } {
  const chain = new EconomyChain();
  const court = { address: chain.deploy(judge.code), abi: judge.abi };
  chain.send(LOCK, "lock", [], { value: 10n * OGPU });
  chain.send(LOCK, "allocate", [JOB, court.address, 9n * OGPU, chain.now + 100n]);
  return { chain, court };
}

it("a contract that controls a commitment releases it and reads what is left", () => {
  const { chain, court } = courtroom();
  chain.send(court, "acquit", [OWNER.address, JOB, 4n * OGPU]);
  expect(chain.send(court, "left", [OWNER.address, JOB]).result).toBe(5n * OGPU);
  expect(chain.view(LOCK, "accountOf", [OWNER.address])).toEqual([10n * OGPU, 5n * OGPU, 5n * OGPU, 0n]);
});

it("a contract that finds a breach shares it out, and its reason is in the logs", () => {
  const { chain, court } = courtroom();
  const supply = chain.supply();
  const { receipt } = chain.send(court, "convict", [OWNER.address, JOB, 9n * OGPU, VICTIM.address]);
  expect(eventsOf(LOCK, receipt.logs)[0]).toMatchObject({ name: "Breached", args: { reason: 42, left: 0n } });
  expect(chain.view(LOCK, "accountOf", [VICTIM.address])[1]).toBe(3n * OGPU);
  expect(supply - chain.supply()).toBe(6n * OGPU);
  expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(4n * OGPU);
});

it("a breach in a frame that reverts has not happened", () => {
  const { chain, court } = courtroom();
  const { result, receipt } = chain.send(court, "convictAppealed", [OWNER.address, JOB, 9n * OGPU, VICTIM.address]);
  expect(result).toBe(false);
  expect(receipt.logs).toEqual([]);
  expect(chain.view(LOCK, "accountOf", [OWNER.address])).toEqual([10n * OGPU, OGPU, 9n * OGPU, 0n]);
  expect(chain.view(LOCK, "accountOf", [VICTIM.address])[0]).toBe(0n);
});

it("a contract can tell the named errors apart, and writes nothing through STATICCALL", () => {
  const { chain, court } = courtroom();
  const selector = toFunctionSelector("NotEnoughLeft(uint256,uint256)");
  expect(chain.send(court, "tryTooMuch", [OWNER.address, JOB]).result).toBe(selector);
  expect(chain.send(court, "releaseStatically", [OWNER.address, JOB]).result).toBe(false);
});

it("a contract locks, promises and leaves like anybody", () => {
  const { chain, court } = courtroom();
  chain.send(court, "pledge", [JOB, VICTIM.address, chain.now + 50n], { value: 2n * OGPU });
  chain.send(LOCK, "release", [court.address, JOB, 2n * OGPU], { key: VICTIM });
  chain.send(court, "leave", []);
  expect(() => chain.send(court, "collect", [])).toThrow();
  chain.pass(60);
  expect(chain.send(court, "collect", []).result).toBe(2n * OGPU);
  expect(chain.balance(court.address)).toBe(2n * OGPU);
});
