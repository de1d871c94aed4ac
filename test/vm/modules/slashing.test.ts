/** What is taken from whom, where it goes, and what is remembered of it. */
import { readFileSync } from "node:fs";
import type { Abi } from "viem";
import { decodeFunctionResult, encodeFunctionData } from "viem";
import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { compileSolidity } from "../../../bench/solidity.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { slashingAbi } from "../../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { treasuryAbi } from "../../../vm/interfaces/abi/treasury.ts";
import { SLASHING_ADDRESS, STAKING_ADDRESS, TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import type { Address } from "../../../vm/state/account.ts";
import {
  accountKey,
  EconomyChain,
  type EconomyOptions,
  eventsOf,
  operatorKey,
  systemLogs,
} from "../support/economy-chain.ts";
import { blsKey, content, publicKeyOf, signVote } from "./support/signed-votes.ts";

const SLASHING = { address: SLASHING_ADDRESS, abi: slashingAbi } as const;
const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;
const TREASURY = { address: TREASURY_ADDRESS, abi: treasuryAbi } as const;

const OFFENDER = 2;
const OPERATOR = operatorKey(OFFENDER).address;
const [REPORTER, DELEGATOR, EARLY] = [accountKey(5), accountKey(6), accountKey(7)];

/** Of the devnet. */
const DOUBLE_SIGN_SHARE = 50_000n;
const REPORTER_SHARE = 50_000n;
const TREASURY_SHARE = 475_000n;

function evidenceOf(chain: EconomyChain, epoch = 0, key: Uint8Array = blsKey(OFFENDER)): readonly [Hex, Hex, Hex] {
  const { chainId } = chain.spec;
  return [
    publicKeyOf(key),
    signVote(key, content("NOTARIZE", "a", epoch), chainId),
    signVote(key, content("NOTARIZE", "b", epoch), chainId),
  ];
}

function validator(chain: EconomyChain, operator: Address) {
  return chain.view(STAKING, "validator", [operator]);
}

function slash(chain: EconomyChain, epoch = 0) {
  return chain.send(SLASHING, "submitEvidence", evidenceOf(chain, epoch), { key: REPORTER });
}

/** The module's balance is what it says it holds for others. */
function expectBacked(chain: EconomyChain): void {
  const [bonded, unbonding, rewards] = chain.view(STAKING, "totals", []);
  expect(chain.balance(STAKING_ADDRESS)).toBe(bonded + unbonding + rewards);
}

describe("what an offence costs", () => {
  it("is a share of the validator's stake: a part to the reporter, a part to the treasury, the rest burned", () => {
    const chain = new EconomyChain();
    const before = { reporter: chain.balance(REPORTER.address), burned: readSupply(chain.state.reader).burned };
    const { result, receipt } = slash(chain);
    const amount = (100n * OGPU * DOUBLE_SIGN_SHARE) / WHOLE;
    const reward = (amount * REPORTER_SHARE) / WHOLE;
    const toTreasury = (amount * TREASURY_SHARE) / WHOLE;
    expect(result).toEqual([amount, reward]);
    expect(chain.balance(REPORTER.address) - before.reporter).toBe(reward);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(toTreasury);
    expect(chain.view(TREASURY, "receivedFrom", ["slash"])).toBe(toTreasury);
    const burned = amount - reward - toTreasury;
    expect(readSupply(chain.state.reader).burned - before.burned).toBe(burned);
    expect(validator(chain, OPERATOR)).toMatchObject({ stake: 100n * OGPU - amount, isTombstoned: true });
    expectBacked(chain);
    const events = eventsOf(SLASHING, receipt.logs);
    expect(events.map(({ name }) => name)).toEqual(["Distributed", "Slashed"]);
    expect(events[0]?.args).toMatchObject({ reward, toTreasury, burned });
    expect(events[1]?.args).toMatchObject({ offence: 2, epoch: 0n, viewNumber: 5n, amount });
  });

  it("is paid by those who delegate too, and by what began to leave in the epoch of the offence", () => {
    const chain = new EconomyChain();
    for (const key of [DELEGATOR, EARLY]) chain.send(STAKING, "delegate", [OPERATOR], { key, value: 50n * OGPU });
    chain.send(STAKING, "unbond", [OPERATOR, 20n * OGPU], { key: EARLY });
    // Longer than the steps in which unbonding stake is counted, so that who left before is told apart.
    chain.pass(60);
    chain.endEpoch();
    chain.block();
    chain.send(STAKING, "unbond", [OPERATOR, 30n * OGPU], { key: DELEGATOR });
    const { result } = slash(chain, 1);
    // 100 of its own, 20 and 30 still bonded, 30 leaving; the 20 that left before are not touched.
    expect(result[0]).toBe(((100n + 20n + 30n + 30n) * OGPU * DOUBLE_SIGN_SHARE) / WHOLE);
    const amountsOf = (delegator: Address) => ({
      bonded: chain.view(STAKING, "delegation", [delegator, OPERATOR]).amount,
      leaving: chain.view(STAKING, "unbondings", [delegator, OPERATOR]).map(({ amount }) => amount),
    });
    expect(amountsOf(DELEGATOR.address)).toEqual({ bonded: 19n * OGPU, leaving: [(285n * OGPU) / 10n] });
    expect(amountsOf(EARLY.address)).toEqual({ bonded: (285n * OGPU) / 10n, leaving: [20n * OGPU] });
    expect(validator(chain, OPERATOR).selfStake).toBe(95n * OGPU);
    expectBacked(chain);
  });

  it("follows stake that went to another validator, and goes to the treasury and the fire when it is settled", () => {
    const chain = new EconomyChain();
    const other = operatorKey(1).address;
    chain.send(STAKING, "delegate", [OPERATOR], { key: DELEGATOR, value: 40n * OGPU });
    chain.send(STAKING, "redelegate", [OPERATOR, other, 40n * OGPU], { key: DELEGATOR });
    slash(chain);
    const before = chain.balance(TREASURY_ADDRESS);
    const { result, receipt } = chain.send(STAKING, "settleRedelegation", [DELEGATOR.address, other]);
    expect(result).toBe(2n * OGPU);
    expect(chain.balance(TREASURY_ADDRESS) - before).toBe((2n * OGPU * TREASURY_SHARE) / WHOLE);
    expect(chain.view(STAKING, "delegation", [DELEGATOR.address, other]).amount).toBe(38n * OGPU);
    expect(eventsOf(SLASHING, receipt.logs)[0]).toMatchObject({ name: "Distributed", args: { reward: 0n } });
    expectBacked(chain);
  });

  it("hits a key that was rotated out", () => {
    const chain = new EconomyChain();
    const fresh = blsKey(50);
    const proof = bytesToHex(bls.provePossession(fresh));
    chain.send(STAKING, "rotateKey", [publicKeyOf(fresh), proof], { key: operatorKey(OFFENDER) });
    chain.endEpoch();
    chain.block();
    expect(validator(chain, OPERATOR).publicKey).toBe(publicKeyOf(fresh));
    slash(chain);
    expect(validator(chain, OPERATOR).isTombstoned).toBe(true);
    // One operator, one punishment: the new key is of the same validator.
    const { name } = chain.revertOf(SLASHING, "submitEvidence", evidenceOf(chain, 1, fresh));
    expect(name).toBe("AlreadyTombstoned");
  });

  it("is for good: out of the next set, no way back by unjail or more stake", () => {
    const chain = new EconomyChain();
    slash(chain);
    expect(chain.validators).toHaveLength(4);
    chain.endEpoch();
    expect(chain.validators.map(({ operator }) => operator)).not.toContain(OPERATOR);
    expect(chain.validators).toHaveLength(3);
    const key = operatorKey(OFFENDER);
    expect(chain.revertOf(STAKING, "unjail", [], { key }).name).toBe("Tombstoned");
    expect(chain.revertOf(STAKING, "delegate", [OPERATOR], { key, value: OGPU }).name).toBe("NotOpen");
  });

  it("is nothing for who has nothing left, and it is out all the same", () => {
    const chain = new EconomyChain();
    chain.send(STAKING, "exit", [], { key: operatorKey(OFFENDER) });
    chain.pass(601);
    chain.send(STAKING, "withdraw", [OPERATOR], { key: operatorKey(OFFENDER) });
    const before = chain.balance(REPORTER.address);
    expect(slash(chain).result).toEqual([0n, 0n]);
    expect(chain.balance(REPORTER.address)).toBe(before);
    expect(validator(chain, OPERATOR).isTombstoned).toBe(true);
  });

  it("rounds the parts down and burns what is left over", () => {
    const slashing = { reporterShare: 333_333n, treasuryShare: 333_333n };
    const chain = new EconomyChain({ parameters: { slashing } });
    chain.send(STAKING, "delegate", [OPERATOR], { key: DELEGATOR, value: OGPU + 7n });
    const { result, receipt } = slash(chain);
    const [{ args } = { args: {} }] = eventsOf(SLASHING, receipt.logs);
    const [amount, reward] = result;
    expect(reward).toBe((amount * 333_333n) / WHOLE);
    expect(args).toEqual({ reporter: expect.anything(), reward, toTreasury: reward, burned: amount - 2n * reward });
    expectBacked(chain);
  });
});

describe("absence", () => {
  const QUIET: EconomyOptions = { parameters: { slashing: { minCountedBlocks: 10n } } };

  /** An epoch in which that position of the set signs nothing. */
  function epochWithout(chain: EconomyChain, absent: readonly number[], blocks = 20) {
    const signers = chain.validators.map((_, index) => index).filter((index) => !absent.includes(index));
    chain.blocks(blocks, { signers });
    return chain.endEpoch({ signers });
  }

  it("costs little, and the place until the validator asks for it again", () => {
    const chain = new EconomyChain(QUIET);
    const absentee = chain.validators[1]?.operator as Address;
    const index = [0, 1, 2, 3].find((number) => operatorKey(number).address === absentee) as number;
    const block = epochWithout(chain, [1]);
    const amount = (100n * OGPU * 100n) / WHOLE;
    const [absent, ...rest] = eventsOf(SLASHING, systemLogs(block)).filter(({ name }) => name !== "Distributed");
    expect(rest).toEqual([]);
    expect(absent).toMatchObject({
      name: "Absent",
      args: { epoch: 0n, signedBlocks: 0n, countedBlocks: 20n, amount, jailedUntil: chain.now + 30n },
    });
    expect(validator(chain, absentee)).toMatchObject({ stake: 100n * OGPU - amount, jailedUntil: chain.now + 30n });
    expect(chain.view(TREASURY, "receivedFrom", ["slash"])).toBe((amount * TREASURY_SHARE) / WHOLE);
    expect(chain.validators).toHaveLength(3);
    expectBacked(chain);
    const key = operatorKey(index);
    expect(chain.revertOf(STAKING, "unjail", [], { key }).name).toBe("JailedUntil");
    chain.pass(30);
    chain.send(STAKING, "unjail", [], { key });
    chain.endEpoch();
    expect(chain.validators).toHaveLength(4);
  });

  it("of too few blocks to tell, or of less than the share, is none", () => {
    const chain = new EconomyChain(QUIET);
    epochWithout(chain, [1], 9);
    expect(chain.validators).toHaveLength(4);
    chain.block([], { signers: [0, 1, 2, 3] });
    chain.block([], { signers: [0, 1, 2, 3] });
    epochWithout(chain, [1], 17);
    // One of 19 is more than the 5% that are asked for.
    expect(chain.validators).toHaveLength(4);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(0n);
  });

  it("of more than a third jails only as many as leave a quorum", () => {
    const chain = new EconomyChain(QUIET);
    const block = epochWithout(chain, [0, 2, 3]);
    const names = eventsOf(SLASHING, systemLogs(block)).map(({ name }) => name);
    expect(names.filter((name) => name === "Absent")).toHaveLength(1);
    expect(names.filter((name) => name === "Spared")).toHaveLength(2);
    expect(chain.validators).toHaveLength(3);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(1n);
  });

  it("is not punished on top of an offence, and the offender counts among those who leave", () => {
    const chain = new EconomyChain(QUIET);
    slash(chain);
    const offender = chain.validators.findIndex(({ operator }) => operator === OPERATOR);
    const other = offender === 0 ? 1 : 0;
    const block = epochWithout(chain, [offender, other]);
    const events = eventsOf(SLASHING, systemLogs(block));
    expect(events.map(({ name }) => name)).toEqual(["Spared"]);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(1n);
  });
});

describe("the history", () => {
  it("lists every penalty in order, in pages", () => {
    const chain = new EconomyChain({ parameters: { slashing: { minCountedBlocks: 10n } }, validators: 7 });
    const absentee = chain.validators.findIndex(({ operator }) => operator !== OPERATOR);
    const signers = chain.validators.map((_, index) => index).filter((index) => index !== absentee);
    chain.blocks(20, { signers });
    chain.endEpoch({ signers });
    const absentAt = { block: chain.number, time: chain.now };
    const evidence = evidenceOf(chain);
    chain.send(SLASHING, "submitEvidence", evidence, { key: REPORTER });
    const all = chain.view(SLASHING, "slashAt", [0n, 100n]);
    expect(all).toMatchObject([
      { offence: 6, epoch: 0n, viewNumber: 0n, blockNumber: absentAt.block, time: absentAt.time, amount: OGPU / 100n },
      { offence: 2, epoch: 0n, viewNumber: 5n, blockNumber: chain.number, time: chain.now, amount: 5n * OGPU },
    ]);
    expect(all[0]).toMatchObject({ reporter: `0x${"0".repeat(40)}`, digest: `0x${"0".repeat(64)}` });
    expect(all[1]?.operator.toLowerCase()).toBe(OPERATOR);
    expect(all[1]?.reporter.toLowerCase()).toBe(REPORTER.address);
    expect(all[1]?.digest).toBe(chain.view(SLASHING, "digestOf", [...evidence]));
    expect(chain.view(SLASHING, "slashAt", [1n, 1n])).toEqual(all.slice(1));
    expect(chain.view(SLASHING, "slashAt", [2n, 10n])).toEqual([]);
    expect(chain.view(SLASHING, "slashAt", [2n ** 256n - 1n, 100n])).toEqual([]);
    expect(chain.revertOf(SLASHING, "slashAt", [0n, 101n])).toEqual({ name: "TooMany", args: [100n] });
    expect(chain.view(SLASHING, "isHandled", [`0x${"11".repeat(32)}`])).toBe(false);
  });
});

describe("a contract", () => {
  const SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "ISlashing.sol";

contract Watchdog {
    ISlashing private constant SLASHING = ISlashing(address(uint160(${BigInt(SLASHING_ADDRESS)})));

    function report(bytes calldata key, bytes calldata first, bytes calldata second) external returns (uint256 reward) {
        (, reward) = SLASHING.submitEvidence(key, first, second);
        require(address(this).balance >= reward, "not paid");
    }

    function tryReport(bytes calldata key, bytes calldata first, bytes calldata second) external returns (bytes4 reason) {
        try SLASHING.submitEvidence(key, first, second) { return 0; }
        catch (bytes memory data) { return bytes4(data); }
    }

    function look(bytes calldata key, bytes calldata first, bytes calldata second) external view returns (ISlashing.Offence offence) {
        (, offence, , , ) = SLASHING.checkEvidence(key, first, second);
    }

    function reasons() external pure returns (bytes4, bytes4) {
        return (ISlashing.EvidenceHandled.selector, ISlashing.WrongSignature.selector);
    }

    receive() external payable {}
}`;

  it("looks at evidence, reports it, is paid, and understands why it is refused", async () => {
    const source = readFileSync(new URL("../../../vm/interfaces/ISlashing.sol", import.meta.url), "utf8");
    const contracts = await compileSolidity({ "ISlashing.sol": source, "Watchdog.sol": SOURCE });
    const { abi, code } = contracts.get("Watchdog") as { abi: Abi; code: Uint8Array };
    const chain = new EconomyChain();
    const address = chain.deploy(code);
    const call = (functionName: string, args: readonly unknown[]): unknown => {
      const data = hexToBytes(encodeFunctionData({ abi, functionName, args }));
      const receipt = chain.block([chain.transaction(address, data)]).receipts[0];
      expect(receipt?.succeeded).toBe(true);
      return decodeFunctionResult({ abi, functionName, data: bytesToHex(receipt?.output ?? new Uint8Array()) });
    };
    const evidence = evidenceOf(chain);
    const [handled, wrong] = call("reasons", []) as [Hex, Hex];
    expect(call("look", evidence)).toBe(2);
    expect(call("tryReport", [evidence[0], evidence[1], evidenceOf(chain, 0, blsKey(1))[2]])).toBe(wrong);
    expect(chain.view(SLASHING, "slashCount", [])).toBe(0n);
    const reward = call("report", evidence);
    expect(reward).toBe(OGPU / 4n);
    expect(chain.balance(address)).toBe(reward);
    expect(call("tryReport", evidence)).toBe(handled);
  });
});
