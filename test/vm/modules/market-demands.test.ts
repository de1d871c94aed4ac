/** Bytes that are withheld: demanded on chain, shown or paid for. */
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { OGPU } from "../../../base/units.ts";
import { nBodyProgram } from "../../../compute/examples/n-body.ts";
import { checkpointRoot, commitBuffer, openTile } from "../../../compute/program/commitment.ts";
import { contentAddress, proveChunk, proveLeaf } from "../../../compute/program/merkle.ts";
import { bidSealOf } from "../../../vm/modules/market/commitment.ts";
import { accountKey } from "../support/economy-chain.ts";
import {
  CLIENT,
  COLLATERAL,
  MARKET,
  MarketChain,
  NO_CALLBACK,
  NO_REGION,
  NONCE,
  racersOf,
  SOURCE,
  TIER,
  WORKERS,
  word,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";

const BODIES = 128;
const BYTES = 16 * BODIES;
const PROGRAM = nBodyProgram({ bodies: BODIES, steps: 6, dt: 0.01, softening: 0.1 });
const BOND = OGPU / 1_000n;
const ANYBODY = accountKey(9);

function blob(name: string): Uint8Array {
  const random = new Prng(name);
  return Uint8Array.from({ length: BYTES }, () => random.below(256));
}

const INPUTS = [blob("positions"), blob("velocities")];
const OUTPUTS = [blob("new positions"), blob("new velocities")];

function addresses(blobs: readonly Uint8Array[]): Hex[] {
  return blobs.map((bytes) => bytesToHex(contentAddress(bytes)));
}

/** What shows chunk `index` of the bytes. */
function chunkOf(bytes: Uint8Array, index: number): { contents: Hex; siblings: Hex[] } {
  const { siblings } = proveChunk(bytes, index);
  return { contents: bytesToHex(bytes.slice(1_024 * index, 1_024 * (index + 1))), siblings: siblings.map(bytesToHex) };
}

function raceChain(): [MarketChain, bigint, TestKey] {
  const chain = new MarketChain({ program: PROGRAM });
  chain.addWorkers();
  const source = chain.createSource({ racers: 2 });
  for (const key of WORKERS) chain.join(source, key);
  const args = [source, addresses(INPUTS), NO_CALLBACK] as const;
  const job = chain.send(MARKET, "submitTask", args, { key: CLIENT, value: OGPU }).result;
  chain.draw();
  return [chain, job, racersOf(chain, job)[0] as TestKey];
}

function acceptedChain(): [MarketChain, bigint, TestKey] {
  const [chain, job, worker] = raceChain();
  const commitment = { ...chain.commitment(1), outputs: addresses(OUTPUTS) };
  chain.seal(job, worker, commitment);
  chain.reveal(job, worker, commitment);
  chain.decide(job, { final: false });
  return [chain, job, worker];
}

describe("an input", () => {
  it("that the client shows costs whoever demanded it its bond, and gives racers that time", () => {
    const [chain, job, racer] = raceChain();
    const { by } = chain.job(job);
    chain.send(MARKET, "demandInput", [job, 1, 1n], { key: racer, value: OGPU });
    expect(chain.job(job).by).toBe(by + 15n);
    expect(chain.view(MARKET, "openDemands", [job])).toMatchObject([
      { job, kind: 1, item: 1, chunk: 1n, bond: BOND, status: 1 },
    ]);
    const before = chain.balance(CLIENT.address);
    const { contents, siblings } = chunkOf(INPUTS[1] as Uint8Array, 1);
    chain.send(MARKET, "answerInput", [job, 1, 1n, contents, siblings], { key: CLIENT });
    expect(chain.balance(CLIENT.address) - before).toBe(BOND);
    expect(chain.view(MARKET, "demandOf", [job, 1, 1, 1n])).toMatchObject({ status: 2 });
    expect(chain.view(MARKET, "openDemands", [job])).toEqual([]);
    chain.pass(20);
    expect(chain.job(job).status).toBe(3);
  });

  it("that the client does not show costs it its lock, and racers nothing", () => {
    const [chain, job, racer] = raceChain();
    chain.send(MARKET, "demandInput", [job, 0, 0n], { key: racer, value: OGPU });
    const before = chain.balance(racer.address);
    const { locked } = chain.job(job);
    chain.pass(15);
    expect(chain.job(job)).toMatchObject({ status: 7, reason: 17, budget: 0n, locked: 0n });
    // Its bond, and half of the client's lock.
    expect(chain.balance(racer.address) - before).toBe(BOND + locked / 2n);
    for (const key of WORKERS) expect(chain.collateral(key)).toEqual([COLLATERAL, 0n]);
    expect(chain.view(MARKET, "demandOf", [job, 1, 0, 0n])).toMatchObject({ status: 3 });
    expect(chain.view(MARKET, "membersOf", [1n, 0n, 10n]).every(({ misses }) => misses === 0n)).toBe(true);
  });

  it("can be demanded by those at work, for what there is, once at a time, for a bond", () => {
    const [chain, job, racer] = raceChain();
    const demand = (item: number, chunk: bigint, key = racer, value = OGPU) =>
      chain.revertOf(MARKET, "demandInput", [job, item, chunk], { key, value });
    expect(demand(0, 0n, ANYBODY)).toMatchObject({ name: "NotRacer" });
    expect(demand(2, 0n)).toMatchObject({ name: "OutOfRange" });
    expect(demand(0, 2n)).toMatchObject({ name: "OutOfRange" });
    expect(demand(0, 0n, racer, BOND - 1n)).toEqual({ name: "NotEnoughSent", args: [BOND - 1n, BOND] });
    chain.send(MARKET, "demandInput", [job, 0, 0n], { key: racer, value: OGPU });
    expect(demand(0, 0n)).toMatchObject({ name: "DemandOpen" });
    const { contents, siblings } = chunkOf(INPUTS[0] as Uint8Array, 0);
    const answer = (chunk: bigint, bytes: Hex, key: TestKey) =>
      chain.revertOf(MARKET, "answerInput", [job, 0, chunk, bytes, siblings], { key });
    expect(answer(1n, contents, CLIENT)).toMatchObject({ name: "NoDemand" });
    expect(answer(0n, contents, racer)).toMatchObject({ name: "NotClient" });
    expect(answer(0n, chunkOf(INPUTS[1] as Uint8Array, 0).contents, CLIENT)).toMatchObject({ name: "BadProof" });
  });

  it("is demanded at most eight chunks at a time", () => {
    const [chain, job, racer] = raceChain();
    for (const chunk of [0n, 1n]) {
      for (const item of [0, 1]) chain.send(MARKET, "demandInput", [job, item, chunk], { key: racer, value: OGPU });
    }
    // Four are all there are of this program: the count is what bounds them.
    expect(chain.view(MARKET, "openDemands", [job]).length).toBe(4);
  });
});

describe("an output", () => {
  it("that the worker shows lets the payment that waited for it go on", () => {
    const [chain, job, worker] = acceptedChain();
    chain.send(MARKET, "demandOutput", [job, 0, 1n], { key: ANYBODY, value: OGPU });
    chain.decide(job);
    expect(chain.job(job).status).toBe(5);
    const { contents, siblings } = chunkOf(OUTPUTS[0] as Uint8Array, 1);
    const args = [job, 0, 1n, contents, siblings] as const;
    expect(chain.revertOf(MARKET, "answerOutput", args, { key: CLIENT })).toMatchObject({ name: "NotWorker" });
    chain.send(MARKET, "answerOutput", args, { key: worker });
    expect(chain.job(job)).toMatchObject({ status: 6, reason: 8 });
  });

  it("that the worker withholds costs it the job and all that is reserved of it", () => {
    const [chain, job, worker] = acceptedChain();
    chain.send(MARKET, "demandOutput", [job, 0, 0n], { key: ANYBODY, value: OGPU });
    chain.decide(job);
    const before = chain.balance(ANYBODY.address);
    chain.pass(15);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 18, paid: 0n, outputs: [] });
    expect(chain.collateral(worker)).toEqual([COLLATERAL - SOURCE.collateral, 0n]);
    expect(chain.balance(ANYBODY.address) - before).toBe(BOND);
  });

  it("is answered for after the payment too, for a while", () => {
    const [chain, job, worker] = acceptedChain();
    chain.decide(job);
    expect(chain.job(job).status).toBe(6);
    chain.pass(25);
    chain.send(MARKET, "demandOutput", [job, 1, 0n], { key: ANYBODY, value: OGPU });
    // The time of the answer is longer than what was left of its liability.
    const before = chain.balance(CLIENT.address);
    chain.pass(15);
    expect(chain.job(job)).toMatchObject({ status: 6, reason: 18 });
    expect(chain.collateral(worker)).toEqual([COLLATERAL - SOURCE.collateral, 0n]);
    expect(chain.balance(CLIENT.address) - before).toBe(SOURCE.collateral / 2n);
    chain.pass(60);
    const late = chain.revertOf(MARKET, "demandOutput", [job, 1, 0n], { key: ANYBODY, value: OGPU });
    expect(late).toMatchObject({ name: "WrongStatus" });
  });

  it("cannot be demanded before it is accepted, nor beyond what there is", () => {
    const [chain, job] = raceChain();
    const demand = (at: MarketChain, output: number, chunk: bigint) =>
      at.revertOf(MARKET, "demandOutput", [job, output, chunk], { key: ANYBODY, value: OGPU });
    expect(demand(chain, 0, 0n)).toMatchObject({ name: "WrongStatus" });
    const [accepted] = acceptedChain();
    expect(demand(accepted, 2, 0n)).toMatchObject({ name: "OutOfRange" });
    expect(demand(accepted, 0, 2n)).toMatchObject({ name: "OutOfRange" });
  });
});

describe("the state after a segment", () => {
  const SEED = new Uint8Array(32).fill(9);
  const [launchSpec] = PROGRAM.steps.flatMap((step) => (step.kind === "loop" ? step.body : [step]));
  const spec = launchSpec as Extract<typeof launchSpec, { kind: "launch" }>;
  const tile = { kind: "run", bytes: 1_024 } as const;
  const state = [blob("after 1"), blob("velocities after 1"), blob("after 0")];
  // Positions go back and forth between the first and the last buffer, one launch each.
  const versions = [1, 1, 0].map((launch, buffer) =>
    commitBuffer(state[buffer] as Uint8Array, tile, spec.grid, launch, buffer, SEED),
  );
  const roots = versions.map(({ root }) => root);

  /** The first of three segments is accepted for good, and waits for the client. */
  function waitingChain(): [MarketChain, bigint, TestKey] {
    const worker = WORKERS[0] as TestKey;
    const parameters = { market: { answerSeconds: 60n, liableSeconds: 60n } };
    const chain = new MarketChain({ program: PROGRAM, parameters });
    chain.addWorkers();
    const terms = {
      ...{ program: chain.program, budget: OGPU, segments: 3, tier: TIER, seats: 1, assurance: 0 },
      ...{ bidSeconds: 2n, jobSeconds: 600n, region: NO_REGION },
    };
    const args = [terms, addresses(INPUTS), NO_CALLBACK] as const;
    const job = chain.send(MARKET, "postJob", args, { key: CLIENT, value: 10n * OGPU }).result;
    const bid = { price: OGPU, secondsTaken: 30n, region: NO_REGION };
    const seal = bidSealOf(job, 1n, worker.address, bid, NONCE);
    chain.send(MARKET, "bid", [job, 1n, seal], { key: worker, value: OGPU });
    chain.pass(2);
    chain.send(MARKET, "revealBid", [job, bid.price, bid.secondsTaken, bid.region, NONCE], { key: worker });
    const commitment = { ...chain.commitment(0, false), checkpointRoot: bytesToHex(checkpointRoot(roots)) };
    chain.send(MARKET, "commitSegment", [job, 0, commitment], { key: worker });
    chain.decide(job);
    return [chain, job, worker];
  }

  function proofOf(buffer: number, index: number) {
    const version = versions[buffer] as (typeof versions)[number];
    const opening = openTile(version, index, SEED);
    return {
      version: bytesToHex(version.root),
      versionSiblings: proveLeaf(roots, buffer).siblings.map(bytesToHex),
      tile: bytesToHex(opening.address),
      salt: bytesToHex(opening.salt),
      tileSiblings: opening.proof.siblings.map(bytesToHex),
    };
  }

  function tileContents(buffer: number, index: number): Uint8Array {
    return (state[buffer] as Uint8Array).slice(1_024 * index, 1_024 * (index + 1));
  }

  it("is shown by its chunk, its tile and its version, and then paid for", () => {
    const [chain, job, worker] = waitingChain();
    const chunk = 1n << 32n;
    chain.send(MARKET, "demandCheckpoint", [job, 2, chunk], { key: CLIENT, value: OGPU });
    chain.pass(11);
    expect(chain.job(job).status).toBe(5);
    const contents = bytesToHex(tileContents(2, 1));
    const answer = (bytes: Hex, proof: ReturnType<typeof proofOf>) => [job, 2, chunk, bytes, [], proof] as const;
    const refused = (bytes: Hex, proof: ReturnType<typeof proofOf>) =>
      chain.revertOf(MARKET, "answerCheckpoint", answer(bytes, proof), { key: worker });
    expect(refused(bytesToHex(tileContents(2, 0)), proofOf(2, 1))).toMatchObject({ name: "BadProof" });
    expect(refused(contents, proofOf(2, 0))).toMatchObject({ name: "BadProof" });
    expect(refused(contents, proofOf(1, 1))).toMatchObject({ name: "BadProof" });
    expect(refused(contents, { ...proofOf(2, 1), salt: word(1) })).toMatchObject({ name: "BadProof" });
    chain.send(MARKET, "answerCheckpoint", answer(contents, proofOf(2, 1)), { key: worker });
    chain.pass(60);
    expect(chain.job(job)).toMatchObject({ status: 3, reason: 9, segment: 1 });
  });

  it("that is withheld costs the worker the job, which begins again at the checkpoint before", () => {
    const [chain, job, worker] = waitingChain();
    chain.send(MARKET, "demandCheckpoint", [job, 0, 0n], { key: CLIENT, value: OGPU });
    chain.pass(60);
    expect(chain.job(job)).toMatchObject({ status: 1, reason: 19, segment: 0, paid: 0n });
    expect(chain.collateral(worker)[1]).toBe(0n);
    expect(chain.lock(worker)[1]).toBe(0n);
  });

  it("is demanded by the client before it has attested, and only what there is of it", () => {
    const [chain, job, worker] = waitingChain();
    const demand = (buffer: number, chunk: bigint, key: TestKey = CLIENT) =>
      chain.revertOf(MARKET, "demandCheckpoint", [job, buffer, chunk], { key, value: OGPU });
    expect(demand(0, 0n, worker)).toMatchObject({ name: "NotClient" });
    expect(demand(3, 0n)).toMatchObject({ name: "OutOfRange" });
    expect(demand(0, 2n << 32n)).toMatchObject({ name: "OutOfRange" });
    expect(demand(0, 1n)).toMatchObject({ name: "OutOfRange" });
    chain.send(MARKET, "attestCheckpoint", [job, 0], { key: CLIENT });
    expect(demand(0, 0n)).toMatchObject({ name: "WrongStatus" });
    expect(hexToBytes(chain.job(job).checkpoint)).toEqual(checkpointRoot(roots));
  });
});
