import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import type { LogRecord } from "../../../chain/consensus/types.ts";
import {
  ConsensusLog,
  type ConsensusLogOptions,
  createLog,
  type OpenedLog,
  type WalFailure,
} from "../../../chain/wal/consensus-log.ts";
import { LOG_NAME } from "../../../chain/wal/log-file.ts";
import { NO_FLOOR } from "../../../chain/wal/log-header.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { IDENTITY, sampleCodec, voteRecord } from "./support/sample-records.ts";

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

function options(padding = 0, failures: WalFailure[] = []): ConsensusLogOptions {
  return { codec: sampleCodec(padding), identity: IDENTITY, onFailure: (error) => failures.push(error) };
}

async function newDisk(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await createLog(disk, IDENTITY);
  return disk;
}

/** Resolves once that position is durable. */
function synced(log: ConsensusLog, position: number): Promise<void> {
  return new Promise((resolve) => {
    log.onSynced((durable) => {
      if (durable === position) resolve();
    });
  });
}

async function recordsOn(disk: MemoryDisk, padding = 0): Promise<readonly LogRecord[]> {
  return (await ConsensusLog.openOn(disk, options(padding))).records;
}

describe("the consensus log in a folder", () => {
  it("gives back what was appended, and after a replacement what took its place", async () => {
    const folder = folders.next();
    await ConsensusLog.create(folder, IDENTITY);
    const first = await ConsensusLog.open(folder, options());
    expect(first.records).toEqual([]);
    expect(first.floor).toEqual(NO_FLOOR);
    first.log.append([voteRecord(1), voteRecord(2)], 1);
    first.log.append([voteRecord(3)], 2);
    await first.log.close();

    const second = await ConsensusLog.open(folder, options());
    expect(second.records).toEqual([voteRecord(1), voteRecord(2), voteRecord(3)]);
    second.log.replace([voteRecord(3)]);
    second.log.append([voteRecord(4)], 1);
    await second.log.close();

    const third = await ConsensusLog.open(folder, options());
    expect(third.records).toEqual([voteRecord(3), voteRecord(4)]);
    expect(third.floor).toEqual({ epoch: 0, view: 2 });
    await third.log.close();
  });

  it("is opened by one process at a time", async () => {
    const folder = folders.next();
    await ConsensusLog.create(folder, IDENTITY);
    const { log } = await ConsensusLog.open(folder, options());
    await expect(ConsensusLog.open(folder, options())).rejects.toMatchObject({ code: "WAL_LOCKED" });
    await expect(ConsensusLog.create(folder, IDENTITY)).rejects.toMatchObject({ code: "WAL_LOCKED" });
    await log.close();
    await (await ConsensusLog.open(folder, options())).log.close();
  });

  it("is never made by opening, nor made twice", async () => {
    const folder = folders.next();
    await expect(ConsensusLog.open(folder, options())).rejects.toMatchObject({ code: "WAL_MISSING" });
    await ConsensusLog.create(folder, IDENTITY);
    const before = readFileSync(join(folder, LOG_NAME));
    await expect(ConsensusLog.create(folder, IDENTITY)).rejects.toMatchObject({ code: "WAL_EXISTS" });
    expect(readFileSync(join(folder, LOG_NAME))).toEqual(before);
  });

  it("belongs to one validator of one chain", async () => {
    const folder = folders.next();
    await ConsensusLog.create(folder, IDENTITY);
    const chain = { ...options(), identity: { ...IDENTITY, chainId: 8n } };
    await expect(ConsensusLog.open(folder, chain)).rejects.toMatchObject({ code: "WAL_WRONG_CHAIN" });
    const key = { ...options(), identity: { ...IDENTITY, validator: undefined } };
    await expect(ConsensusLog.open(folder, key)).rejects.toMatchObject({ code: "WAL_WRONG_VALIDATOR" });
  });

  it("of a node that followed gives way to that of a validator, and not the other way round", async () => {
    const folder = folders.next();
    const follower = { chainId: IDENTITY.chainId, validator: undefined };
    await ConsensusLog.create(folder, follower);
    await expect(ConsensusLog.open(folder, options())).rejects.toMatchObject({ code: "WAL_OF_FOLLOWER" });
    await ConsensusLog.create(folder, IDENTITY);
    await expect(ConsensusLog.create(folder, follower)).rejects.toMatchObject({ code: "WAL_EXISTS" });
  });
});

describe("syncing", () => {
  it("reports every position once, in order, and only when its records are durable", async () => {
    const disk = await newDisk();
    const { log } = await ConsensusLog.openOn(disk, options());
    const positions: number[] = [];
    const checks: Promise<void>[] = [];
    log.onSynced((position) => {
      positions.push(position);
      const cut = disk.afterPowerCut(new Prng(`cut ${position}`));
      const check = async (): Promise<void> => {
        expect((await recordsOn(cut)).length).toBeGreaterThanOrEqual(position);
      };
      checks.push(check());
    });
    for (let position = 1; position <= 50; position++) {
      log.append([voteRecord(position)], position);
      if (position % 7 === 0) await undefined;
    }
    await log.close();
    await Promise.all(checks);
    expect(positions).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it("puts what comes while the disk is busy into one write", async () => {
    const disk = await newDisk();
    const { log } = await ConsensusLog.openOn(disk, options());
    const operations: string[] = [];
    disk.watch = (operation) => {
      // Both arrive while the first is being synced.
      if (operation === "sync" && operations.length === 1) {
        log.append([voteRecord(2)], 2);
        log.append([voteRecord(3)], 3);
      }
      operations.push(operation);
    };
    log.append([voteRecord(1)], 1);
    await synced(log, 3);
    expect(operations).toEqual(["append", "sync", "append", "sync"]);
    await log.close();
  });

  it("fails once and for good when the disk refuses, and reports nothing afterwards", async () => {
    for (const after of [0, 1]) {
      const disk = await newDisk();
      const failures: WalFailure[] = [];
      const { log } = await ConsensusLog.openOn(disk, options(0, failures));
      const positions: number[] = [];
      log.onSynced((position) => positions.push(position));
      disk.fuel = disk.used + after;
      log.append([voteRecord(1)], 1);
      log.append([voteRecord(2)], 2);
      await log.close().catch(() => undefined);
      disk.fuel = Number.POSITIVE_INFINITY;
      expect(failures.map(({ code }) => code)).toEqual(["WAL_WRITE_FAILED"]);
      expect(positions).toEqual([]);
    }
  });

  it("writes nothing more after a failure", async () => {
    const disk = await newDisk();
    const failures: WalFailure[] = [];
    const { log } = await ConsensusLog.openOn(disk, options(0, failures));
    disk.fuel = disk.used;
    const failed = new Promise<void>((resolve) => {
      disk.watch = () => resolve();
    });
    log.append([voteRecord(1)], 1);
    await failed;
    await new Promise((resolve) => setImmediate(resolve));
    disk.fuel = Number.POSITIVE_INFINITY;
    const used = disk.used;
    log.append([voteRecord(2)], 2);
    log.replace([voteRecord(2)]);
    await log.close();
    expect(disk.used).toBe(used);
    expect(failures).toHaveLength(1);
  });
});

/** What the log should hold after each operation. */
interface Model {
  readonly states: (readonly LogRecord[])[];
  acknowledged: number;
}

type Operation = { readonly replace: boolean; readonly records: number; readonly pause: boolean };

/** Issues the operations until the disk fails. */
async function run(disk: MemoryDisk, operations: readonly Operation[], padding: number): Promise<Model> {
  const { log }: OpenedLog = await ConsensusLog.openOn(disk, options(padding));
  const model: Model = { states: [[]], acknowledged: 0 };
  log.onSynced((position) => {
    model.acknowledged = position;
  });
  let view = 0;
  for (const { replace, records, pause } of operations) {
    const before = model.states.at(-1) ?? [];
    const position = model.states.length;
    if (replace) {
      // As the core does: some last records stay.
      const kept = before.slice(-records);
      log.replace(kept);
      model.states.push(kept);
    } else {
      const added = Array.from({ length: records }, () => voteRecord(++view));
      log.append(added, position);
      model.states.push([...before, ...added]);
    }
    if (pause) await new Promise((resolve) => setImmediate(resolve));
  }
  await log.close().catch(() => undefined);
  return model;
}

/** Operations of the disk that opening takes. */
const OPENING = 4;

const operation: fc.Arbitrary<Operation> = fc.record({
  replace: fc.boolean(),
  records: fc.integer({ min: 1, max: 4 }),
  pause: fc.boolean(),
});

describe("a power cut or a kill", () => {
  it("at any operation loses nothing acknowledged and leaves a state that was written", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(0, 90, 700),
        fc.nat(60),
        fc.string(),
        async (operations, padding, fuel, seed) => {
          const disk = await newDisk();
          disk.fuel = disk.used + OPENING + fuel;
          const { states, acknowledged } = await run(disk, operations, padding);
          const prng = new Prng(seed);
          const cut = disk.afterPowerCut(prng);
          // And once more, while it is being opened.
          const again = cut.afterKill();
          again.fuel = prng.below(OPENING);
          await recordsOn(again, padding).catch(() => undefined);
          for (const left of [cut, disk.afterKill(), again.afterPowerCut(prng)]) {
            const found = JSON.stringify(await recordsOn(left, padding));
            const matching = states.map((state) => JSON.stringify(state)).lastIndexOf(found);
            expect(matching).toBeGreaterThanOrEqual(acknowledged);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it("at each step of a replacement leaves the old log or the new one, whole", async () => {
    const outcomes = new Set<string>();
    for (let step = 0; step < 8; step++) {
      for (let seed = 0; seed < 20; seed++) {
        const disk = await newDisk();
        const { log } = await ConsensusLog.openOn(disk, options(300));
        log.append([voteRecord(1), voteRecord(2)], 1);
        await synced(log, 1);
        disk.fuel = disk.used + step;
        log.replace([voteRecord(2)]);
        await log.close().catch(() => undefined);
        const opened = await ConsensusLog.openOn(disk.afterPowerCut(new Prng(`${seed}`)), options(300));
        const isNew = opened.records.length === 1;
        expect(opened.records).toEqual(isNew ? [voteRecord(2)] : [voteRecord(1), voteRecord(2)]);
        expect(opened.floor).toEqual(isNew ? { epoch: 0, view: 1 } : NO_FLOOR);
        outcomes.add(isNew ? "new" : "old");
      }
    }
    expect(outcomes.size).toBe(2);
  });

  it("keeps what is acknowledged after a kill at each step of a replacement, when the power fails too", async () => {
    for (let step = 0; step < 8; step++) {
      for (let seed = 0; seed < 10; seed++) {
        const disk = await newDisk();
        const { log } = await ConsensusLog.openOn(disk, options());
        log.append([voteRecord(1), voteRecord(2)], 1);
        await synced(log, 1);
        disk.fuel = disk.used + step;
        log.replace([voteRecord(2)]);
        await log.close().catch(() => undefined);
        const killed = disk.afterKill();
        const again = await ConsensusLog.openOn(killed, options());
        again.log.append([voteRecord(3)], 1);
        await synced(again.log, 1);
        const records = await recordsOn(killed.afterPowerCut(new Prng(`${seed}`)));
        expect(records).toEqual([...again.records, voteRecord(3)]);
      }
    }
  });

  it("leaves no second file behind once the log was opened again", async () => {
    const disk = await newDisk();
    const { log } = await ConsensusLog.openOn(disk, options());
    disk.fuel = disk.used + 2;
    log.replace([]);
    await log.close().catch(() => undefined);
    const killed = disk.afterKill();
    expect(killed.names()).toHaveLength(2);
    await recordsOn(killed);
    expect(killed.names()).toEqual([LOG_NAME]);
  });
});
