import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { keyAt, LAST_PLACE } from "../../../chain/sync/key-space.ts";
import { decodeLeaves } from "../../../chain/sync/leaf-codec.ts";
import type { SourceLimits } from "../../../chain/sync/limits.ts";
import { type Chunk, type GetChunk, type SyncAnswer, syncMessage } from "../../../chain/sync/messages.ts";
import { SnapshotSource } from "../../../chain/sync/snapshot-source.ts";
import { verifyChunk } from "../../../chain/sync/verify-chunk.ts";
import { decodeWire, encodeWire } from "../../../chain/wire/schema.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { blockChanges, SampleChain, type SampleOptions } from "./support/sample-chain.ts";

const folders = new TemporaryFolders();
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
  folders.remove();
});

async function chainOf(options: SampleOptions): Promise<SampleChain> {
  const chain = await SampleChain.create(folders.next(), options);
  opened.push(chain.store);
  return chain;
}

function sourceOf(chain: SampleChain, limits: Partial<SourceLimits> = {}): SnapshotSource {
  const source = new SnapshotSource(chain.store, { interval: 4, ...limits });
  opened.push(source);
  return source;
}

/** Appends blocks as a node does, telling the source of each. */
async function grow(chain: SampleChain, source: SnapshotSource, blocks: number, now = 0): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    const height = (chain.store.head?.number ?? 0) + 1;
    await chain.append(blockChanges(height));
    source.onFinal(height, now);
  }
}

const FIRST = new Uint8Array(32);
const LAST = keyAt(LAST_PLACE);

function wholeState(root: Hex, changes: Partial<GetChunk> = {}): GetChunk {
  return { type: "get-chunk", id: 1, root, first: FIRST, last: LAST, limit: 1024 * 1024, ...changes };
}

function rootAt(chain: SampleChain, height: number): Hex {
  return bytesToHex(chain.headerAt(height).stateRoot);
}

async function chunkOf(source: SnapshotSource, request: GetChunk, now = 0): Promise<Chunk> {
  const answer = await source.answer("peer", request, now);
  if (answer.type !== "chunk") throw new Error(`the answer is ${JSON.stringify(answer)}`);
  return answer;
}

describe("snapshots are taken", () => {
  it("at the start, at seals and at multiples of the interval, and the last two stay", async () => {
    const chain = await chainOf({ blocks: 1 });
    const source = sourceOf(chain, { unusedAge: 0 });
    source.start(0);
    expect(source.heights).toEqual([1]);
    await grow(chain, source, 3);
    expect(source.heights).toEqual([1, 4]);
    await chain.append(blockChanges(5), { seal: true });
    source.onFinal(5, 0);
    expect(source.heights).toEqual([4, 5]);
    await grow(chain, source, 8);
    expect(source.heights).toEqual([8, 12]);
  });

  it("at the first block after a multiple that has a certificate of its own", async () => {
    const chain = await chainOf({ blocks: 3 });
    const source = sourceOf(chain);
    source.start(0);
    for (const certified of [false, false, true, true]) {
      await chain.append(blockChanges(9), { certified });
      source.onFinal(chain.store.head?.number ?? 0, 0);
    }
    expect(source.heights).toEqual([3, 6]);
  });

  it("of nothing where there is no certified block", async () => {
    const chain = await chainOf({ blocks: 0 });
    const source = sourceOf(chain);
    source.start(0);
    expect(await source.answer("peer", { type: "get-offers", id: 9 }, 0)).toEqual({
      type: "offers",
      id: 9,
      height: 0,
      offers: [],
    });
  });
});

describe("a snapshot", () => {
  it("stays what it is while the chain goes on, further than the store keeps versions", async () => {
    const chain = await chainOf({ blocks: 2 });
    const source = sourceOf(chain, { interval: 1_000 });
    source.start(0);
    const before = await chunkOf(source, wholeState(rootAt(chain, 2)));
    for (let height = 3; height <= 80; height++) {
      const account = { nonce: BigInt(height), balance: 1n, codeHash: `0x${"00".repeat(31)}01` as Hex };
      const address = bytesToHex(keccak256(new Uint8Array([height])).subarray(12));
      await chain.append({ accounts: new Map([[address, account]]), storage: new Map(), code: new Map() });
      source.onFinal(height, 0);
    }
    const after = await chunkOf(source, wholeState(rootAt(chain, 2)));
    expect(after).toEqual(before);
    expect(verifyChunk(wholeState(rootAt(chain, 2)), after).leaves).toBe(decodeLeaves(before.leaves).length);
  });

  it("that somebody reads outlives the two that are always kept, until nobody has read it for a while", async () => {
    const chain = await chainOf({ blocks: 1 });
    const source = sourceOf(chain, { unusedAge: 100, maxAge: 10_000 });
    source.start(0);
    await grow(chain, source, 11, 50);
    expect(source.heights).toEqual([1, 4, 8, 12]);
    await chunkOf(source, wholeState(rootAt(chain, 1)), 90);
    source.expire(180);
    expect(source.heights).toEqual([1, 8, 12]);
    source.expire(191);
    expect(source.heights).toEqual([8, 12]);
  });

  it("goes at its time limit also when it is being read, unless it is one of the last two", async () => {
    const chain = await chainOf({ blocks: 1 });
    const source = sourceOf(chain, { unusedAge: 1_000, maxAge: 500 });
    source.start(0);
    await grow(chain, source, 11, 400);
    await chunkOf(source, wholeState(rootAt(chain, 1)), 450);
    source.expire(499);
    expect(source.heights).toContain(1);
    source.expire(500);
    expect(source.heights).toEqual([4, 8, 12]);
    source.expire(9_999);
    expect(source.heights).toEqual([8, 12]);
    expect((await source.answer("peer", wholeState(rootAt(chain, 1)), 0)).type).toBe("refused");
  });
});

describe("answers", () => {
  it("give a range of leaves with its proof, whole or as much as fits", async () => {
    const chain = await chainOf({ blocks: 2, accounts: 100, slots: 60 });
    const source = sourceOf(chain);
    source.start(0);
    const root = rootAt(chain, 2);
    const whole = decodeLeaves((await chunkOf(source, wholeState(root))).leaves);
    const parts: ReturnType<typeof decodeLeaves> = [];
    for (let first: Uint8Array = FIRST; ; ) {
      const request = wholeState(root, { first, limit: 1_000 });
      const chunk = await chunkOf(source, request);
      verifyChunk(request, chunk);
      expect(chunk.leaves.length).toBeLessThanOrEqual(1_000);
      parts.push(...decodeLeaves(chunk.leaves));
      if (bytesToHex(chunk.end) === bytesToHex(LAST)) break;
      first = keyAt((BigInt(bytesToHex(chunk.end)) << (chunk.end.length === 32 ? 256n : 0n)) + 1n);
    }
    expect(parts).toEqual(whole);
  });

  it("give seals with the validators that they name, headers downwards, and code by its hash", async () => {
    const chain = await chainOf({ blocks: 9, seals: [2, 5, 8], codes: 3 });
    const source = sourceOf(chain);
    source.start(0);
    const seals = await source.answer("peer", { type: "get-seals", id: 1, epoch: 1 }, 0);
    expect(seals).toEqual({ type: "seals", id: 1, seals: [chain.sealOf(1), chain.sealOf(2)] });
    const headers = await source.answer("peer", { type: "get-headers", id: 2, height: 3, count: 256 }, 0);
    expect(headers.type === "headers" && headers.headers.map((header) => bytesToHex(keccak256(header)))).toEqual(
      [3, 2, 1, 0].map((height) => bytesToHex(chain.store.header(height)?.hash ?? FIRST)),
    );
    const code = new Uint8Array(43).fill(2);
    const hash = bytesToHex(keccak256(code));
    const codes = await source.answer("peer", { type: "get-code", id: 3, hashes: [hash] }, 0);
    expect(codes).toEqual({ type: "code", id: 3, codes: [code] });
  });

  it("refuse what is not here or makes no sense", async () => {
    const chain = await chainOf({ blocks: 2 });
    const source = sourceOf(chain);
    source.start(0);
    const root = rootAt(chain, 2);
    const reasonOf = async (request: Parameters<SnapshotSource["answer"]>[1]): Promise<string> => {
      const answer = await source.answer("peer", request, 0);
      return answer.type === "refused" ? answer.reason : answer.type;
    };
    expect(await reasonOf(wholeState(`0x${"11".repeat(32)}`))).toBe("unknown");
    expect(await reasonOf({ type: "get-seals", id: 1, epoch: 0 })).toBe("unknown");
    expect(await reasonOf({ type: "get-headers", id: 1, height: 77, count: 5 })).toBe("unknown");
    expect(await reasonOf({ type: "get-code", id: 1, hashes: [`0x${"11".repeat(32)}`] })).toBe("unknown");
    expect(await reasonOf(wholeState(root, { first: LAST, last: FIRST }))).toBe("invalid");
    expect(await reasonOf(wholeState(root, { first: new Uint8Array(40) }))).toBe("invalid");
    expect(await reasonOf(wholeState(root, { first: new Uint8Array(64) }))).toBe("invalid");
    expect(await reasonOf(wholeState(root, { limit: 10 }))).toBe("invalid");
  });

  it("are bounded in number: a peer that asks too much at one time hears that we are busy", async () => {
    const chain = await chainOf({ blocks: 2 });
    const source = sourceOf(chain, { answersPerPeer: 2, answers: 3 });
    source.start(0);
    const ask = (peer: string): Promise<SyncAnswer> => source.answer(peer, wholeState(rootAt(chain, 2)), 0);
    const answers = await Promise.all([ask("a"), ask("a"), ask("a"), ask("b"), ask("b")]);
    expect(answers.map(({ type }) => type)).toEqual(["chunk", "chunk", "refused", "chunk", "refused"]);
    expect((await ask("a")).type).toBe("chunk");
  });

  it("go over the wire and come back the same", async () => {
    const chain = await chainOf({ blocks: 5, seals: [3] });
    const source = sourceOf(chain);
    source.start(0);
    const requests: Parameters<SnapshotSource["answer"]>[1][] = [
      { type: "get-offers", id: 1 },
      { type: "get-seals", id: 2, epoch: 0 },
      { type: "get-headers", id: 3, height: 4, count: 5 },
      wholeState(rootAt(chain, 5)),
      { type: "get-code", id: 5, hashes: [bytesToHex(keccak256(new Uint8Array(40).fill(1)))] },
      { type: "get-seals", id: 6, epoch: 40 },
    ];
    for (const request of requests) {
      const answer = await source.answer("peer", request, 0);
      for (const message of [request, answer]) {
        const bytes = Uint8Array.from(encodeWire(syncMessage, message));
        expect(decodeWire(syncMessage, bytes, 2 * 1024 * 1024)).toEqual(message);
      }
    }
  });
});

describe("a chunk that was changed on the way", () => {
  it("is refused, whatever was changed", async () => {
    const chain = await chainOf({ blocks: 2, accounts: 12, slots: 6 });
    const source = sourceOf(chain);
    source.start(0);
    const request = wholeState(rootAt(chain, 2), { first: keyAt(1n << 508n), last: keyAt(13n << 508n) });
    const chunk = await chunkOf(source, request);
    verifyChunk(request, chunk);
    for (const field of ["leaves", "proof", "end"] as const) {
      for (let i = 0; i < chunk[field].length; i++) {
        const bytes = chunk[field].slice();
        bytes[i] = (bytes[i] as number) ^ 1;
        expect(() => verifyChunk(request, { ...chunk, [field]: bytes }), `${field} ${i}`).toThrow(
          expect.objectContaining({ code: "SYNC_INVALID" }),
        );
      }
    }
    const leaves = decodeLeaves(chunk.leaves);
    expect(leaves.length).toBeGreaterThan(5);
    expect(() => verifyChunk({ ...request, root: bytesToHex(hexToBytes(request.root).fill(7)) }, chunk)).toThrow();
    expect(() => verifyChunk({ ...request, last: chunk.end }, { ...chunk, end: keyAt(1n << 508n) })).toThrow();
  });
});

describe("a chunk that holds less than was asked for", () => {
  it("is refused although it is proven: whoever sends one leaf at a time would keep a part for itself", async () => {
    const chain = await chainOf({ blocks: 2, accounts: 100 });
    const source = sourceOf(chain);
    source.start(0);
    const modest = wholeState(rootAt(chain, 2), { limit: 1_000 });
    const chunk = await chunkOf(source, modest);
    verifyChunk(modest, chunk);
    expect(() => verifyChunk({ ...modest, limit: 2_000 }, chunk)).toThrow("too early");
    expect(() => verifyChunk({ ...modest, limit: 900 }, chunk)).toThrow("longer");
  });
});
