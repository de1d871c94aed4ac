/** The market and verification together, nothing of either made up: from the submission to the last wei. */
import { describe, expect, it } from "vitest";
import { bytesToHex, utf8 } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { GWEI, OGPU } from "../../../base/units.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { MARKET_ADDRESS, VERIFICATION_ADDRESS } from "../../../vm/modules/addresses.ts";
import { bidSealOf, type Commitment, sealOf } from "../../../vm/modules/market/commitment.ts";
import { createMarketModule } from "../../../vm/modules/market/market.ts";
import type { NativeModule } from "../../../vm/modules/module.ts";
import { beginRound } from "../../../vm/modules/verification/begin.ts";
import { takeDecided } from "../../../vm/modules/verification/outbox.ts";
import type { ChunkInput } from "../../../vm/modules/verification/referee-input.ts";
import {
  PHASE,
  type SegmentCommitment,
  REASON as VERDICT_REASON,
} from "../../../vm/modules/verification/round-types.ts";
import { assuranceOf } from "../../../vm/modules/verification/views.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, type EconomyChain } from "../support/economy-chain.ts";
import {
  MARKET,
  NO_CALLBACK,
  NO_REGION,
  NONCE,
  PROVIDERS,
  regionOf,
  TRUST_LOCK,
  word,
} from "../support/market-chain.ts";
import type { TestKey } from "../support/test-chain.ts";
import { cut, NO_ORIGIN, VERIFICATION as VERIFICATION_MODULE } from "./support/referee-case.ts";
import { place, TracedWork, type WorkOptions } from "./support/traced-work.ts";
import { CLIENT, VerificationWorld, WORKER } from "./support/verification-world.ts";

const COLLATERAL = 100n * OGPU;
const RESERVED = 5n * OGPU;
const PRICE = OGPU / 1_000n;
const VERIFICATION = (3n * OGPU) / 1_000n;
const INPUTS = [bytesToHex(sha256(utf8("input")))];
/** Every tile of the world's program. */
const EVERYTHING: ReadonlySet<string> = new Set(
  Array.from({ length: 32 }, (_, index) => place(Math.floor(index / 8), index % 8)),
);

/** A world with the real market in its place, and the worker a provider. */
function marketWorld(): VerificationWorld {
  const world = new VerificationWorld({ verifiers: 5 });
  const { chain } = world;
  const modules = chain.rules.modules as Map<Address, NativeModule>;
  const parameters = modules.get(VERIFICATION_ADDRESS)?.parameters;
  if (parameters === undefined) throw new Error("verification has parameters");
  const verification = { beginRound, takeDecided, assuranceOf };
  modules.set(MARKET_ADDRESS, createMarketModule(parameters, { verification, token: chain.spec.modules.token }));
  chain.send(PROVIDERS, "register", ["worker", ""], { key: WORKER, value: COLLATERAL });
  chain.send(PROVIDERS, "addDevice", [1, 1n << 30n, 0, regionOf("eu"), 0n, word(1)], { key: WORKER });
  // What an epoch leaves for verified work.
  chain.endEpoch();
  return world;
}

function commitmentOf({ segmentRoot, checkpointRoot, outputs, trap }: SegmentCommitment): Commitment {
  const where = { traps: trap !== undefined, trapLaunch: trap?.launch ?? 0, trapTile: trap?.tile ?? 0 };
  return { segmentRoot, checkpointRoot, outputs, ...where };
}

function job(chain: EconomyChain, id: bigint) {
  return chain.view(MARKET, "jobOf", [id]);
}

/** Ten bytes, where the program says 1,024. */
const SHORT = new Uint8Array(10);
const SHOWN = cut(1, SHORT, NO_ORIGIN)[0] as ChunkInput;
const CATCHER = accountKey(18);

/** Anybody shows that the first output is not even as long as it should be. */
function proveFalse({ chain }: VerificationWorld, round: bigint, key: TestKey): void {
  const { contents, proof } = SHOWN;
  chain.send(VERIFICATION_MODULE, "challengeOutput", [round, 0, SHOWN, [{ contents, proof }]], { key });
}

/** A task that the worker has committed; its round. */
function committedTask(world: VerificationWorld, options: WorkOptions & { isShort?: boolean } = {}): [bigint, bigint] {
  const { chain } = world;
  const terms = [world.address, 0, 1, RESERVED, 3, 0, 0n, 20n] as const;
  const source = chain.send(MARKET, "createSource", terms, { key: CLIENT }).result;
  chain.send(MARKET, "joinSource", [source, 1n], { key: WORKER, value: OGPU });
  const task = [source, INPUTS, NO_CALLBACK] as const;
  const id = chain.send(MARKET, "submitTask", task, { key: CLIENT, value: OGPU }).result;
  chain.block();
  world.work = new TracedWork(world.program, options);
  const traced = commitmentOf(world.work.commitment);
  const [, ...others] = traced.outputs;
  const short = { ...traced, outputs: [bytesToHex(contentAddress(SHORT)), ...others] };
  const commitment = options.isShort === true ? short : traced;
  chain.send(MARKET, "commitSealed", [id, 1n, sealOf(id, WORKER.address, commitment, NONCE)], { key: WORKER });
  chain.send(MARKET, "reveal", [id, commitment, NONCE], { key: WORKER });
  return [id, job(chain, id).round];
}

function collateral(chain: EconomyChain): readonly [bigint, bigint] {
  const { free, reserved } = chain.view(PROVIDERS, "providerOf", [WORKER.address]);
  return [free, reserved];
}

it("a racer's seal and reveal are duties: gas that is dear does not keep it from them", () => {
  const world = marketWorld();
  const { chain } = world;
  const terms = [world.address, 0, 1, RESERVED, 3, 0, 0n, 20n] as const;
  const source = chain.send(MARKET, "createSource", terms, { key: CLIENT }).result;
  chain.send(MARKET, "joinSource", [source, 1n], { key: WORKER, value: OGPU });
  const task = [source, INPUTS, NO_CALLBACK] as const;
  const id = chain.send(MARKET, "submitTask", task, { key: CLIENT, value: OGPU }).result;
  chain.block();
  const commitment = commitmentOf(world.work.commitment);
  chain.baseFee = 500n * GWEI;
  const cheap = { key: WORKER, maxFee: GWEI, gasLimit: 3_000_000n };
  const seal = sealOf(id, WORKER.address, commitment, NONCE);
  expect(() => chain.send(MARKET, "commitSealed", [id, 2n, seal], cheap)).toThrow(/base fee/);
  expect(chain.send(MARKET, "commitSealed", [id, 1n, seal], cheap).receipt.effectiveGasPrice).toBe(GWEI);
  expect(() => chain.send(MARKET, "commitSealed", [id, 1n, seal], cheap)).toThrow(/base fee/);
  const { receipt, block } = chain.send(MARKET, "reveal", [id, commitment, NONCE], cheap);
  expect(receipt.effectiveGasPrice).toBe(GWEI);
  expect(block.reservedGasUsed).toBe(receipt.gasUsed);
});

describe("a pool task, verified for real", () => {
  it("is paid when its round is final, and its receipt states the assurance in numbers", () => {
    const world = marketWorld();
    const { chain } = world;
    const [id, round] = committedTask(world);
    expect(round).toBeGreaterThan(0n);
    const before = chain.balance(WORKER.address);
    world.spot(round);
    expect(job(chain, id)).toMatchObject({ status: 5, reason: 7 });
    world.publish(round);
    world.close(round);
    expect(job(chain, id)).toMatchObject({ status: 6, reason: 8, paid: PRICE });
    const { minted } = chain.view(MARKET, "receiptOf", [id]);
    expect(minted).toBe((PRICE * 3n) / 100n);
    expect(chain.balance(WORKER.address) - before).toBe((PRICE * 95n) / 100n + minted);
    expect(chain.view(MARKET, "receiptOf", [id])).toMatchObject({
      round,
      seats: 3,
      assurance: 0,
      verification: VERIFICATION,
      refereeable: true,
      workerAtRisk: RESERVED,
    });
    expect(chain.view(MARKET, "receiptOf", [id]).corruptibleShare).toBeGreaterThan(0n);
    expect(chain.balance(MARKET_ADDRESS)).toBe(0n);
    expect(chain.balance(VERIFICATION_ADDRESS)).toBe(0n);
  });

  it("that is false everywhere is voted down, and costs its worker lock and collateral", () => {
    const world = marketWorld();
    const { chain } = world;
    const [id, round] = committedTask(world, { lies: EVERYTHING });
    world.spot(round);
    world.vote(round, world.honest);
    world.close(round);
    expect(job(chain, id)).toMatchObject({ status: 1, reason: 10, paid: 0n });
    expect(collateral(chain)).toEqual([COLLATERAL - RESERVED, 0n]);
    // Nobody else has joined: it waits for racers, and then its money goes back.
    chain.pass(60);
    expect(job(chain, id)).toMatchObject({ status: 9, budget: 0n });
    expect(chain.balance(MARKET_ADDRESS)).toBe(0n);
    expect(chain.balance(VERIFICATION_ADDRESS)).toBe(0n);
  });

  it("that was accepted and is proven false pays a part of what its worker loses to who proved it, once", () => {
    const world = marketWorld();
    const { chain } = world;
    const [id, round] = committedTask(world, { isShort: true });
    world.spot(round);
    world.publish(round);
    expect(job(chain, id)).toMatchObject({ status: 5 });
    const before = chain.balance(CATCHER.address);
    const [, , lock] = chain.view(TRUST_LOCK, "accountOf", [WORKER.address]);
    proveFalse(world, round, CATCHER);
    // Whoever comes later shows nothing new, and the verdict may still turn out to be of a canary: nobody is paid yet.
    proveFalse(world, round, accountKey(17));
    expect(chain.balance(CATCHER.address)).toBe(before);
    const others = chain.balance(accountKey(17).address);
    world.close(round);
    expect(job(chain, id)).toMatchObject({ status: 1, reason: 10, paid: 0n });
    expect(collateral(chain)).toEqual([COLLATERAL - RESERVED, 0n]);
    expect(lock).toBeGreaterThan(0n);
    expect(chain.balance(CATCHER.address) - before).toBe((lock + RESERVED) / 5n);
    expect(chain.balance(accountKey(17).address)).toBe(others);
    chain.pass(60);
    expect(chain.balance(MARKET_ADDRESS)).toBe(0n);
    expect(chain.balance(VERIFICATION_ADDRESS)).toBe(0n);
  });

  it("that was voted false already pays nobody for proving it again", () => {
    const world = marketWorld();
    const { chain } = world;
    const [id, round] = committedTask(world, { lies: EVERYTHING, isShort: true });
    world.spot(round);
    world.vote(round, world.honest);
    const before = chain.balance(CATCHER.address);
    proveFalse(world, round, CATCHER);
    expect(world.round(round)).toMatchObject({ phase: PHASE.rejected, reason: VERDICT_REASON.falseOutput, guilty: 1 });
    world.close(round);
    expect(job(chain, id)).toMatchObject({ status: 1, reason: 10 });
    expect(chain.balance(CATCHER.address)).toBe(before);
  });

  it("whose worker does not open in time is lost to it", () => {
    const world = marketWorld();
    const { chain } = world;
    const [id, round] = committedTask(world);
    world.draw(round);
    world.sealSeats(round, world.honest);
    for (let step = 0; step < 6 && job(chain, id).status === 4; step++) world.expire(round);
    expect(job(chain, id)).toMatchObject({ status: 1, reason: 10 });
    expect(collateral(chain)).toEqual([COLLATERAL - RESERVED, 0n]);
  });

  it("whose result is that the program traps is paid, by the client's lock too", () => {
    const world = marketWorld();
    const { chain } = world;
    const [id, round] = committedTask(world, { trap: { launch: 2, tile: 3 } });
    const trapped = ({ launch, tile }: { launch: number; tile: number }) => world.work.claim(launch, tile);
    world.spot(round, trapped);
    if (job(chain, id).status === 4) world.vote(round, trapped);
    world.publish(round);
    world.close(round);
    expect(job(chain, id)).toMatchObject({ status: 6, reason: 16, traps: true, paid: PRICE, locked: 0n });
  });
});

describe("an auction job, verified for real", () => {
  it("is verified and paid segment by segment", () => {
    const world = marketWorld();
    const { chain } = world;
    const terms = {
      ...{ program: world.address, budget: OGPU, segments: 2, tier: 0, seats: 2, assurance: 0 },
      ...{ bidSeconds: 2n, jobSeconds: 3_600n, region: NO_REGION },
    };
    const args = [terms, INPUTS, NO_CALLBACK] as const;
    const id = chain.send(MARKET, "postJob", args, { key: CLIENT, value: 2n * OGPU }).result;
    const bid = { price: OGPU / 2n, secondsTaken: 60n, region: NO_REGION };
    const seal = bidSealOf(id, 1n, WORKER.address, bid, NONCE);
    chain.send(MARKET, "bid", [id, 1n, seal], { key: WORKER, value: OGPU });
    chain.pass(2);
    chain.send(MARKET, "revealBid", [id, bid.price, bid.secondsTaken, bid.region, NONCE], { key: WORKER });
    for (const segment of [0, 1]) {
      world.work = new TracedWork(world.program, { segment, segments: 2 });
      const commitment = commitmentOf(world.work.commitment);
      chain.send(MARKET, "commitSegment", [id, segment, commitment], { key: WORKER });
      const { round } = job(chain, id);
      world.spot(round);
      world.publish(round);
      if (segment === 0) chain.send(MARKET, "attestCheckpoint", [id, 0], { key: CLIENT });
      world.close(round);
    }
    expect(job(chain, id)).toMatchObject({ status: 6, reason: 8, paid: OGPU / 2n, budget: 0n });
    expect(chain.view(MARKET, "receiptOf", [id]).refunded).toBe(OGPU / 2n);
    expect(chain.balance(MARKET_ADDRESS)).toBe(0n);
    expect(chain.balance(VERIFICATION_ADDRESS)).toBe(0n);
  });
});
