import { describe, expect, it } from "vitest";
import type { Hex } from "../../../../base/bytes.ts";
import { JOB_STATUS, type JobView } from "../../../../compute/agent/ports.ts";
import { decideJob, type Intent, type JobSituation } from "../../../../compute/agent/provider/decide-job.ts";
import {
  bidFor,
  leastPrice,
  type ProgramFacts,
  refusalOfSource,
  USUAL_POLICY,
} from "../../../../compute/agent/provider/policy.ts";
import {
  encodeRecord,
  ProviderMemory,
  type ProviderRecord,
} from "../../../../compute/agent/provider/provider-memory.ts";
import { mayAsk } from "../../../../compute/agent/provider/provider-service.ts";
import { jobView, roundView } from "../support/scripted-chain.ts";

const ME: Hex = `0x${"aa".repeat(20)}`;
const OTHER: Hex = `0x${"bb".repeat(20)}`;
const HASH: Hex = `0x${"11".repeat(32)}`;
const commitment = { segmentRoot: HASH, checkpointRoot: HASH, outputs: [] };

function computed(job: string, segment: number, attempt: string): ProviderRecord {
  const task = { job, segment, first: 0, end: 4, program: HASH, inputs: [], checkpoint: null, seed: HASH, places: [] };
  const outcome = { commitment, manifest: null, device: "d", distrusted: null, milliseconds: 1 };
  return { kind: "segment", job, segment, attempt, task, outcome };
}

function memoryWith(...records: readonly ProviderRecord[]): ProviderMemory {
  const memory = ProviderMemory.withSecret(new Uint8Array(32).fill(7));
  for (const record of records) memory.apply(record);
  return memory;
}

const BASE = { id: 3n, program: HASH, inputs: [] } as const;

function decide(
  job: Partial<JobView>,
  memory: ProviderMemory = memoryWith(),
  more: Partial<JobSituation> = {},
): readonly Intent[] {
  return decideJob({
    account: ME,
    job: jobView({ ...BASE, ...job }),
    rounds: [],
    memory,
    launches: 12,
    bid: undefined,
    ...more,
  });
}

const kinds = (intents: readonly Intent[]): readonly string[] =>
  intents.map((intent) => (intent.kind === "send" ? intent.action.kind : intent.kind));

describe("what a provider does for a task", () => {
  const racer = (sealed: boolean, revealed: boolean): Partial<JobView> => ({
    ...{
      source: 1n,
      racers: [
        { worker: OTHER, sealed: true, revealed: true },
        { worker: ME, sealed, revealed },
      ],
    },
  });
  const done = memoryWith(computed("3", 0, "1"));

  it("goes from computing to sealing to revealing, one step at a time", () => {
    expect(kinds(decide(racer(false, false)))).toEqual(["run"]);
    expect(kinds(decide(racer(false, false), done))).toEqual(["commitSealed"]);
    expect(kinds(decide(racer(true, false), done))).toEqual(["reveal"]);
    expect(kinds(decide(racer(true, true), done))).toEqual([]);
  });

  it("goes on while another's result is verified: it would be the next", () => {
    const committed = { status: JOB_STATUS.committed, worker: OTHER };
    expect(kinds(decide({ ...racer(false, false), ...committed }))).toEqual(["run"]);
    expect(kinds(decide({ ...racer(false, false), ...committed }, done))).toEqual(["commitSealed"]);
    expect(kinds(decide({ ...racer(true, false), ...committed }, done))).toEqual(["reveal"]);
  });

  it("computes nothing for others, for a race that is lost, or of an earlier draw", () => {
    expect(kinds(decide({ source: 1n, racers: [{ worker: OTHER, sealed: false, revealed: false }] }))).toEqual([
      "stop",
    ]);
    expect(kinds(decide({ ...racer(false, false), status: JOB_STATUS.accepted }))).toEqual(["stop"]);
    expect(kinds(decide({ ...racer(false, false), attempt: 2n }, done))).toEqual(["run"]);
  });

  it("ends with the job, whatever ended it", () => {
    for (const status of [JOB_STATUS.settled, JOB_STATUS.rejected, JOB_STATUS.cancelled, JOB_STATUS.expired]) {
      expect(kinds(decide({ ...racer(true, true), status }, done))).toEqual(["stop", "forget"]);
    }
  });

  it("goes on after the payment for as long as its worker answers for the outputs", () => {
    const demands = [{ kind: "output", item: 0, chunk: 0, tile: 0, accused: ME, by: 5n }] as const;
    const paid = { ...racer(true, true), status: JOB_STATUS.settled, worker: ME, reserved: 1n };
    expect(kinds(decide(paid, done))).toEqual(["stop"]);
    expect(kinds(decide({ ...paid, demands }, done))).toEqual(["stop", "answer"]);
    expect(kinds(decide({ ...paid, worker: OTHER }, done))).toEqual(["stop", "forget"]);
    expect(kinds(decide({ ...paid, reserved: 0n }, done))).toEqual(["stop", "forget"]);
  });
});

describe("what a provider does for an auction", () => {
  const bid = { price: 5n, seconds: 6n, region: HASH };

  it("bids once, as it said before a restart, and reveals what it bid", () => {
    const record: ProviderRecord = { kind: "bid", job: "3", attempt: "1", price: "9", seconds: "8", region: HASH };
    expect(decide({ status: JOB_STATUS.open }, memoryWith(), { bid })).toMatchObject([{ kind: "bid", bid }]);
    expect(decide({ status: JOB_STATUS.open }, memoryWith(record), { bid })).toMatchObject([
      { kind: "bid", bid: { price: 9n, seconds: 8n } },
    ]);
    expect(decide({ status: JOB_STATUS.open, ownBid: { revealed: false } }, memoryWith(record), { bid })).toEqual([]);
    expect(decide({ status: JOB_STATUS.revealing, ownBid: { revealed: false } }, memoryWith(record))).toMatchObject([
      { kind: "send", action: { kind: "revealBid", price: 9n, seconds: 8n } },
    ]);
    expect(decide({ status: JOB_STATUS.revealing, ownBid: { revealed: true } }, memoryWith(record))).toEqual([]);
  });

  it("computes the segment that is due, and commits to it once it is computed", () => {
    const mine = { worker: ME, segments: 3, segment: 1 };
    expect(decide(mine)).toMatchObject([{ kind: "run", segment: 1, first: 4, end: 8 }]);
    expect(kinds(decide(mine, memoryWith(computed("3", 1, "1"))))).toEqual(["commitSegment"]);
    expect(kinds(decide({ ...mine, status: JOB_STATUS.committed }, memoryWith(computed("3", 1, "1"))))).toEqual([]);
    expect(kinds(decide({ ...mine, worker: OTHER }))).toEqual(["stop", "forget"]);
    expect(kinds(decide({ ...mine, worker: OTHER }, memoryWith(computed("3", 0, "1"))))).toEqual(["stop"]);
  });
});

describe("what a provider does in a round", () => {
  const seat = {
    seat: 0,
    verifier: OTHER,
    launch: 1,
    tile: 2,
    sealed: true,
    opened: false,
    revealed: false,
    digest: undefined,
  };
  const job = jobView({ ...BASE, worker: ME, status: JOB_STATUS.committed, round: 9n });
  const round = (parts: object): ReturnType<typeof roundView> =>
    roundView(job, { id: 9n, worker: ME, segmentRoot: HASH, endLaunch: 12, seats: [seat], ...parts });
  const inRound = (parts: object, ...records: readonly ProviderRecord[]): readonly string[] =>
    kinds(decide(job, memoryWith(computed("3", 0, "1"), ...records), { rounds: [round(parts)] }));

  it("opens when it is its turn, publishes the seed when all is open, and not before", () => {
    const noted: ProviderRecord = { kind: "round", round: "9", job: "3", segment: 0, attempt: "1" };
    expect(inRound({})).toEqual(["note"]);
    expect(inRound({ phase: "opening" })).toEqual(["note", "open"]);
    expect(inRound({ phase: "opening" }, noted)).toEqual(["open"]);
    const seats = [{ ...seat, opened: true }];
    expect(inRound({ phase: "revealing", seats }, noted)).toEqual(["publishSeed"]);
    expect(inRound({ phase: "revealing", seats, seedPublished: true }, noted)).toEqual([]);
    expect(inRound({ phase: "revealing", seats, isFinal: true }, noted)).toEqual([]);
    expect(inRound({ phase: "opening", worker: OTHER }, noted)).toEqual([]);
  });

  it("serves a tile to its seat, to everybody once it is open or disputed, and every tile once the round is decided", () => {
    const place = { round: 9n, launch: 1, tile: 2 };
    expect([
      mayAsk(round({}), place, OTHER),
      mayAsk(round({}), place, ME),
      mayAsk(round({}), place, undefined),
    ]).toEqual([true, false, false]);
    expect(mayAsk(round({}), { ...place, tile: 3 }, OTHER)).toBe(false);
    expect(mayAsk(round({ seats: [{ ...seat, opened: true }] }), place, undefined)).toBe(true);
    expect(
      mayAsk(
        round({ dispute: { launch: 1, tile: 3, seats: [], opened: undefined } }),
        { ...place, tile: 3 },
        undefined,
      ),
    ).toBe(true);
    expect(mayAsk(round({ phase: "accepted" }), { ...place, tile: 7 }, undefined)).toBe(true);
  });
});

describe("a provider's memory", () => {
  const records: readonly ProviderRecord[] = [
    { kind: "bid", job: "3", attempt: "2", price: "9", seconds: "8", region: HASH },
    computed("3", 0, "1"),
    { kind: "round", round: "9", job: "3", segment: 0, attempt: "1" },
    computed("4", 1, "1"),
  ];

  it("is the same after a restart, and after its journal was written anew", () => {
    const memory = memoryWith(...records);
    const again = ProviderMemory.from(memory.records().map(encodeRecord));
    expect(again?.records()).toEqual(memory.records());
    expect(again?.ofRound(9n)).toEqual(records[1]);
    expect(again?.bidOf(3n, 2n)).toEqual({ price: 9n, seconds: 8n, region: HASH });
    expect([again?.seed(3n, 1, 1n), again?.nonce(3n, 1n)]).toEqual([memory.seed(3n, 1, 1n), memory.nonce(3n, 1n)]);
  });

  it("has another seed and nonce for every job, segment and attempt, and forgets jobs that are over", () => {
    const memory = memoryWith(...records, { kind: "forget", job: "3" });
    const secrets = [memory.seed(1n, 0, 1n), memory.seed(1n, 1, 1n), memory.seed(2n, 0, 1n), memory.seed(1n, 0, 2n)];
    const nonces = [memory.nonce(1n, 1n), memory.nonce(2n, 1n), memory.nonce(1n, 2n), memory.bidNonce(1n, 1n)];
    expect(new Set([...secrets, ...nonces]).size).toBe(8);
    expect(memory.jobs()).toEqual([4n]);
    expect(memory.ofRound(9n)).toBeUndefined();
  });

  it("is refused when a record is none, or the secret is gone", () => {
    expect(ProviderMemory.from([])).toBeUndefined();
    for (const wrong of ["{", "{}", '{"kind":"other"}', "null x"]) {
      expect(() => ProviderMemory.from([new TextEncoder().encode(wrong)])).toThrow(
        expect.objectContaining({ code: "JOURNAL_DAMAGED" }),
      );
    }
    expect(() => ProviderMemory.from(records.map(encodeRecord))).toThrow("no secret");
  });
});

describe("an operator's policy", () => {
  const facts: ProgramFacts = {
    ...{
      computeUnits: 4_000_000_000n,
      launches: 12,
      memoryBytes: 1_000,
      transferBytes: 500,
      refereeable: false,
      tileBytes: 10,
    },
  };
  const device = { id: 1n, tier: 2, region: HASH, speed: 1e9 };
  const source = { id: 1n, program: HASH, tier: 2, price: 40n, racers: 1, collateral: 0n, open: true };
  const policy = { ...USUAL_POLICY, minimumPrice: 10n };

  it("takes what pays enough and fits, and says why it does not take the rest", () => {
    expect(refusalOfSource(policy, device, source, facts)).toBeUndefined();
    for (const refused of [
      refusalOfSource(policy, device, { ...source, price: 39n }, facts),
      refusalOfSource(policy, device, { ...source, tier: 1 }, facts),
      refusalOfSource(policy, device, { ...source, open: false }, facts),
      refusalOfSource({ ...policy, memoryBytes: 999 }, device, source, facts),
      refusalOfSource({ ...policy, transferBytes: 499 }, device, source, facts),
      refusalOfSource({ ...policy, seconds: 3 }, device, source, facts),
      refusalOfSource({ ...policy, refereeableOnly: true }, device, source, facts),
      refusalOfSource({ ...policy, pool: false }, device, source, facts),
    ])
      expect(refused).toMatch(/./);
  });

  it("bids the minimum and its margin for what is left, never more than the budget, and not below the minimum", () => {
    expect(leastPrice(policy, facts)).toBe(40n);
    const job = jobView({ ...BASE, tier: 2, segments: 4, segment: 1, budget: 1_000n });
    expect(bidFor(policy, device, job, facts)).toEqual({ price: 33n, seconds: 36n, region: HASH });
    expect(bidFor(policy, device, { ...job, budget: 31n }, facts)).toMatchObject({ price: 31n });
    expect(bidFor(policy, device, { ...job, budget: 29n }, facts)).toHaveProperty("refusal");
    expect(bidFor({ ...policy, minimumPrice: 0n }, device, job, facts)).toMatchObject({ price: 1n });
  });
});
