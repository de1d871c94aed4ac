import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { auditStore } from "../../../chain/store/audit.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { type ImportItem, importState } from "../../../chain/store/import-state.ts";
import type { FetchedChunk, SyncOutcome, TargetRecord } from "../../../chain/sync/events.ts";
import type { SyncLimits } from "../../../chain/sync/limits.ts";
import { type SyncRequest, syncMessage } from "../../../chain/sync/messages.ts";
import { SnapshotSource } from "../../../chain/sync/snapshot-source.ts";
import { SyncFiles } from "../../../chain/sync/sync-files.ts";
import { SyncRunner, type SyncRunnerOptions } from "../../../chain/sync/sync-runner.ts";
import { decodeWire, encodeWire } from "../../../chain/wire/schema.ts";
import { EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { finalBlock } from "../store/support/final-blocks.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { blockChanges, DAY, GENESIS_TIME, SampleChain } from "./support/sample-chain.ts";

const lasting = new TemporaryFolders();
const folders = new TemporaryFolders();
const LIMITS: Partial<SyncLimits> = { parts: 3, chunkBytes: 3_000, offersWait: 0, busyPause: 1 };
let chain: SampleChain;
let source: SnapshotSource;
let stores: ChainStore[] = [];

beforeAll(async () => {
  chain = await SampleChain.create(lasting.next(), { blocks: 12, seals: [4, 9], accounts: 120, slots: 60, codes: 4 });
  source = new SnapshotSource(chain.store);
  source.start(0);
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  folders.remove();
});

afterAll(async () => {
  await source.close();
  await chain.store.close();
  lasting.remove();
});

async function emptyStore(folder: string = folders.next()): Promise<ChainStore> {
  const store = await ChainStore.open(folder, { chain: chain.store.identity, forImport: true });
  stores.push(store);
  return store;
}

const clock = {
  now: (): number => GENESIS_TIME + DAY + performance.now(),
  setTimer: (milliseconds: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A runner among honest peers, over the wire's encoding. `onSend` is told of each request before it goes. */
function runnerOf(
  store: ChainStore,
  files: SyncFiles,
  onSend: (request: SyncRequest) => boolean = () => true,
): SyncRunner {
  const options: SyncRunnerOptions = {
    ...{ store, files, clock, trust: chain.trust(), limits: LIMITS, nearBlocks: 2 },
    penalise: (peer, reason) => {
      throw new Error(`${peer} was blamed: ${reason}`);
    },
    send: (to, message) => {
      if (!onSend(message)) return;
      void source.answer(to, message, 0).then((answer) => {
        const bytes = encodeWire(syncMessage, answer);
        const arrived = decodeWire(syncMessage, bytes, bytes.length);
        setImmediate(() => runner.onMessage(to, arrived as typeof answer));
      });
    },
  };
  const runner = new SyncRunner(options);
  for (const peer of ["one", "two"]) runner.onPeer(peer, true);
  return runner;
}

/** The store is that of the chain at its last block, and works. */
async function expectChain(store: ChainStore, outcome: SyncOutcome): Promise<void> {
  expect(outcome).toMatchObject({ type: "imported", height: 12 });
  expect(store.head?.hash).toEqual(chain.store.head?.hash);
  expect(store.base).toBe(12);
  const report = await auditStore(store);
  expect(report.problems).toEqual([]);
  expect(report.stateRoot).toBe(bytesToHex(chain.headerAt(12).stateRoot));
  expect(report.codes).toBe(4);
}

describe("a node that starts from a snapshot", () => {
  it("has the same state by a full audit, the headers that BLOCKHASH needs, seals and certificate", async () => {
    const store = await emptyStore();
    const directory = folders.next();
    await expectChain(store, await runnerOf(store, new SyncFiles(directory)).run());
    expect(store.certificate(12)).toEqual(chain.store.certificate(12));
    for (let height = 0; height <= 12; height++) {
      expect(store.blockHash(BigInt(height))).toEqual(chain.store.blockHash(BigInt(height)));
    }
    for (const epoch of [0, 1]) {
      expect(store.seal(epoch)).toEqual(chain.store.seal(epoch));
      const { number = 0 } = store.seal(epoch) ?? {};
      expect(store.certificate(number)).toEqual(chain.store.certificate(number));
    }
    await expect(readdir(directory)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("goes on with blocks, and serves what it has to the next one", async () => {
    const folder = folders.next();
    const first = await emptyStore(folder);
    await runnerOf(first, new SyncFiles(folders.next())).run();
    await first.close();
    stores = [];
    const reopened = await emptyStore(folder);
    const second = new SnapshotSource(reopened);
    second.start(0);
    expect(await second.answer("x", { type: "get-offers", id: 1 }, 0)).toMatchObject({ offers: [chain.offerAt(12)] });
    const seals = await second.answer("x", { type: "get-seals", id: 2, epoch: 0 }, 0);
    expect(seals).toMatchObject({ type: "seals", seals: [chain.sealOf(0), chain.sealOf(1)] });
    const headers = await second.answer("x", { type: "get-headers", id: 3, height: 11, count: 12 }, 0);
    expect(headers.type === "headers" && headers.headers).toHaveLength(12);
    await second.close();
  });

  it("at a seal knows the validators of the epoch that follows", async () => {
    const own = await SampleChain.create(folders.next(), { blocks: 6, seals: [3, 6] });
    const sealed = new SnapshotSource(own.store);
    sealed.start(0);
    const store = await ChainStore.open(folders.next(), { chain: own.store.identity, forImport: true });
    const runner: SyncRunner = new SyncRunner({
      ...{ store, files: new SyncFiles(folders.next()), clock, trust: own.trust(), limits: LIMITS, nearBlocks: 2 },
      penalise: () => {},
      send: (to, message) => void sealed.answer(to, message, 0).then((answer) => runner.onMessage(to, answer)),
    });
    runner.onPeer("one", true);
    expect(await runner.run()).toMatchObject({ type: "imported", height: 6 });
    expect(store.seal(1)).toEqual(own.store.seal(1));
    await own.append(blockChanges(7));
    await Promise.all([sealed.close(), store.close()]);
    await own.store.close();
  });

  it("does nothing where there are blocks, and leaves no folder behind", async () => {
    const directory = folders.next();
    await mkdir(directory, { recursive: true });
    expect(await runnerOf(chain.store, new SyncFiles(directory)).run()).toEqual({
      type: "skipped",
      reason: "has-blocks",
    });
    await expect(readdir(directory)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

/** Dies at one of its writes: before it, or after it with the file torn. */
class DyingFiles extends SyncFiles {
  readonly #directory: string;
  readonly #tears: boolean;
  #writesLeft: number;
  writes = 0;

  constructor(directory: string, writesLeft: number, tears = false) {
    super(directory);
    this.#directory = directory;
    this.#writesLeft = writesLeft;
    this.#tears = tears;
  }

  override begin(target: TargetRecord): Promise<void> {
    return this.#write(() => super.begin(target));
  }

  override writeHeaders(headers: readonly Uint8Array[]): Promise<void> {
    return this.#write(() => super.writeHeaders(headers));
  }

  override writeChunk(chunk: FetchedChunk): Promise<void> {
    return this.#write(() => super.writeChunk(chunk));
  }

  override writeCode(codes: readonly Uint8Array[]): Promise<void> {
    return this.#write(() => super.writeCode(codes));
  }

  async #write(write: () => Promise<void>): Promise<void> {
    if (this.#writesLeft-- > 0) {
      this.writes++;
      await write();
      return;
    }
    if (this.#tears) {
      const before = new Set(await namesIn(this.#directory));
      await write();
      for (const name of await namesIn(this.#directory)) {
        if (!before.has(name)) await truncate(join(this.#directory, name), 30);
      }
      await writeFile(join(this.#directory, "half.chunk.new"), "half");
    }
    throw new Error("killed");
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return await readdir(directory).catch(() => []);
}

describe("a node that is killed while it catches up", () => {
  it.each([
    ["before a file is written", false],
    ["while a file is written", true],
  ])("%s, any of them, goes on from those that are whole", async (_, tears) => {
    const whole = new DyingFiles(folders.next(), 1_000);
    await runnerOf(await emptyStore(), whole).run();
    expect(whole.writes).toBeGreaterThan(7);
    for (let kill = 0; kill < whole.writes; kill++) {
      const directory = folders.next();
      const store = await emptyStore();
      await expect(runnerOf(store, new DyingFiles(directory, kill, tears)).run()).rejects.toThrow("killed");
      let chunks = 0;
      const again = runnerOf(store, new SyncFiles(directory), ({ type }) => {
        if (type === "get-chunk") chunks++;
        return true;
      });
      await expectChain(store, await again.run());
      // What is there is not asked for again.
      if (kill === whole.writes - 1) expect(chunks).toBeLessThan(4);
    }
  });

  it("imports without asking anybody for the state when all of it is there", async () => {
    const directory = folders.next();
    const keeping = new (class extends SyncFiles {
      override async *items(): AsyncGenerator<readonly ImportItem[]> {
        yield [];
        throw new Error("killed");
      }
    })(directory);
    const folder = folders.next();
    const store = await emptyStore(folder);
    await expect(runnerOf(store, keeping).run()).rejects.toThrow("killed");
    await store.close();
    stores = stores.filter((each) => each !== store);
    // The import had begun: it starts over from the files.
    await expect(ChainStore.open(folder, { chain: chain.store.identity })).rejects.toMatchObject({
      code: "STORE_IMPORT_UNFINISHED",
    });
    const reopened = await emptyStore(folder);
    const outcome = await runnerOf(reopened, new SyncFiles(directory), () => false).run();
    await expectChain(reopened, outcome);
  });

  it("after the import, with the files still there, starts with the imported block", async () => {
    const directory = folders.next();
    const keeping = new (class extends SyncFiles {
      override async remove(): Promise<void> {}
    })(directory);
    const store = await emptyStore();
    await runnerOf(store, keeping).run();
    expect(await namesIn(directory)).not.toEqual([]);
    expect(await runnerOf(store, new SyncFiles(directory)).run()).toEqual({ type: "skipped", reason: "has-blocks" });
    expect(await namesIn(directory)).toEqual([]);
  });

  it("can be stopped and started again", async () => {
    const directory = folders.next();
    const store = await emptyStore();
    let requests = 0;
    const runner = runnerOf(store, new SyncFiles(directory), () => ++requests < 8);
    const ended = expect(runner.run()).rejects.toMatchObject({ code: "SYNC_STOPPED" });
    while (requests < 8) await new Promise(setImmediate);
    await runner.stop();
    await ended;
    await expectChain(store, await runnerOf(store, new SyncFiles(directory)).run());
  });
});

describe("files that somebody changed", () => {
  it("are noticed by their checksums and fetched again", async () => {
    const directory = folders.next();
    const damaging = new (class extends SyncFiles {
      override async *items(): AsyncGenerator<readonly ImportItem[]> {
        yield [];
        for (const name of await namesIn(directory)) {
          if (name === "target") continue;
          const bytes = await readFile(join(directory, name));
          bytes[60] = (bytes[60] as number) ^ 1;
          await writeFile(join(directory, name), bytes);
        }
        throw new Error("killed");
      }
    })(directory);
    const store = await emptyStore();
    await expect(runnerOf(store, damaging).run()).rejects.toThrow("killed");
    await expectChain(store, await runnerOf(store, new SyncFiles(directory)).run());
  });

  it("with good checksums end the import, not the chain: the store stays empty and the files go", async () => {
    const directory = folders.next();
    const lying = new (class extends SyncFiles {
      override async writeChunk(chunk: FetchedChunk): Promise<void> {
        const leaves = chunk.leaves.slice();
        // A digit of a balance; the form is right.
        if (leaves.length > 40) leaves[40] = (leaves[40] as number) ^ 1;
        await super.writeChunk({ ...chunk, leaves });
      }
    })(directory);
    const store = await emptyStore();
    const outcome = await runnerOf(store, lying).run();
    expect(outcome).toMatchObject({ type: "failed", error: { code: "SYNC_IMPORT_FAILED" } });
    expect(store.head).toBeUndefined();
    expect(await namesIn(directory)).toEqual([]);
    await expectChain(store, await runnerOf(store, new SyncFiles(directory)).run());
  });
});

describe("an import that did not finish", () => {
  it("is cleared away when there is no snapshot any more, so that the chain can start from genesis", async () => {
    const store = await emptyStore();
    const interrupted = function* (): Generator<readonly ImportItem[]> {
      const account = { nonce: 1n, balance: 5n, codeHash: EMPTY_CODE_HASH };
      yield Array.from({ length: 9_000 }, (_, i) => ({ kind: "account", key: keyOfNumber(i), account }));
      throw new Error("killed");
    };
    await expect(importState(store, { items: interrupted(), header: chain.genesis })).rejects.toThrow("killed");
    const runner: SyncRunner = new SyncRunner({
      ...{ store, files: new SyncFiles(folders.next()), clock, trust: chain.trust() },
      ...{ penalise: () => {}, limits: { peersWait: 1 }, send: () => {} },
    });
    expect(await runner.run()).toEqual({ type: "skipped", reason: "no-peers" });
    await store.commit(finalBlock(undefined, store.state(), blockChanges(1)));
    expect((await auditStore(store)).accounts).toBe(1);
  });
});

it("keeps the files when nobody is there, whatever is in them", async () => {
  const directory = folders.next();
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "headers"), "");
  const files = new (class extends SyncFiles {
    // What was fetched may be of no use by now: its seals are too old, say.
    override load(): Promise<undefined> {
      return Promise.resolve(undefined);
    }
  })(directory);
  const runner = new SyncRunner({
    ...{ store: await emptyStore(), files, clock, trust: chain.trust() },
    ...{ penalise: () => {}, limits: { peersWait: 1 }, send: () => {} },
  });
  expect(await runner.run()).toEqual({ type: "skipped", reason: "no-peers" });
  expect(await namesIn(directory)).toEqual(["headers"]);
});

function keyOfNumber(number: number): Uint8Array {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setUint32(0, number);
  return key;
}
