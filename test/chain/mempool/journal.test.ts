import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isCoded } from "../../../base/errors.ts";
import { MempoolJournal } from "../../../chain/mempool/journal.ts";
import { encodeRecords, JOURNAL_MARK, readRecords } from "../../../chain/mempool/journal-records.ts";
import { MAX_JOURNAL_RECORD_BYTES, MIN_COMPACTED_RECORDS } from "../../../chain/mempool/limits.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ogpu-journal-"));
  path = join(folder, "transactions.journal");
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function raw(fill: number, length = 20): Uint8Array {
  return new Uint8Array(length).fill(fill);
}

async function loaded(): Promise<number[][]> {
  const journal = await MempoolJournal.open(path);
  const raws = journal.load().map((found) => [...found]);
  await journal.close();
  return raws;
}

function lists(...raws: readonly Uint8Array[]): number[][] {
  return raws.map((bytes) => [...bytes]);
}

async function rejection(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isCoded(error)) return error.code;
    throw error;
  }
}

describe("MempoolJournal", () => {
  it("gives back what was appended, in its order, after every restart", async () => {
    const journal = await MempoolJournal.open(path);
    expect(journal.load()).toEqual([]);
    await journal.append([raw(1), raw(2, 0)]);
    await journal.close();
    expect(await loaded()).toEqual(lists(raw(1), raw(2, 0)));
    const again = await MempoolJournal.open(path, { sync: true });
    await again.append([raw(3)]);
    await again.close();
    expect(await loaded()).toEqual(lists(raw(1), raw(2, 0), raw(3)));
  });

  it("has handed over to the system what an append that resolved was about, without being closed", async () => {
    const journal = await MempoolJournal.open(path);
    await Promise.all([journal.append([raw(1)]), journal.append([raw(2), raw(3)])]);
    expect(await readFile(path)).toEqual(Buffer.concat([JOURNAL_MARK, encodeRecords([raw(1), raw(2), raw(3)])]));
    expect(journal.records).toBe(3);
    await journal.close();
  });

  it("loses only the last record when a write was cut at any byte of it, and goes on after the one before", async () => {
    const before = Buffer.concat([JOURNAL_MARK, encodeRecords([raw(1), raw(2)])]);
    const whole = Buffer.concat([before, encodeRecords([raw(3)])]);
    for (let length = before.length; length < whole.length; length++) {
      await writeFile(path, whole.subarray(0, length));
      const journal = await MempoolJournal.open(path);
      expect(lists(...journal.load())).toEqual(lists(raw(1), raw(2)));
      await journal.append([raw(4)]);
      await journal.close();
      expect(await loaded()).toEqual(lists(raw(1), raw(2), raw(4)));
    }
  });

  it("starts anew when even the mark was cut", async () => {
    for (let length = 0; length < JOURNAL_MARK.length; length++) {
      await writeFile(path, JOURNAL_MARK.subarray(0, length));
      expect(await loaded()).toEqual([]);
      expect(await readFile(path)).toEqual(Buffer.from(JOURNAL_MARK));
    }
  });

  it("ends at a record of which any byte has changed", async () => {
    const start = JOURNAL_MARK.length + encodeRecords([raw(1)]).length;
    const whole = Buffer.concat([JOURNAL_MARK, encodeRecords([raw(1), raw(2)])]);
    for (let at = start; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0x41;
      await writeFile(path, damaged);
      expect(await loaded()).toEqual(lists(raw(1)));
    }
  });

  it("does not write over a file that is something else", async () => {
    await writeFile(path, "my only copy of something");
    expect(await rejection(MempoolJournal.open(path))).toBe("MEMPOOL_JOURNAL_FAILED");
    expect(await readFile(path, "utf8")).toBe("my only copy of something");
  });

  it("is written anew with what is live, between the appends before and after", async () => {
    const journal = await MempoolJournal.open(path);
    await journal.append([raw(1), raw(2), raw(3)]);
    const live = [raw(2)];
    const before = journal.append([raw(4)]);
    live.push(raw(4));
    const compaction = journal.compact(() => live);
    const after = journal.append([raw(5)]);
    await Promise.all([before, compaction, after]);
    await journal.append([raw(6)]);
    await journal.close();
    const found = await loaded();
    // An append of the same turn may be written before the compaction, which then has to know it as live.
    expect(found.slice(0, 2)).toEqual(lists(raw(2), raw(4)));
    expect(found.at(-1)).toEqual([...raw(6)]);
    expect(await readdir(folder)).toEqual(["transactions.journal"]);
  });

  it("never loses what is in the pool when it is appended, however appends and compactions mix", async () => {
    const steps = fc.array(fc.constantFrom("append", "drop", "compact", "turn"), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await rm(path, { force: true });
        const journal = await MempoolJournal.open(path);
        const pool = new Map<number, Uint8Array>();
        const work: Promise<unknown>[] = [];
        let next = 0;
        for (const step of all) {
          if (step === "append") {
            const bytes = raw(next, 4);
            pool.set(next++, bytes);
            work.push(journal.append([bytes]));
          } else if (step === "drop") pool.delete([...pool.keys()][0] ?? -1);
          else if (step === "compact") work.push(journal.compact(() => pool.values()));
          else await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(work);
        await journal.close();
        const found = new Set((await loaded()).map(([first]) => first));
        for (const key of pool.keys()) expect(found).toContain(key);
      }),
      { numRuns: 50 },
    );
  });

  it("is written anew once for all who ask before that begins", async () => {
    const journal = await MempoolJournal.open(path);
    let asked = 0;
    const live = (): Uint8Array[] => {
      asked++;
      return [raw(7)];
    };
    await Promise.all([journal.compact(live), journal.compact(live)]);
    expect([asked, journal.records]).toEqual([1, 1]);
    await journal.close();
    expect(await loaded()).toEqual(lists(raw(7)));
  });

  it("goes on with the old file after a compaction that failed", async () => {
    const journal = await MempoolJournal.open(path);
    await journal.append([raw(1)]);
    const broken = journal.compact(() => {
      throw new Error("no list of what waits");
    });
    expect(await rejection(broken)).toBe("MEMPOOL_JOURNAL_FAILED");
    await journal.append([raw(2)]);
    await journal.close();
    expect(await loaded()).toEqual(lists(raw(1), raw(2)));
  });

  it("has nothing of an append that failed in the middle, also after a later one", () => {
    // A limit on the size of files stands for a full disk: as one, it is met in the middle of a write.
    const program = `
      import { MempoolJournal } from ${JSON.stringify(new URL("../../../dist/chain/mempool/journal.js", import.meta.url).href)};
      const raw = (fill) => new Uint8Array(100).fill(fill);
      const journal = await MempoolJournal.open(process.argv[1]);
      await journal.append([raw(1)]);
      const code = await journal.append(Array.from({ length: 60 }, () => raw(9))).catch((error) => error.code);
      await journal.append([raw(2)]);
      const again = await MempoolJournal.open(process.argv[1]);
      console.log(JSON.stringify([code, again.load().map((bytes) => bytes[0])]));`;
    const limited = `ulimit -f 4; exec "$0" --input-type=module -e "$1" "$2"`;
    const printed = execFileSync("bash", ["-c", limited, process.execPath, program, path], { encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual(["MEMPOOL_JOURNAL_FAILED", [1, 2]]);
  });

  it("throws away the beginning of a compaction that was killed", async () => {
    await writeFile(path, Buffer.concat([JOURNAL_MARK, encodeRecords([raw(1)])]));
    await writeFile(`${path}.new`, JOURNAL_MARK);
    expect(await loaded()).toEqual(lists(raw(1)));
    expect(await readdir(folder)).toEqual(["transactions.journal"]);
  });

  it("is worth writing anew when most of it no longer waits, and it is not small", async () => {
    const journal = await MempoolJournal.open(path);
    await journal.append(Array.from({ length: MIN_COMPACTED_RECORDS - 1 }, () => raw(1)));
    expect(journal.isCompactionDue(0)).toBe(false);
    await journal.append([raw(1)]);
    expect(journal.isCompactionDue(MIN_COMPACTED_RECORDS / 2)).toBe(false);
    expect(journal.isCompactionDue(MIN_COMPACTED_RECORDS / 2 - 1)).toBe(true);
    await journal.compact(() => []);
    expect(journal.isCompactionDue(0)).toBe(false);
    await journal.close();
    expect(await loaded()).toEqual([]);
  });

  it("refuses what is too large, what the system cannot write, and everything once it is closed", async () => {
    const journal = await MempoolJournal.open(path);
    expect(await rejection(journal.append([raw(1, MAX_JOURNAL_RECORD_BYTES + 1)]))).toBe("MEMPOOL_JOURNAL_BUSY");
    await journal.append([raw(1)]);
    await journal.close();
    expect(await rejection(journal.append([raw(1)]))).toBe("MEMPOOL_JOURNAL_CLOSED");
    expect(await rejection(journal.compact(() => []))).toBe("MEMPOOL_JOURNAL_CLOSED");
    await journal.close();
    expect(await rejection(MempoolJournal.open(join(folder, "missing", "journal")))).toBe("MEMPOOL_JOURNAL_FAILED");
    await truncate(path, 0);
    expect(await loaded()).toEqual([]);
  });
});

describe("readRecords", () => {
  it("reads what encodeRecords wrote, and never reads past what is there", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.uint8Array({ maxLength: 30 }), (raws, rest) => {
        const records = encodeRecords(raws);
        const { raws: found, end } = readRecords(Buffer.concat([JOURNAL_MARK, records]));
        expect(lists(...found)).toEqual(lists(...raws));
        expect(end).toBe(JOURNAL_MARK.length + records.length);
        expect(readRecords(Buffer.concat([JOURNAL_MARK, records, rest])).raws.length).toBeGreaterThanOrEqual(
          raws.length,
        );
      }),
    );
  });
});
