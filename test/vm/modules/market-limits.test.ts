/** What nobody can do to others by asking for much, or often. */
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { contentAddress, proveChunk } from "../../../compute/program/merkle.ts";
import { agendaAbi } from "../../../vm/interfaces/abi/agenda.ts";
import { AGENDA_ADDRESS, MARKET_ADDRESS } from "../../../vm/modules/addresses.ts";
import { accountKey, type Target } from "../support/economy-chain.ts";
import {
  CLIENT,
  MARKET,
  MarketChain,
  NO_CALLBACK,
  NO_REGION,
  racersOf,
  TIER,
  WORKERS,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

const AGENDA: Target<typeof agendaAbi> = { address: AGENDA_ADDRESS, abi: agendaAbi };
const DRAW = 2n;
const MOST_WORD = (1n << 256n) - 1n;

describe("a tip", () => {
  it("that no sum of money can hold is refused like any other number out of range", () => {
    const chain = new MarketChain();
    chain.addWorkers();
    const source = chain.createSource();
    const callback = { target: CLIENT.address, gas: 0n, tip: MOST_WORD };
    const options = { key: CLIENT, value: OGPU };
    const task = chain.revertOf(MARKET, "submitTask", [source, [...chain.inputs()], callback], options);
    expect(task).toMatchObject({ name: "OutOfRange", args: ["tip", MOST_WORD, 0n, 1n << 96n] });
    const terms = { program: chain.program, budget: OGPU, segments: 1, tier: TIER, seats: 1, assurance: 0 };
    const times = { bidSeconds: 10n, jobSeconds: 100n, region: NO_REGION };
    const job = chain.revertOf(MARKET, "postJob", [{ ...terms, ...times }, [...chain.inputs()], callback], options);
    expect(job).toMatchObject({ name: "OutOfRange", args: ["tip", MOST_WORD, 0n, 1n << 96n] });
  });
});

describe("a source whose members cannot bear its task", () => {
  it("looks again after a while, not in every block, and at once when somebody comes", () => {
    const chain = new MarketChain();
    const [only, other] = WORKERS as [TestKey, TestKey];
    chain.addWorkers([only, other]);
    // All but a little of what the worker has stands for its first task, and its device is idle again.
    const source = chain.createSource({ racers: 1, collateral: 60n * OGPU });
    chain.send(MARKET, "joinSource", [source, 1n], { key: only, value: 10n * OGPU });
    const first = chain.submit(source);
    chain.draw();
    chain.seal(first, only, chain.commitment(1));
    chain.reveal(first, only, chain.commitment(1));
    chain.decide(first, { final: false });
    const second = chain.submit(source);
    chain.draw();
    expect(chain.job(second).status).toBe(1);
    const [block, time] = chain.view(AGENDA, "dueOf", [MARKET_ADDRESS, DRAW, source]);
    expect(block).toBe(0n);
    expect(time).toBeGreaterThan(0n);
    chain.blocks(3);
    expect(chain.view(AGENDA, "dueOf", [MARKET_ADDRESS, DRAW, source])).toEqual([0n, time]);
    chain.send(MARKET, "joinSource", [source, 1n], { key: other, value: 10n * OGPU });
    chain.blocks(2);
    expect(racersOf(chain, second)).toEqual([other]);
  });
});

describe("a worker that demands its own outputs", () => {
  it("until it can no more has not used up what its client may demand", () => {
    const chain = new MarketChain();
    chain.addWorkers();
    const source = chain.createSource({ racers: 1 });
    for (const key of WORKERS) chain.join(source, key);
    const job = chain.send(MARKET, "submitTask", [source, [...chain.inputs()], NO_CALLBACK], {
      key: CLIENT,
      value: OGPU,
    }).result;
    chain.draw();
    const worker = racersOf(chain, job)[0] as TestKey;
    const outputs = chain.plan.outputs.map((buffer) => new Uint8Array(chain.plan.buffers[buffer]?.bytes ?? 0));
    const commitment = { ...chain.commitment(1), outputs: outputs.map((bytes) => bytesToHex(contentAddress(bytes))) };
    chain.seal(job, worker, commitment);
    chain.reveal(job, worker, commitment);
    chain.decide(job, { final: false });
    const puppet = accountKey(9);
    for (let demand = 0; demand < 64; demand++) {
      chain.send(MARKET, "demandOutput", [job, 0, 0n], { key: puppet, value: OGPU });
      chain.send(MARKET, "answerOutput", [job, 0, 0n, ...chunkOf(outputs[0] as Uint8Array)], { key: worker });
    }
    const more = chain.revertOf(MARKET, "demandOutput", [job, 0, 0n], { key: puppet, value: OGPU });
    expect(more).toMatchObject({ name: "Full", args: [64n] });
    chain.send(MARKET, "demandOutput", [job, 0, 0n], { key: CLIENT, value: OGPU });
    expect(chain.view(MARKET, "openDemands", [job])).toHaveLength(1);
    chain.pass(60);
    // Nothing was answered this time: the worker has lost the job.
    expect(chain.receipt(job).worker.toLowerCase()).not.toBe(worker.address);
  });
});

function chunkOf(bytes: Uint8Array): [Hex, Hex[]] {
  const { siblings } = proveChunk(bytes, 0);
  return [bytesToHex(bytes.slice(0, 1_024)), siblings.map(bytesToHex)];
}
