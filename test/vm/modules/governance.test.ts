import { readFileSync } from "node:fs";
import type { Abi } from "viem";
import { describe, expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { compileSolidity } from "../../../bench/solidity.ts";
import { PARAMETERS, parameterValue } from "../../../genesis/economy.ts";
import { GOVERNANCE_ADDRESS, TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { MAX_BODY_BYTES, MAX_CHANGES } from "../../../vm/modules/governance/limits.ts";
import {
  ACCOUNT_BALANCE,
  accountKey,
  EconomyChain,
  eventsOf,
  operatorKey,
  systemLogs,
} from "../support/economy-chain.ts";
import {
  accept,
  CHOICE,
  DEPOSIT,
  finish,
  GOVERNANCE,
  propose,
  proposeText,
  STATUS,
  statusOf,
  TIMELOCK,
  TREASURY,
  VOTING,
  voteAll,
} from "./support/governance.ts";

/** Every validator of the devnet has this. */
const STAKE = 100n * OGPU;

describe("a proposal", () => {
  it("takes the deposit, is listed, and tells its body in the log alone", () => {
    const chain = new EconomyChain();
    const key = accountKey(2);
    const { result: id, receipt } = chain.send(GOVERNANCE, "proposeText", ["Hello", "to everybody"], {
      key,
      value: DEPOSIT,
    });
    expect(id).toBe(1n);
    expect(chain.balance(key.address)).toBe(ACCOUNT_BALANCE - DEPOSIT);
    expect(chain.view(GOVERNANCE, "depositsHeld", [])).toBe(DEPOSIT);
    expect(eventsOf(GOVERNANCE, receipt.logs)).toMatchObject([
      { name: "Proposed", args: { id: 1n, kind: 4, title: "Hello", body: "to everybody", snapshot: 0n } },
    ]);
    const listed = chain.view(GOVERNANCE, "proposals", [0n, 10n]);
    expect(listed).toEqual([chain.view(GOVERNANCE, "proposal", [1n])]);
    expect(listed[0]).toMatchObject({ title: "Hello", deposit: DEPOSIT, status: STATUS.voting });
    expect(listed[0]?.due).toBe(chain.now + BigInt(VOTING));
    expect(chain.view(GOVERNANCE, "openProposals", [0n, 10n])).toEqual([1n]);
    expect(chain.view(GOVERNANCE, "tally", [1n])).toEqual([0n, 0n, 0n, 0n, 4n * STAKE]);
  });

  it.each([
    ["WrongDeposit", ["t", "b"], DEPOSIT - 1n, [DEPOSIT, DEPOSIT - 1n]],
    ["WrongDeposit", ["t", "b"], DEPOSIT + 1n, [DEPOSIT, DEPOSIT + 1n]],
    ["InvalidTitle", ["", "b"], DEPOSIT, [0n, 128n]],
    ["InvalidTitle", ["ä".repeat(65), "b"], DEPOSIT, [130n, 128n]],
    ["BodyTooLong", ["t", "b".repeat(MAX_BODY_BYTES + 1)], DEPOSIT, [4097n, 4096n]],
  ] as const)("reverts with %s", (name, args, value, expected) => {
    const chain = new EconomyChain();
    expect(chain.revertOf(GOVERNANCE, "proposeText", args, { value })).toEqual({ name, args: expected });
    expect(chain.view(GOVERNANCE, "proposalCount", [])).toBe(0n);
    expect(chain.balance(GOVERNANCE_ADDRESS)).toBe(0n);
  });

  it("finds no place when all are taken, until one is decided", () => {
    const chain = new EconomyChain({ parameters: { governance: { maxOpenProposals: 2n } } });
    proposeText(chain);
    proposeText(chain);
    expect(chain.revertOf(GOVERNANCE, "proposeText", ["t", "b"], { value: DEPOSIT })).toEqual({
      name: "TooManyOpen",
      args: [2n],
    });
    chain.pass(VOTING);
    expect(proposeText(chain)).toBe(3n);
  });

  it("that does not exist reverts by name, wherever it is asked for", () => {
    const chain = new EconomyChain();
    const expected = { name: "UnknownProposal", args: [7n] };
    expect(chain.revertOf(GOVERNANCE, "proposal", [7n])).toEqual(expected);
    expect(chain.revertOf(GOVERNANCE, "vote", [7n, 1], { key: operatorKey(0) })).toEqual(expected);
    expect(chain.revertOf(GOVERNANCE, "cancel", [7n])).toEqual(expected);
    expect(chain.revertOf(GOVERNANCE, "tally", [7n])).toEqual(expected);
    expect(chain.view(GOVERNANCE, "proposals", [8n, 10n])).toEqual([]);
  });
});

describe("votes", () => {
  it("count by stake, and may be changed until voting ends", () => {
    const chain = new EconomyChain();
    const id = proposeText(chain);
    voteAll(chain, id, ["yes", "no", "abstain", "veto"]);
    expect(chain.view(GOVERNANCE, "tally", [id])).toEqual([STAKE, STAKE, STAKE, STAKE, 4n * STAKE]);
    const { receipt } = chain.send(GOVERNANCE, "vote", [id, CHOICE.no], { key: operatorKey(0) });
    expect(eventsOf(GOVERNANCE, receipt.logs)).toMatchObject([{ name: "Voted", args: { choice: 2, weight: STAKE } }]);
    expect(chain.view(GOVERNANCE, "tally", [id])).toEqual([0n, 2n * STAKE, STAKE, STAKE, 4n * STAKE]);
    expect(chain.view(GOVERNANCE, "voteOf", [id, operatorKey(0).address])).toEqual([CHOICE.no, 0n]);
  });

  it("of those without stake and of no choice revert by name", () => {
    const chain = new EconomyChain();
    const id = proposeText(chain);
    const stranger = accountKey(5);
    const operator = operatorKey(0);
    expect(chain.revertOf(GOVERNANCE, "vote", [id, 1], { key: stranger }).name).toBe("NoStake");
    const asDelegator = [id, operator.address, 1] as const;
    expect(chain.revertOf(GOVERNANCE, "voteAsDelegator", asDelegator, { key: stranger }).name).toBe("NoStake");
    for (const choice of [0, 5, 255]) {
      const reverted = chain.revertOf(GOVERNANCE, "vote", [id, choice], { key: operator });
      expect(reverted).toEqual({ name: "InvalidChoice", args: [choice] });
    }
  });

  it("end with the voting time", () => {
    const chain = new EconomyChain();
    const id = proposeText(chain);
    chain.pass(VOTING - 1);
    chain.send(GOVERNANCE, "vote", [id, CHOICE.yes], { key: operatorKey(0) }, { seconds: 0 });
    chain.pass(1);
    const reverted = chain.revertOf(GOVERNANCE, "vote", [id, CHOICE.yes], { key: operatorKey(1) });
    expect(reverted.name).toBe("NotVoting");
  });
});

describe("the verdict", () => {
  it.each([
    ["no quorum: the deposit goes to the treasury", ["yes"], STATUS.noQuorum, 0n],
    ["more for than against, and the quorum: accepted", ["yes", "abstain"], STATUS.queued, DEPOSIT],
    ["as many against as for: rejected", ["yes", "no"], STATUS.rejected, DEPOSIT],
    ["a third of the votes are vetoes: vetoed", ["yes", "yes", "veto", "veto"], STATUS.vetoed, 0n],
    ["fewer vetoes than that count as no", ["yes", "yes", "no", "veto"], STATUS.rejected, DEPOSIT],
    ["all abstain: rejected", ["abstain", "abstain"], STATUS.rejected, DEPOSIT],
  ] as const)("%s", (_, choices, status, returned) => {
    const chain = new EconomyChain();
    const key = accountKey(4);
    const id = proposeText(chain, key);
    voteAll(chain, id, choices);
    const block = chain.pass(VOTING);
    expect(statusOf(chain, id)).toBe(status);
    expect(chain.balance(key.address)).toBe(ACCOUNT_BALANCE - DEPOSIT + returned);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(DEPOSIT - returned);
    expect(chain.balance(GOVERNANCE_ADDRESS)).toBe(0n);
    expect(chain.view(GOVERNANCE, "depositsHeld", [])).toBe(0n);
    const told = eventsOf(GOVERNANCE, systemLogs(block));
    expect(told).toMatchObject([{ name: "Decided", args: { id, status, returned } }]);
    const isOpen = status === STATUS.queued;
    expect(chain.view(GOVERNANCE, "openProposals", [0n, 10n])).toEqual(isOpen ? [id] : []);
  });

  it("goes by the shares that held when the proposal was made", () => {
    const chain = new EconomyChain();
    const change = propose(chain, ["governance.quorumShare"], [800_000n]);
    accept(chain, change);
    const before = propose(chain, ["governance.quorumShare"], [250_000n]);
    expect(chain.view(GOVERNANCE, "rulesOf", [before])[0]).toBe(800_000n);
    voteAll(chain, before, ["yes", "yes", "yes", "yes"]);
    chain.pass(VOTING);
    const between = proposeText(chain);
    chain.pass(TIMELOCK);
    expect(chain.view(GOVERNANCE, "parameter", ["governance.quorumShare"])).toBe(250_000n);
    voteAll(chain, between, ["yes", "yes"]);
    finish(chain);
    expect(statusOf(chain, between)).toBe(STATUS.noQuorum);
  });
});

describe("a proposal of parameters", () => {
  it("takes effect in the block that carries it out, and not before", () => {
    const chain = new EconomyChain({ baseFee: 1_000n });
    const id = propose(chain, ["treasury.baseFeeShare", "staking.maxValidators"], [1_000_000n, 7n]);
    expect(chain.view(GOVERNANCE, "changesOf", [id])).toEqual([
      ["treasury.baseFeeShare", "staking.maxValidators"],
      [1_000_000n, 7n],
    ]);
    voteAll(chain, id, ["yes", "yes", "yes"]);
    chain.pass(VOTING);
    chain.pass(TIMELOCK - 1);
    expect(statusOf(chain, id)).toBe(STATUS.queued);
    expect(chain.view(GOVERNANCE, "parameter", ["treasury.baseFeeShare"])).toBe(100_000n);
    const before = chain.balance(TREASURY_ADDRESS);
    const transfer = chain.transaction(accountKey(9).address, new Uint8Array(), { value: 1n, gasLimit: 21_000n });
    const block = chain.block([transfer], { seconds: 1 });
    expect(statusOf(chain, id)).toBe(STATUS.executed);
    expect(eventsOf(GOVERNANCE, systemLogs(block))).toMatchObject([
      { name: "ParameterChanged", args: { name: "treasury.baseFeeShare", before: 100_000n, value: 1_000_000n } },
      { name: "ParameterChanged", args: { name: "staking.maxValidators", before: 100n, value: 7n } },
      { name: "Executed", args: { id } },
    ]);
    // The whole base fee of that very block.
    expect(chain.balance(TREASURY_ADDRESS) - before).toBe(21_000n * 1_000n);
  });

  it.each([
    ["UnknownParameter", ["token.cap"], [1n], ["token.cap"]],
    ["UnknownParameter", ["staking.__proto__"], [1n], ["staking.__proto__"]],
    ["RepeatedParameter", ["staking.maxValidators", "staking.maxValidators"], [1n, 2n], ["staking.maxValidators"]],
    ["WrongNumberOfChanges", [], [], [0n, 0n, 16n]],
    ["WrongNumberOfChanges", ["staking.maxValidators"], [1n, 2n], [1n, 2n, 16n]],
    [
      "WrongNumberOfChanges",
      PARAMETERS.slice(0, MAX_CHANGES + 1).map(({ name }) => name),
      PARAMETERS.slice(0, MAX_CHANGES + 1).map(() => 1n),
      [17n, 17n, 16n],
    ],
  ])("reverts with %s", (name, names, values, args) => {
    const chain = new EconomyChain();
    const call = ["t", "b", names, values] as const;
    expect(chain.revertOf(GOVERNANCE, "proposeParameters", call, { value: DEPOSIT })).toEqual({ name, args });
  });

  it.each([
    ["staking.maxValidators", 0n],
    ["staking.maxValidators", (1n << 256n) - 1n],
    ["slashing.treasuryShare", 950_001n],
    ["governance.thresholdShare", 499_999n],
    ["staking.unbondingSeconds", 300n],
  ])("with %s = %s is refused as at genesis", (parameter, value) => {
    const chain = new EconomyChain();
    const call = ["t", "b", [parameter], [value]] as const;
    const reverted = chain.revertOf(GOVERNANCE, "proposeParameters", call, { value: DEPOSIT });
    expect(reverted).toMatchObject({
      name: "InvalidParameters",
      args: [parameter, expect.stringMatching("must|more")],
    });
  });

  it("that no longer fits the others when its time comes fails, and changes nothing", () => {
    const chain = new EconomyChain();
    const longer = propose(chain, ["slashing.evidenceWindowSeconds"], [599n]);
    const shorter = propose(chain, ["staking.unbondingSeconds", "staking.maxValidators"], [400n, 9n]);
    voteAll(chain, longer, ["yes", "yes", "yes"]);
    voteAll(chain, shorter, ["yes", "yes", "yes"]);
    finish(chain);
    expect(statusOf(chain, longer)).toBe(STATUS.executed);
    expect(statusOf(chain, shorter)).toBe(STATUS.failed);
    expect(chain.view(GOVERNANCE, "failureOf", [shorter])).toContain("staking.unbondingSeconds must be more than");
    expect(chain.view(GOVERNANCE, "parameter", ["staking.unbondingSeconds"])).toBe(600n);
    expect(chain.view(GOVERNANCE, "parameter", ["staking.maxValidators"])).toBe(100n);
    expect(chain.view(GOVERNANCE, "openProposals", [0n, 10n])).toEqual([]);
  });

  it("all parameters are listed with their bounds, the spec's values first", () => {
    const chain = new EconomyChain();
    const starts = Array.from({ length: Math.ceil(PARAMETERS.length / 20) }, (_, page) => 20n * BigInt(page));
    const pages = starts.flatMap((start) => chain.view(GOVERNANCE, "parameters", [start, 20n]));
    expect(pages).toEqual(
      PARAMETERS.map((parameter) => ({
        name: parameter.name,
        value: parameterValue(chain.spec.modules, parameter),
        least: parameter.definition.least,
        most: parameter.definition.most,
      })),
    );
  });
});

describe("a proposal of spending", () => {
  it("pays from the treasury", () => {
    const chain = new EconomyChain();
    const to = accountKey(50).address;
    chain.send(TREASURY, "deposit", [], { value: 5n * OGPU });
    const id = chain.send(GOVERNANCE, "proposeSpending", ["t", "b", to, 3n * OGPU], { value: DEPOSIT }).result;
    accept(chain, id);
    expect(statusOf(chain, id)).toBe(STATUS.executed);
    expect(chain.balance(to)).toBe(3n * OGPU);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(2n * OGPU);
    expect(chain.view(TREASURY, "spent", [])).toBe(3n * OGPU);
  });

  it("of more than there is fails, and says so", () => {
    const chain = new EconomyChain();
    const to = accountKey(50).address;
    const most = (1n << 256n) - 1n;
    const ids = [OGPU, most].map(
      (amount) => chain.send(GOVERNANCE, "proposeSpending", ["t", "b", to, amount], { value: DEPOSIT }).result,
    );
    for (const id of ids) voteAll(chain, id, ["yes", "yes", "yes", "yes"]);
    finish(chain);
    for (const id of ids) {
      expect(statusOf(chain, id)).toBe(STATUS.failed);
      expect(chain.view(GOVERNANCE, "failureOf", [id])).toContain("the treasury has 0 oGPU");
    }
    expect(chain.balance(to)).toBe(0n);
  });

  it.each([
    ["0x0000000000000000000000000000000000000000", 1n],
    ["0x00000000000000000000000000000000000000AA", 0n],
  ] as const)("to %s of %s reverts", (to, amount) => {
    const chain = new EconomyChain();
    const reverted = chain.revertOf(GOVERNANCE, "proposeSpending", ["t", "b", to, amount], { value: DEPOSIT });
    expect(reverted).toEqual({ name: "InvalidSpending", args: [to, amount] });
  });
});

describe("a proposer who withdraws", () => {
  it("gets its deposit back less the part of the voting time that has passed", () => {
    const chain = new EconomyChain();
    const key = accountKey(1);
    const id = proposeText(chain, key);
    chain.pass(14);
    chain.send(GOVERNANCE, "cancel", [id], { key });
    expect(statusOf(chain, id)).toBe(STATUS.cancelled);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(DEPOSIT / 4n);
    expect(chain.balance(key.address)).toBe(ACCOUNT_BALANCE - DEPOSIT / 4n);
    expect(chain.balance(GOVERNANCE_ADDRESS)).toBe(0n);
    finish(chain);
    expect(statusOf(chain, id)).toBe(STATUS.cancelled);
  });

  it("loses it all when the votes so far are a veto", () => {
    const chain = new EconomyChain();
    const id = proposeText(chain);
    voteAll(chain, id, ["veto"]);
    chain.send(GOVERNANCE, "cancel", [id]);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(DEPOSIT);
  });

  it("is the only one who may, and only while votes are counted", () => {
    const chain = new EconomyChain();
    const id = proposeText(chain);
    const other = accountKey(1);
    expect(chain.revertOf(GOVERNANCE, "cancel", [id], { key: other }).name).toBe("NotProposer");
    voteAll(chain, id, ["yes", "yes"]);
    chain.pass(VOTING);
    expect(chain.revertOf(GOVERNANCE, "cancel", [id])).toEqual({ name: "NotVoting", args: [id, STATUS.queued] });
  });
});

it("all that is due moves on, first things first, however many there are", () => {
  const chain = new EconomyChain();
  const ids = Array.from({ length: 19 }, (_, index) => proposeText(chain, accountKey(index)));
  const open = (): number => chain.view(GOVERNANCE, "openProposals", [0n, 50n]).length;
  expect(open()).toBe(19);
  const decided: bigint[] = [];
  while (open() > 0) {
    const { receipts } = chain.pass(decided.length === 0 ? VOTING : 0);
    const logs = receipts.flatMap((receipt) => receipt.logs).filter(({ address }) => address === GOVERNANCE_ADDRESS);
    decided.push(...logs.map(({ topics }) => BigInt(topics[1] ?? 0)));
    expect(logs.length).toBeGreaterThan(0);
  }
  expect(decided).toEqual(ids);
});

it("a contract proposes, reads, and sees the named error", async () => {
  const contracts = await compileSolidity({
    "IGovernance.sol": readFileSync("vm/interfaces/IGovernance.sol", "utf8"),
    "Proposer.sol": `
      // SPDX-License-Identifier: Apache-2.0
      pragma solidity ^0.8.20;
      import "IGovernance.sol";
      contract Proposer {
        IGovernance private constant GOVERNANCE = IGovernance(address(uint160(${BigInt(GOVERNANCE_ADDRESS)})));
        function propose(string[] calldata names, uint256[] calldata values) external payable returns (uint256) {
          return GOVERNANCE.proposeParameters{value: msg.value}("By a contract", "", names, values);
        }
        function read(uint256 id) external view returns (address, uint256, IGovernance.Status) {
          IGovernance.Proposal memory found = GOVERNANCE.proposal(id);
          return (found.proposer, GOVERNANCE.parameter("staking.maxValidators"), found.status);
        }
        function voteWithoutStake(uint256 id) external returns (bool) {
          try GOVERNANCE.vote(id, IGovernance.Choice.Yes) { return false; } catch (bytes memory reason) {
            return bytes4(reason) == IGovernance.NoStake.selector;
          }
        }
      }`,
  });
  const compiled = contracts.get("Proposer");
  const chain = new EconomyChain();
  const target = { address: chain.deploy(compiled?.code as Uint8Array), abi: compiled?.abi as Abi };
  const { result: id } = chain.send(target, "propose", [["staking.maxValidators"], [5n]], { value: DEPOSIT });
  expect(chain.send(target, "voteWithoutStake", [id]).result).toBe(true);
  accept(chain, id as bigint);
  const [proposer, value, status] = chain.send(target, "read", [id]).result as [string, bigint, number];
  expect([proposer.toLowerCase(), value, status]).toEqual([target.address, 5n, STATUS.executed]);
  expect(chain.balance(target.address)).toBe(DEPOSIT);
});
