/** Contracts as providers and verifiers, and contracts that look for them. */
import { readFileSync } from "node:fs";
import { type Abi, toFunctionSelector } from "viem";
import { beforeAll, expect, it } from "vitest";
import { bytes32, bytesToHex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { type CompiledContract, compileSolidity } from "../../../bench/solidity.ts";
import { providersAbi } from "../../../vm/interfaces/abi/providers.ts";
import { verifiersAbi } from "../../../vm/interfaces/abi/verifiers.ts";
import { PROVIDERS_ADDRESS, VERIFIERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, EconomyChain } from "../support/economy-chain.ts";
import { installStubMarket, MARKET, MARKET_ADDRESS } from "../support/stub-market.ts";

const PROVIDERS = { address: PROVIDERS_ADDRESS, abi: providersAbi } as const;
const VERIFIERS = { address: VERIFIERS_ADDRESS, abi: verifiersAbi } as const;

const SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "IProviders.sol";
import "IVerifiers.sol";

contract Fleet {
    IProviders private constant PROVIDERS = IProviders(address(uint160(${BigInt(PROVIDERS_ADDRESS)})));
    bytes16 private constant REGION = "eu-west";

    function found() external payable returns (uint64) {
        PROVIDERS.register{value: msg.value}("fleet", "");
        return PROVIDERS.addDevice(2, 1 << 34, 3, REGION, 7, keccak256("benchmark"));
    }

    function available(uint8 tier) external view returns (uint256 count, uint256 memoryBytes) {
        IProviders.Device[] memory devices = PROVIDERS.devicesIn(tier, REGION, 0, 100);
        for (uint256 i = 0; i < devices.length; i++) {
            if (!devices[i].available) continue;
            count++;
            memoryBytes += devices[i].memoryBytes;
        }
    }

    function reliable(address account) external view returns (bool) {
        IProviders.Reputation memory figures = PROVIDERS.reputationOf(account);
        return figures.accepted > 10 * (figures.rejected + figures.late);
    }

    function exitEarly() external returns (bytes4 selector) {
        try PROVIDERS.exit() {} catch (bytes memory why) { selector = bytes4(why); }
    }

    function disband(uint64 id) external {
        PROVIDERS.removeDevice(id);
        PROVIDERS.exit();
    }

    function collect() external returns (uint256) { return PROVIDERS.withdraw(); }
}

contract Pool {
    IVerifiers private constant VERIFIERS = IVerifiers(address(uint160(${BigInt(VERIFIERS_ADDRESS)})));

    function join() external payable { VERIFIERS.register{value: msg.value}(); }

    function joinThenFail() external payable {
        VERIFIERS.register{value: msg.value}();
        revert("changed my mind");
    }

    function rest() external { VERIFIERS.pause(); }

    function drawn(uint256 epoch, bytes32 seed, uint32 seats) external view returns (uint256 own) {
        for (uint32 seat = 0; seat < seats; seat++) {
            if (VERIFIERS.draw(epoch, seed, seat, new address[](0)) == address(this)) own++;
        }
    }

    function joinStatically() external returns (bool ok) {
        (ok, ) = address(VERIFIERS).staticcall(abi.encodeCall(VERIFIERS.register, ()));
    }
}`;

let fleet: CompiledContract;
let pool: CompiledContract;

beforeAll(async () => {
  const read = (file: string): string =>
    readFileSync(new URL(`../../../vm/interfaces/${file}`, import.meta.url), "utf8");
  const files = ["IProviders.sol", "IVerifiers.sol"].map((file) => [file, read(file)] as const);
  const contracts = await compileSolidity({ ...Object.fromEntries(files), "Parties.sol": SOURCE });
  fleet = contracts.get("Fleet") as CompiledContract;
  pool = contracts.get("Pool") as CompiledContract;
});

function deployed(contract: CompiledContract): { chain: EconomyChain; at: { address: Address; abi: Abi } } {
  const chain = new EconomyChain();
  installStubMarket(chain);
  return { chain, at: { address: chain.deploy(contract.code), abi: contract.abi } };
}

it("a contract provides, with devices that others find, and leaves with its collateral", () => {
  const { chain, at } = deployed(fleet);
  expect(chain.send(at, "found", [], { value: 20n * OGPU }).result).toBe(1n);
  expect(chain.send(at, "available", [3]).result).toEqual([1n, 1n << 34n]);
  expect(chain.view(PROVIDERS, "providerOf", [at.address])).toMatchObject({ name: "fleet", free: 20n * OGPU });
  expect(chain.send(at, "exitEarly", []).result).toBe(toFunctionSelector("DevicesLeft(uint256)"));
  chain.send(at, "disband", [1n]);
  expect(chain.send(at, "available", [3]).result).toEqual([0n, 0n]);
  chain.pass(120);
  expect(chain.send(at, "collect", []).result).toBe(20n * OGPU);
  expect(chain.balance(at.address)).toBe(20n * OGPU);
});

it("a contract judges providers by what their settled jobs say", () => {
  const { chain, at } = deployed(fleet);
  const provider = accountKey(3).address;
  const reliable = (): unknown => chain.send(at, "reliable", [provider]).result;
  expect(reliable()).toBe(false);
  chain.send(MARKET, "settle", [provider, "accepted", 1n, 1n, 1n]);
  expect(reliable()).toBe(true);
  chain.send(MARKET, "settle", [provider, "late", 0n, 0n, 0n]);
  expect(reliable()).toBe(false);
});

it("a contract verifies, and sees its own seats in a draw", () => {
  const { chain, at } = deployed(pool);
  chain.send(at, "join", [], { value: 30n * OGPU });
  chain.send(VERIFIERS, "register", [], { value: 10n * OGPU });
  chain.endEpoch();
  const seed = bytesToHex(bytes32(3n));
  const own = chain.send(at, "drawn", [1n, seed, 60]).result as bigint;
  const expected = Array.from({ length: 60 }, (_, seat) => chain.view(VERIFIERS, "draw", [1n, seed, seat, []]));
  expect(own).toBe(BigInt(expected.filter((drawn) => drawn.toLowerCase() === at.address).length));
  // Three of four units are its own.
  expect(own).toBeGreaterThan(30n);
  expect(own).toBeLessThan(60n);
  chain.send(at, "rest", []);
  chain.endEpoch();
  expect(chain.send(at, "drawn", [2n, seed, 20]).result).toBe(0n);
});

it("a registration in a frame that reverts has not happened, and none is made through STATICCALL", () => {
  const { chain, at } = deployed(pool);
  expect(() => chain.send(at, "joinThenFail", [], { value: 30n * OGPU })).toThrow("changed my mind");
  expect(chain.view(VERIFIERS, "verifierCount", [])).toBe(0n);
  expect(chain.balance(VERIFIERS_ADDRESS)).toBe(0n);
  expect(chain.send(at, "joinStatically", []).result).toBe(false);
  expect(chain.balance(MARKET_ADDRESS)).toBe(0n);
});
