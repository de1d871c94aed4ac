import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import type { VoteContent } from "../../../base/votes.ts";
import { Guard } from "../../../chain/consensus/guard.ts";
import type { LogRecord } from "../../../chain/consensus/types.ts";
import { ConsensusLog, type ConsensusLogOptions, createLog } from "../../../chain/wal/consensus-log.ts";
import { exportGuard, exportGuardOn, importGuard, parseGuardFile } from "../../../chain/wal/guard-file.ts";
import { TemporaryFolders } from "../store/support/temporary-folder.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { contentOf, IDENTITY, sampleCodec, voteRecord } from "./support/sample-records.ts";

const codec = sampleCodec(0);
const OPTIONS: ConsensusLogOptions = {
  codec,
  identity: IDENTITY,
  onFailure: (error) => expect.unreachable(error.message),
};

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

async function folderWith(steps: readonly { readonly replace?: true; readonly records: readonly LogRecord[] }[]) {
  const folder = folders.next();
  await ConsensusLog.create(folder, IDENTITY);
  const { log } = await ConsensusLog.open(folder, OPTIONS);
  for (const [index, { replace, records }] of steps.entries()) {
    if (replace) log.replace(records);
    else log.append(records, index);
  }
  await log.close();
  return folder;
}

describe("an exported guard", () => {
  it("refuses on the new machine all that was signed on the old one", async () => {
    const old = await folderWith([
      { records: [voteRecord(1), voteRecord(2), voteRecord(3, 1)] },
      { replace: true, records: [voteRecord(3, 1)] },
      { records: [voteRecord(4, 2)] },
    ]);
    const file = parseGuardFile(JSON.stringify(await exportGuard(old, codec)));
    expect(file.guard).toEqual({ epoch: 0, finalView: 2, votes: [voteRecord(3, 1), voteRecord(4, 2)].map(contentOf) });

    const target = folders.next();
    await importGuard(target, file, codec);
    const { log, records, floor } = await ConsensusLog.open(target, OPTIONS);
    await log.close();
    const guard = new Guard(floor.epoch, floor.view);
    for (const record of records) guard.record(contentOf(record));
    const other = (view: number): VoteContent => contentOf(voteRecord(view, 99));
    expect([1, 2, 3, 4, 5].map((view) => guard.allows(other(view)))).toEqual([false, false, false, false, true]);
  });

  it("is refused where there is no log, and nothing is made there", async () => {
    const folder = join(folders.next(), "misspelt");
    await expect(exportGuard(join(folder, "consensus"), codec)).rejects.toMatchObject({ code: "WAL_MISSING" });
    expect(existsSync(folder)).toBe(false);
  });

  it("leaves behind a log that cannot be opened any more, but exported again", async () => {
    const old = await folderWith([{ records: [voteRecord(1)] }]);
    const first = await exportGuard(old, codec);
    await expect(ConsensusLog.open(old, OPTIONS)).rejects.toMatchObject({ code: "WAL_RETIRED" });
    await expect(ConsensusLog.create(old, IDENTITY)).rejects.toMatchObject({ code: "WAL_EXISTS" });
    expect(await exportGuard(old, codec)).toEqual(first);
  });

  it("is told only when the log is retired for good, also after an export that was killed", async () => {
    const told = async (disk: MemoryDisk): Promise<boolean> =>
      exportGuardOn(disk, codec).then(
        () => true,
        () => false,
      );
    const expectRetired = async (disk: MemoryDisk, seed: string): Promise<void> => {
      const left = disk.afterPowerCut(new Prng(seed));
      await expect(ConsensusLog.openOn(left, OPTIONS)).rejects.toMatchObject({ code: "WAL_RETIRED" });
    };
    for (let fuel = 0; fuel < 6; fuel++) {
      for (const seed of ["a", "b", "c", "d"]) {
        const disk = new MemoryDisk();
        await createLog(disk, IDENTITY);
        disk.fuel = disk.used + fuel;
        if (await told(disk)) await expectRetired(disk, seed);
        const killed = disk.afterKill();
        expect(await told(killed)).toBe(true);
        await expectRetired(killed, seed);
      }
    }
  });

  it("is refused while the validator runs", async () => {
    const folder = await folderWith([]);
    const { log } = await ConsensusLog.open(folder, OPTIONS);
    await expect(exportGuard(folder, codec)).rejects.toMatchObject({ code: "WAL_LOCKED" });
    await log.close();
  });

  it("holds the last epoch's votes: those before are behind everybody", async () => {
    const folder = await folderWith([{ records: [voteRecord(8, 1, 1), voteRecord(2, 2, 2)] }]);
    const { guard } = await exportGuard(folder, codec);
    expect(guard).toEqual({ epoch: 2, finalView: 0, votes: [contentOf(voteRecord(2, 2, 2))] });
  });

  it("says the last view signed even when the log holds no vote any more", async () => {
    const folder = await folderWith([{ records: [voteRecord(8, 1, 1)] }, { replace: true, records: [] }]);
    expect((await exportGuard(folder, codec)).guard).toEqual({ epoch: 1, finalView: 8, votes: [] });
  });

  it("is not imported over a validator's log", async () => {
    const file = await exportGuard(await folderWith([]), codec);
    const target = await folderWith([]);
    await expect(importGuard(target, file, codec)).rejects.toMatchObject({ code: "WAL_EXISTS" });
  });
});

describe("a guard file", () => {
  const valid = {
    ...{ format: "opengpu-guard", version: 1, chainId: "7", validator: IDENTITY.validator },
    guard: { epoch: 1, finalView: 3, votes: [{ kind: "NULLIFY", epoch: 1, view: 4, hash: "0x" }] },
  };
  const vote = { kind: "NOTARIZE", epoch: 1, view: 4, hash: `0x${"11".repeat(32)}` };
  const withVote = (changed: object): string =>
    JSON.stringify({ ...valid, guard: { ...valid.guard, votes: [{ ...vote, ...changed }] } });

  it("is read strictly", () => {
    expect(parseGuardFile(JSON.stringify(valid))).toEqual(valid);
    expect(parseGuardFile(withVote({})).guard.votes).toEqual([vote]);
    const wrong = [
      "",
      "{}",
      JSON.stringify({ ...valid, more: 1 }),
      JSON.stringify({ ...valid, version: 2 }),
      JSON.stringify({ ...valid, chainId: 7 }),
      JSON.stringify({ ...valid, validator: "0x12" }),
      withVote({ view: 3 }),
      withVote({ epoch: 2 }),
      withVote({ hash: "0x" }),
      withVote({ kind: "NULLIFY" }),
      withVote({ kind: "LIKE" }),
    ];
    for (const text of wrong) {
      expect(() => parseGuardFile(text), text).toThrow(expect.objectContaining({ code: "GUARD_INVALID" }));
    }
  });
});
