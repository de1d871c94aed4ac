import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JournalFile } from "../../../cli/agent/journal-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ogpu-journal-"));
  path = join(folder, "a.journal");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const record = (...bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes);

async function written(...records: readonly Uint8Array[]): Promise<void> {
  const journal = new JournalFile(path);
  await journal.load();
  for (const each of records) await journal.append(each);
  await journal.close();
}

const loaded = (): Promise<readonly Uint8Array[]> => new JournalFile(path).load();

describe("a journal", () => {
  it("gives back what was appended, in its order, over restarts", async () => {
    expect(await loaded()).toEqual([]);
    await written(record(1), record());
    await written(record(2, 3));
    expect(await loaded()).toEqual([record(1), record(), record(2, 3)]);
  });

  it("keeps all that is appended or written anew at the same time", async () => {
    const journal = new JournalFile(path);
    await journal.load();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map((number) => journal.append(record(number, number))));
    const anew = journal.replace([record(9)]);
    const after = [journal.append(record(1)), journal.append(record(2))];
    expect((await loaded()).length).toBeGreaterThan(0);
    await Promise.all([anew, ...after]);
    expect(await loaded()).toEqual([record(9), record(1), record(2)]);
    const last = journal.append(record(3));
    await journal.close();
    await expect(last).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
    await expect(journal.append(record(4))).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
  });

  it("leaves out a last record that a crash cut at any byte, and goes on behind the one before", async () => {
    await written(record(1, 2, 3), record(4, 5, 6));
    const whole = readFileSync(path);
    for (let end = 11; end < whole.length; end++) {
      writeFileSync(path, whole.subarray(0, end));
      expect(await loaded()).toEqual([record(1, 2, 3)]);
    }
    truncateSync(path, 15);
    await written(record(7));
    expect(await loaded()).toEqual([record(1, 2, 3), record(7)]);
  });

  it("leaves out a last record whose bytes never arrived", async () => {
    await written(record(1));
    appendFileSync(path, Uint8Array.of(0, 0, 0, 2, 9, 9, 9, 9, 0, 0));
    expect(await loaded()).toEqual([record(1)]);
  });

  it("refuses a record that was changed and that others follow", async () => {
    await written(record(1, 2, 3), record(4));
    const bytes = readFileSync(path);
    bytes[9] = 99;
    writeFileSync(path, bytes);
    await expect(loaded()).rejects.toMatchObject({ code: "JOURNAL_DAMAGED" });
  });

  it("can be replaced as a whole, and appended to afterwards", async () => {
    const journal = new JournalFile(path);
    await journal.load();
    await journal.append(record(1));
    await journal.replace([record(8), record(9)]);
    await journal.append(record(10));
    await journal.close();
    expect(await loaded()).toEqual([record(8), record(9), record(10)]);
  });

  it("leaves the file alone once it is closed: somebody else may have it", async () => {
    const old = new JournalFile(path);
    await old.load();
    await old.append(record(1));
    await old.close();
    const heir = new JournalFile(path);
    await heir.load();
    await heir.append(record(2));
    await expect(old.append(record(3))).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
    await expect(old.replace([])).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
    await heir.close();
    expect(await loaded()).toEqual([record(1), record(2)]);
  });
});
