import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, compareBytes, type Hex } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import type { SnapshotSyncOptions } from "../../../chain/sync/events.ts";
import { decodeLeaves } from "../../../chain/sync/leaf-codec.ts";
import type { SyncLimits } from "../../../chain/sync/limits.ts";
import type { Refusal, SyncAnswer } from "../../../chain/sync/messages.ts";
import { SnapshotSource } from "../../../chain/sync/snapshot-source.ts";
import { codeHashesOf } from "../../../chain/sync/verify-chunk.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { MISBEHAVIOURS, peer } from "./support/peer-models.ts";
import { DAY, GENESIS_TIME, SampleChain } from "./support/sample-chain.ts";
import { SyncNetwork, type SyncPeerModel, type SyncResult } from "./support/sync-network.ts";

const folders = new TemporaryFolders();
const START = GENESIS_TIME + DAY;
const SMALL: Partial<SyncLimits> = { parts: 6, chunkBytes: 2_000, requestsPerPeer: 2 };
let honest: SampleChain;
let evil: SampleChain;
let source: SnapshotSource;
let evilSource: SnapshotSource;

beforeAll(async () => {
  const seals = [4, 9];
  honest = await SampleChain.create(folders.next(), { blocks: 14, seals, accounts: 150, slots: 90, codes: 5 });
  evil = await SampleChain.create(folders.next(), { blocks: 30, seals, accounts: 99, signers: "evil" });
  const limits = { answersPerPeer: 100, answers: 1_000 };
  source = new SnapshotSource(honest.store, limits);
  evilSource = new SnapshotSource(evil.store, limits);
  source.start(0);
  evilSource.start(0);
});

afterAll(async () => {
  await Promise.all([source.close(), evilSource.close()]);
  await Promise.all([honest.store.close(), evil.store.close()]);
  folders.remove();
});

function options(changes: Partial<SnapshotSyncOptions> = {}): SnapshotSyncOptions {
  return { trust: honest.trust(), hasBlocks: false, nearBlocks: 5, limits: SMALL, ...changes };
}

async function sync(peers: readonly SyncPeerModel[], changes: Partial<SnapshotSyncOptions> = {}): Promise<SyncResult> {
  const result = await new SyncNetwork(options(changes), START, peers).run();
  if (result === undefined) throw new Error("it did not come to an end");
  return result;
}

const noOffers = (answer: SyncAnswer): SyncAnswer => (answer.type === "offers" ? { ...answer, offers: [] } : answer);

/** The state that is imported is the one that a quorum signed, all of it, with all that belongs to it. */
function expectHonestState({ outcome, imported }: SyncResult): void {
  expect(outcome).toMatchObject({ type: "imported", height: 14 });
  expect(imported?.root).toBe(bytesToHex(honest.headerAt(14).stateRoot));
  expect(imported?.isComplete).toBe(true);
  const hashes = imported?.headers.map((header) => bytesToHex(keccak256(header)));
  expect(hashes).toEqual(
    Array.from({ length: 14 }, (_, i) => bytesToHex(honest.store.header(13 - i)?.hash as Uint8Array)),
  );
  expect(imported?.seals.map(({ epoch }) => epoch)).toEqual([0, 1]);
}

describe("catching up with a snapshot", () => {
  it("imports the certified state from one peer, and faster from several", async () => {
    const alone = await sync([peer("one", source)]);
    const together = await sync(["one", "two", "three", "four"].map((id) => peer(id, source)));
    for (const result of [alone, together]) {
      expectHonestState(result);
      expect(result.blamed).toEqual([]);
    }
    expect(together.time).toBeLessThan(alone.time / 2);
  });

  it("is not tried by a node that has blocks, with no peers, without offers, or near the chain's start", async () => {
    const reason = async (
      peers: readonly SyncPeerModel[],
      changes: Partial<SnapshotSyncOptions> = {},
    ): Promise<unknown> => (await sync(peers, changes)).outcome;
    const one = peer("one", source);
    const nobody = peer("empty", source, noOffers);
    expect(await reason([one], { hasBlocks: true })).toEqual({ type: "skipped", reason: "has-blocks" });
    expect(await reason([])).toEqual({ type: "skipped", reason: "no-peers" });
    expect(await reason([nobody])).toEqual({ type: "skipped", reason: "no-offers" });
    expect(await reason([one], { nearBlocks: 14 })).toEqual({ type: "skipped", reason: "near" });
  });

  it("uses peers that come later, and does without those that go", async () => {
    const result = await sync([
      { ...peer("first", source), leavesAt: 1_300 },
      { ...peer("second", source), joinsAt: 1_500, leavesAt: 2_000 },
      { ...peer("third", source), joinsAt: 4_000 },
    ]);
    expectHonestState(result);
    expect(result.blamed).toEqual([]);
  });

  it.each([50_000, 600_000])("goes on with what it has when all peers were away for %i ms", async (gap) => {
    const network = new SyncNetwork(options(), START, [
      { ...peer("before", source), leavesAt: 1_300 },
      { ...peer("young", evilSource, noOffers), joinsAt: 1_300 + gap / 2 },
      { ...peer("after", source), joinsAt: 1_300 + gap },
    ]);
    const result = await network.run();
    if (result === undefined) throw new Error("it did not come to an end");
    expectHonestState(result);
    expect(network.begins).toBe(1);
  });

  it("waits for a first peer where one is to come, for an hour too", async () => {
    const late = (joinsAt: number) => [{ ...peer("late", source), joinsAt }];
    expect((await sync(late(11_000))).outcome).toEqual({ type: "skipped", reason: "no-peers" });
    for (const joinsAt of [11_000, 3_000_000]) expectHonestState(await sync(late(joinsAt), { expectsPeers: true }));
    const gone = [{ ...peer("gone", source), leavesAt: 100 }, ...late(60_000)];
    expectHonestState(await sync(gone, { expectsPeers: true }));
    expect((await sync([peer("empty", source, noOffers)], { expectsPeers: true })).outcome).toEqual({
      type: "skipped",
      reason: "no-offers",
    });
  });

  it("is done with a slow peer, if that is all there is", async () => {
    const result = await sync([peer("slow", source, undefined, 9_000)]);
    expectHonestState(result);
  });
});

describe("peers without the keys", () => {
  it.each(Object.keys(MISBEHAVIOURS))("harm nothing when one %s beside an honest one", async (name) => {
    const result = await sync([peer("liar", source, MISBEHAVIOURS[name]), peer("honest", source)]);
    expectHonestState(result);
    expect(result.blamed).not.toContain("honest");
  });

  it("cannot make a node import their state, however many they are and whatever they serve", async () => {
    const coalition = Array.from({ length: 10 }, (_, i) => peer(`evil ${i}`, evilSource));
    const alone = await sync(coalition);
    expect(alone.imported).toBeUndefined();
    // None of them is asked again, so nobody is left.
    expect(alone.outcome).toEqual({ type: "skipped", reason: "no-peers" });
    const result = await sync([...coalition, peer("honest", source)]);
    expectHonestState(result);
    expect(result.blamed).not.toContain("honest");
  });

  it("cannot pass their state off under the header of a good block", async () => {
    const mixed = peer("mixed", evilSource, (answer, request) => {
      if (answer.type === "offers") return { ...answer, offers: [honest.offerAt(14)] };
      if (answer.type === "seals") return { ...answer, seals: [honest.sealOf(0), honest.sealOf(1)] };
      return request.type === "get-chunk" ? undefined : answer;
    });
    const served = peer("served", evilSource, (answer) =>
      answer.type === "offers"
        ? { ...answer, offers: [{ ...evil.offerAt(30), certificate: honest.offerAt(14).certificate }] }
        : answer,
    );
    const result = await sync([mixed, served, peer("honest", source)]);
    expectHonestState(result);
    expect(result.blamed).toContain("mixed");
    expect(result.blamed).not.toContain("honest");
  });

  it.each<["nothing" | Refusal]>([["nothing"], ["busy"], ["unknown"], ["invalid"]])(
    "that are many, offer an older block and then say %s, do not keep a node from an honest one",
    async (word) => {
      const refuse = (id: number): SyncAnswer | undefined =>
        word === "nothing" ? undefined : { type: "refused", id, reason: word };
      const give: readonly SyncAnswer["type"][] = ["seals", "headers", "code"];
      for (const given of [[], give]) {
        const idle = Array.from({ length: 10 }, (_, i) =>
          peer(`idle ${i}`, source, (answer, { id }) => {
            if (answer.type === "offers") return { ...answer, offers: [honest.offerAt(9)] };
            return given.includes(answer.type) ? answer : refuse(id);
          }),
        );
        expectHonestState(await sync([...idle, peer("honest", source)]));
      }
    },
  );

  it("never get a false state imported, nor an honest peer blamed, and an honest peer is always enough", async () => {
    const anyPeer = fc.record({
      kind: fc.constantFrom("honest", "evil", "slow", "leaver", ...Object.keys(MISBEHAVIOURS)),
      joinsAt: fc.nat(3_000),
      stays: fc.nat(4_000),
      latency: fc.integer({ min: 1, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPeer, { maxLength: 7 }),
        fc.integer({ min: 1, max: 300 }),
        async (draws, latency) => {
          const peers = draws.map(({ kind, joinsAt, stays, latency: own }, i): SyncPeerModel => {
            const id = `${kind} ${i}`;
            const backing = kind === "evil" ? evilSource : source;
            const model = peer(id, backing, MISBEHAVIOURS[kind], kind === "slow" ? own + 9_800 : own);
            return { ...model, joinsAt, ...(kind === "leaver" && { leavesAt: joinsAt + stays }) };
          });
          const result = await sync([...peers, peer("honest", source, undefined, latency)]);
          expectHonestState(result);
          for (const blamed of result.blamed) expect(blamed).not.toMatch(/^(honest|slow|leaver)/);
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe("trust", () => {
  it("that is too old is an error when there is a snapshot, and does not matter when there is none", async () => {
    const trust = honest.trust({ trustingPeriod: 1_000 });
    const { outcome } = await sync([peer("honest", source)], { trust });
    expect(outcome).toMatchObject({ type: "failed", error: { code: "SYNC_TRUST_EXPIRED" } });
    const young = await sync([peer("honest", source)], { trust, nearBlocks: 14 });
    expect(young.outcome).toEqual({ type: "skipped", reason: "near" });
  });

  it("is looked at again when an earlier run is taken up", async () => {
    const network = new SyncNetwork(options(), START, [peer("one", source)]);
    await network.run(1_200);
    const { target, chunks } = network.stored;
    if (target === undefined) throw new Error("a snapshot was chosen");
    const parts = chunks.map(({ first, end, leaves }) => ({
      ...{ first, end, bytes: leaves.length },
      ...{ leaves: decodeLeaves(leaves).length, codeHashes: codeHashesOf(decodeLeaves(leaves)) },
    }));
    parts.sort((a, b) => compareBytes(a.first, b.first));
    const resumed = { target, headers: undefined, chunks: parts, codes: [] };
    const fresh = await sync([peer("one", source)]);
    const soon = await sync([peer("one", source)], { resumed });
    expect(soon.outcome).toEqual(fresh.outcome);
    expect(soon.messages).toBeLessThan(fresh.messages);
    const trust = honest.trust({ trustingPeriod: 1_000 });
    const late = await sync([peer("one", source)], { resumed, trust });
    expect(late.outcome).toMatchObject({ type: "failed", error: { code: "SYNC_TRUST_EXPIRED" } });
  });

  it("in a recent checkpoint takes the place of genesis", async () => {
    const hash = bytesToHex(keccak256(honest.sealOf(1).header));
    const trust = honest.trust({ checkpoint: { epoch: 1, hash } });
    const { outcome, imported } = await sync([peer("honest", source), peer("evil", evilSource)], { trust });
    expect(outcome.type).toBe("imported");
    expect(imported?.root).toBe(bytesToHex(honest.headerAt(14).stateRoot));
  });

  it("in a checkpoint that no peer has is an error, not a reason to go on without it", async () => {
    const trust = honest.trust({ checkpoint: { epoch: 1, hash: `0x${"12".repeat(32)}` as Hex } });
    const { outcome } = await sync([peer("honest", source), peer("other", source)], { trust });
    expect(outcome).toMatchObject({ type: "failed", error: { code: "SYNC_CHECKPOINT_UNKNOWN" } });
  });
});

describe("a snapshot that peers drop", () => {
  it("is given up for the next one when nobody has it any more", async () => {
    const folder = folders.next();
    const chain = await SampleChain.create(folder, { blocks: 8, accounts: 150 });
    const old = new SnapshotSource(chain.store, { interval: 8 });
    old.start(0);
    const newest = await SampleChain.create(folders.next(), { blocks: 16, accounts: 150 });
    const later = new SnapshotSource(newest.store, { interval: 8 });
    later.start(0);
    // The second source has the same chain, further on; the peer changes from one to the other.
    const changing: SyncPeerModel = {
      id: "changing",
      answer: async (request, count) => {
        const answer = await (count < 6 ? old : later).answer("x", request, 0);
        return { answer, after: 40 };
      },
    };
    const trust = chain.trust();
    const { outcome, imported } = await sync([changing], { trust, limits: { ...SMALL, parts: 12 } });
    expect(outcome).toMatchObject({ type: "imported", height: 16 });
    expect(imported?.root).toBe(bytesToHex(newest.headerAt(16).stateRoot));
    await Promise.all([old.close(), later.close()]);
    await Promise.all([chain.store.close(), newest.store.close()]);
  });
});

describe("progress", () => {
  it("grows from nothing to all, with a rate and the time left in between", async () => {
    const network = new SyncNetwork(options(), START, [peer("one", source)]);
    expect(await network.run(1_200)).toBeUndefined();
    expect(network.stored.chunks.length).toBeGreaterThan(0);
    const halfway = network.progress();
    expect(halfway.phase).toBe("state");
    expect(halfway.share).toBeGreaterThan(0);
    expect(halfway.share).toBeLessThan(1);
    expect(halfway.leaves).toBeGreaterThan(0);
    expect(halfway.bytesPerSecond).toBeGreaterThan(0);
    expect(halfway.secondsLeft).toBeGreaterThan(0);
  });
});
