/** What people try, and what it brings them. */
import { readFileSync } from "node:fs";
import type { Abi } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { assert } from "../../../base/errors.ts";
import { OGPU } from "../../../base/units.ts";
import { type CompiledContract, compileSolidity } from "../../../bench/solidity.ts";
import { agendaAbi } from "../../../vm/interfaces/abi/agenda.ts";
import { AGENDA_ADDRESS, MARKET_ADDRESS } from "../../../vm/modules/addresses.ts";
import { RETRY_SECONDS } from "../../../vm/modules/agenda/limits.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, eventsOf } from "../support/economy-chain.ts";
import {
  CLIENT,
  COLLATERAL,
  MARKET,
  MarketChain,
  NO_CALLBACK,
  NONCE,
  racersOf,
  WORKERS,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

const PRICE = OGPU / 1_000n;
const AGENDA = { address: AGENDA_ADDRESS, abi: agendaAbi } as const;

function raceChain(racers = 2): [MarketChain, bigint, readonly TestKey[]] {
  const chain = new MarketChain();
  chain.addWorkers();
  const source = chain.createSource({ racers });
  for (const key of WORKERS) chain.join(source, key);
  const job = chain.submit(source);
  chain.draw();
  return [chain, job, racersOf(chain, job)];
}

describe("a thief", () => {
  it("that sends another's seal can never reveal it, and is late", () => {
    const [chain, job, racers] = raceChain();
    const [honest, thief] = racers as [TestKey, TestKey];
    const commitment = chain.commitment(1);
    const seal = chain.sealFor(job, honest, commitment);
    // Both in one block: the copy may even come first.
    chain.block([
      chain.call(MARKET, "commitSealed", [job, 1n, seal], { key: thief }),
      chain.call(MARKET, "commitSealed", [job, 1n, seal], { key: honest }),
    ]);
    chain.reveal(job, honest, commitment);
    const copy = chain.revertOf(MARKET, "reveal", [job, commitment, NONCE], { key: thief });
    expect(copy).toMatchObject({ name: "SealMismatch" });
    chain.pass(10);
    expect(chain.job(job)).toMatchObject({ status: 4 });
    expect(chain.job(job).worker.toLowerCase()).toBe(honest.address);
  });

  it("that seals what another has revealed comes after it, and earns only if that was true and was not paid", () => {
    const [chain, job, racers] = raceChain();
    const [honest, thief] = racers as [TestKey, TestKey];
    const commitment = chain.commitment(1);
    chain.seal(job, honest, commitment);
    chain.reveal(job, honest, commitment);
    chain.seal(job, thief, commitment);
    chain.reveal(job, thief, commitment);
    const before = chain.balance(thief.address);
    chain.decide(job);
    expect(chain.job(job).status).toBe(6);
    expect(chain.balance(thief.address)).toBe(before);
  });

  it("cannot use a seal or a commitment for another job", () => {
    const [chain, job, racers] = raceChain();
    const key = racers[0] as TestKey;
    const other = chain.submit(1n);
    chain.draw();
    const racer = racersOf(chain, other)[0] as TestKey;
    const commitment = chain.commitment(1);
    chain.send(MARKET, "commitSealed", [other, 1n, chain.sealFor(job, racer, commitment)], { key: racer });
    const replayed = chain.revertOf(MARKET, "reveal", [other, commitment, NONCE], { key: racer });
    expect(replayed).toMatchObject({ name: "SealMismatch" });
    void key;
  });

  it("cannot reveal for somebody else", () => {
    const [chain, job, racers] = raceChain();
    const [honest, thief] = racers as [TestKey, TestKey];
    chain.seal(job, honest, chain.commitment(1));
    const args = [job, chain.commitment(1), NONCE] as const;
    expect(chain.revertOf(MARKET, "reveal", args, { key: thief })).toMatchObject({ name: "NoSeal" });
    expect(chain.revertOf(MARKET, "reveal", args, { key: CLIENT })).toMatchObject({ name: "NotRacer" });
  });
});

describe("a verdict", () => {
  it("that comes again pays nobody again", () => {
    const [chain, job, racers] = raceChain();
    const key = racers[0] as TestKey;
    chain.seal(job, key, chain.commitment(1));
    chain.reveal(job, key, chain.commitment(1));
    const { round } = chain.job(job);
    for (let time = 0; time < 3; time++) chain.verification.decide(round);
    chain.verification.decide(round, { accepted: false, guilty: "worker" });
    const before = chain.balance(key.address);
    chain.block();
    chain.verification.decide(round);
    chain.block();
    expect(chain.balance(key.address) - before).toBe((PRICE * 95n) / 100n);
    expect(chain.job(job)).toMatchObject({ status: 6, paid: PRICE });
    expect(chain.view(MARKET, "totalEscrow", [])).toBe(0n);
  });
});

describe("a verdict that meets a bug", () => {
  it("is told, and tried again: nobody's money waits for good", () => {
    const [chain, job, racers] = raceChain();
    const key = racers[0] as TestKey;
    chain.seal(job, key, chain.commitment(1));
    chain.reveal(job, key, chain.commitment(1));
    const { round } = chain.job(job);
    const port = chain.verification.port as { takeDecided: unknown };
    const usual = port.takeDecided;
    let reads = 0;
    const decided = {
      ...{ round, job, final: true, reason: 1, programTrapped: false, guilty: "none", catcher: undefined },
      get accepted(): boolean {
        assert(reads++ > 0, "the first look at it fails");
        return true;
      },
    };
    port.takeDecided = () => [decided];
    const { receipts, faults } = chain.block();
    port.takeDecided = usual;
    expect(faults).toHaveLength(1);
    expect(eventsOf(AGENDA, receipts.at(-1)?.logs ?? [])).toMatchObject([{ name: "Failed", args: { id: job } }]);
    expect(chain.job(job)).toMatchObject({ status: 4 });
    chain.pass(RETRY_SECONDS);
    expect(chain.job(job)).toMatchObject({ status: 6, paid: PRICE });
  });
});

describe("a client that is its own worker", () => {
  it("loses fees and what verifiers cost, whatever is minted", () => {
    const chain = new MarketChain();
    chain.addWorkers(WORKERS.slice(0, 1));
    const source = chain.createSource({ racers: 1 });
    const washer = WORKERS[0] as TestKey;
    chain.join(source, washer);
    chain.endEpoch();
    const wealth = (): bigint => {
      const [free, allocated] = chain.lock(washer);
      const [own, reserved] = chain.collateral(washer);
      return chain.balance(washer.address) + free + allocated + own + reserved;
    };
    const before = wealth();
    for (let time = 0; time < 5; time++) {
      const job = chain.submit(source, washer);
      chain.draw();
      chain.seal(job, washer, chain.commitment(time));
      chain.reveal(job, washer, chain.commitment(time));
      chain.decide(job);
      const { minted, burned, treasury, verification } = chain.receipt(job);
      expect(minted).toBe(burned);
      expect(treasury + verification).toBeGreaterThan(0n);
    }
    chain.pass(40);
    expect(before - wealth()).toBe(5n * ((PRICE * 2n) / 100n + (3n * OGPU) / 1_000n));
  });
});

describe("griefers", () => {
  it("that take all places and never race lose a part of their locks each time, and then their places", () => {
    const chain = new MarketChain({ parameters: { market: { maxAttempts: 10n } } });
    chain.addWorkers();
    const source = chain.createSource({ racers: 4 });
    for (const key of WORKERS) chain.join(source, key);
    const job = chain.submit(source);
    // Four times a quarter of the lock, and nothing is left to stand for them.
    for (let attempt = 0; attempt < 6; attempt++) {
      chain.draw();
      chain.pass(20);
    }
    expect(chain.view(MARKET, "sourceOf", [source])).toMatchObject({ members: 0n, idle: 0n });
    for (const key of WORKERS) {
      expect(chain.lock(key)[1]).toBe(0n);
      expect(chain.collateral(key)).toEqual([COLLATERAL, 0n]);
    }
    expect(chain.job(job).status).toBe(1);
    chain.pass(60);
    expect(chain.job(job)).toMatchObject({ status: 9, reason: 13, budget: 0n });
  });

  it("that post many tiny tasks pay for each of them, and block nobody's draw", () => {
    const chain = new MarketChain();
    chain.addWorkers();
    const source = chain.createSource({ racers: 1 });
    const spammer = accountKey(9);
    const jobs = Array.from({ length: 12 }, () => chain.submit(source, spammer));
    const spent = (chain.spec.accounts[9]?.balance ?? 0n) - chain.balance(spammer.address);
    expect(spent).toBeGreaterThanOrEqual(12n * (PRICE + (3n * OGPU) / 1_000n));
    const { receipt } = chain.send(MARKET, "submitTask", [source, [...chain.inputs()], NO_CALLBACK], {
      key: spammer,
      value: OGPU,
    });
    expect(receipt.gasUsed).toBeGreaterThan(400_000n);
    for (const key of WORKERS) chain.join(source, key);
    chain.blocks(3);
    expect(jobs.filter((job) => chain.job(job).status === 3).length).toBe(4);
    chain.pass(100);
    chain.blocks(8);
    expect(chain.view(MARKET, "countByStatus", [1])).toBeLessThan(13n);
  });
});

const SOURCE_TEXT = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "IMarket.sol";

contract Asker {
    IMarket private constant MARKET = IMarket(address(uint160(${BigInt(MARKET_ADDRESS)})));
    uint256 public job;
    uint256 public told;
    bool public accepted;
    bytes32 public firstOutput;
    bytes4 public why;
    bool public angry;

    function ask(uint256 source, bytes32[] calldata inputs, uint64 gasLimit, uint256 tip) external payable {
        job = MARKET.submitTask{value: msg.value}(source, inputs, IMarket.Callback(address(this), gasLimit, tip));
    }

    function setAngry() external { angry = true; }

    function onJobResult(uint256 id, bool isAccepted, bytes32[] calldata outputs) external {
        require(msg.sender == address(MARKET), "only the market");
        require(!angry, "angry");
        told = id;
        accepted = isAccepted;
        if (outputs.length > 0) firstOutput = outputs[0];
        // Once more, from within: that must not work.
        try MARKET.deliver(id) {} catch (bytes memory reason) { why = bytes4(reason); }
    }

    function deliverFor(uint256 id) external returns (bytes4 selector) {
        try MARKET.deliver(id) {} catch (bytes memory reason) { selector = bytes4(reason); }
    }

    receive() external payable {}
}`;

describe("a contract", () => {
  let asker: CompiledContract;

  beforeAll(async () => {
    const file = new URL("../../../vm/interfaces/IMarket.sol", import.meta.url);
    const contracts = await compileSolidity({ "IMarket.sol": readFileSync(file, "utf8"), "Asker.sol": SOURCE_TEXT });
    asker = contracts.get("Asker") as CompiledContract;
  });

  const TIP = 12_345n;

  function asked(): [MarketChain, bigint, { address: Address; abi: Abi }] {
    const chain = new MarketChain();
    chain.addWorkers();
    const source = chain.createSource({ racers: 1 });
    for (const key of WORKERS) chain.join(source, key);
    const at = { address: chain.deploy(asker.code), abi: asker.abi };
    chain.send(at, "ask", [source, chain.inputs(), 200_000n, TIP], { value: OGPU });
    return [chain, 1n, at];
  }

  function settled(): [MarketChain, bigint, { address: Address; abi: Abi }] {
    const [chain, job, at] = asked();
    chain.draw();
    const key = racersOf(chain, job)[0] as TestKey;
    chain.seal(job, key, chain.commitment(1));
    chain.reveal(job, key, chain.commitment(1));
    chain.decide(job);
    return [chain, job, at];
  }

  it("asks for a task, and is told the result by whoever delivers, for the tip", () => {
    const [chain, job, at] = settled();
    expect(chain.job(job).client.toLowerCase()).toBe(at.address);
    expect(chain.view(MARKET, "totalEscrow", [])).toBe(TIP);
    const deliverer = accountKey(9);
    const before = chain.balance(deliverer.address);
    const { receipt } = chain.send(MARKET, "deliver", [job], { key: deliverer });
    expect(chain.balance(deliverer.address) - before).toBe(TIP);
    expect(eventsOf(MARKET, receipt.logs).map(({ name, args }) => [name, args["succeeded"]])).toEqual([
      ["Delivered", true],
    ]);
    expect(chain.send(at, "told", []).result).toBe(job);
    expect(chain.send(at, "accepted", []).result).toBe(true);
    expect(chain.send(at, "firstOutput", []).result).toBe(chain.commitment(1).outputs[0]);
    // NotByContract would come first only if it were not delivered already.
    expect(chain.send(at, "why", []).result).not.toBe("0x00000000");
    expect(chain.job(job).delivered).toBe(true);
    expect(chain.revertOf(MARKET, "deliver", [job])).toMatchObject({ name: "AlreadyDone" });
    expect(chain.view(MARKET, "totalEscrow", [])).toBe(0n);
  });

  it("whose callback fails has its job settled all the same, and the deliverer its tip", () => {
    const [chain, job, at] = settled();
    chain.send(at, "setAngry", []);
    const deliverer = accountKey(9);
    const before = chain.balance(deliverer.address);
    const { receipt } = chain.send(MARKET, "deliver", [job], { key: deliverer });
    expect(chain.balance(deliverer.address) - before).toBe(TIP);
    expect(eventsOf(MARKET, receipt.logs)[0]?.args).toMatchObject({ succeeded: false });
    expect(chain.job(job)).toMatchObject({ status: 6, delivered: true });
    expect(chain.view(MARKET, "resultOf", [job])).toEqual([true, true, chain.commitment(1).outputs]);
  });

  it("gets all the gas that it asked for, or nothing is delivered", () => {
    const [chain, job] = settled();
    const data = chain.call(MARKET, "deliver", [job], { key: accountKey(9), gasLimit: 200_000n });
    expect(chain.block([data]).receipts[0]?.succeeded).toBe(false);
    expect(chain.job(job).delivered).toBe(false);
    expect(chain.view(MARKET, "totalEscrow", [])).toBe(TIP);
  });

  it("cannot deliver from within, and nobody can before the job is over or without a callback", () => {
    const [chain, job, at] = asked();
    expect(chain.revertOf(MARKET, "deliver", [job])).toMatchObject({ name: "WrongStatus" });
    const [done, finished, from] = settled();
    expect(done.send(from, "deliverFor", [finished]).result).not.toBe("0x00000000");
    expect(done.job(finished).delivered).toBe(false);
    const other = done.submit(done.createSource());
    done.send(MARKET, "cancel", [other], { key: CLIENT });
    expect(done.revertOf(MARKET, "deliver", [other])).toMatchObject({ name: "NoCallback" });
    void at;
  });
});
