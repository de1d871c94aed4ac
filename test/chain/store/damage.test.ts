import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { Database } from "../../../chain/store/database.ts";
import { finalBlock, TEST_IDENTITY } from "./support/final-blocks.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";
import { BLOCKS, changesOfBlock, readAll } from "./support/whole-store.ts";

const READER = fileURLToPath(new URL("../../../dist/test/chain/store/support/damaged-reader.js", import.meta.url));
const folders = new TemporaryFolders();
/** A database whose blocks are in the log, and one whose blocks are in table files, each record once. */
let inLog: string;
let inTables: string;

beforeAll(async () => {
  inLog = folders.next();
  const store = await ChainStore.open(inLog, { chain: TEST_IDENTITY });
  for (let number = 0; number < BLOCKS; number++) {
    await store.commit(finalBlock(store.head, store.state(), changesOfBlock(number)));
  }
  await store.close();
  inTables = copyOf(inLog);
  // Opening moves the log to a table file; what is overwritten within it is dropped.
  await (await ChainStore.open(inTables)).close();
});

afterAll(() => folders.remove());

function copyOf(folder: string): string {
  const copy = folders.next();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function fileOf(folder: string, ending: RegExp): string {
  const names = readdirSync(folder).filter((name) => ending.test(name));
  const [largest] = names.sort((a, b) => statSync(join(folder, b)).size - statSync(join(folder, a)).size);
  if (largest === undefined) throw new Error(`no file ${ending} in ${readdirSync(folder)}`);
  return join(folder, largest);
}

function flipByte(path: string, position: number): void {
  const bytes = readFileSync(path);
  bytes[position] = (bytes[position] as number) ^ 0xff;
  writeFileSync(path, bytes);
}

/**
 * Reads each folder in another process. LevelDB takes lengths out of a table's index as they are, and one that is absurd
 * ends the process (`ended`): a node that starts there stops, and says nothing false.
 */
function readElsewhere(folders: readonly string[]): readonly (number | string)[] {
  const outcomes: (number | string)[] = [];
  while (outcomes.length < folders.length) {
    const args = [READER, ...folders.slice(outcomes.length)];
    const { stdout, stderr, status, signal } = spawnSync(process.execPath, args, { encoding: "utf8" });
    outcomes.push(
      ...stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
    if (status === 0) break;
    expect([signal, stderr]).toEqual([expect.stringMatching(/^SIG(ABRT|SEGV|BUS)$/), expect.any(String)]);
    outcomes.push("ended");
  }
  expect(outcomes).toHaveLength(folders.length);
  return outcomes;
}

describe("a damaged database", () => {
  it("is read in full when nothing is wrong with it", async () => {
    expect(await readAll(copyOf(inLog))).toBe(BLOCKS - 1);
    expect(await readAll(copyOf(inTables))).toBe(BLOCKS - 1);
  });

  it("without its CURRENT file is refused, not taken for a new one", async () => {
    const folder = copyOf(inTables);
    rmSync(join(folder, "CURRENT"));
    expect(await readAll(folder)).toBe("STORE_DAMAGED");
    expect(existsSync(join(folder, "CURRENT"))).toBe(false);
  });

  it.each(["", "nonsense", "MANIFEST-999999\n"])("whose CURRENT file says %j is refused", async (text) => {
    const folder = copyOf(inTables);
    writeFileSync(join(folder, "CURRENT"), text);
    expect(await readAll(folder)).toBe("STORE_DAMAGED");
  });

  it("without its manifest, or with an empty one, is refused", async () => {
    const missing = copyOf(inTables);
    rmSync(fileOf(missing, /^MANIFEST/));
    expect(await readAll(missing)).toBe("STORE_DAMAGED");
    const empty = copyOf(inTables);
    truncateSync(fileOf(empty, /^MANIFEST/), 0);
    expect(await readAll(empty)).toBe("STORE_DAMAGED");
  });

  it("without a table file is refused", async () => {
    const folder = copyOf(inTables);
    rmSync(fileOf(folder, /\.ldb$/));
    expect(await readAll(folder)).toBe("STORE_DAMAGED");
  });

  it("with its log cut anywhere holds the chain up to some block, whole", async () => {
    const size = statSync(fileOf(inLog, /\.log$/)).size;
    const heads: number[] = [];
    for (let part = 1; part <= 10; part++) {
      const folder = copyOf(inLog);
      truncateSync(fileOf(folder, /\.log$/), Math.floor((size * part) / 10) - 7);
      const head = await readAll(folder);
      expect(head).toBeTypeOf("number");
      heads.push(head as number);
    }
    expect([...heads].sort((a, b) => a - b)).toEqual(heads);
    expect(heads.at(-1)).toBe(BLOCKS - 2);
  });

  it("with a byte of its log changed is refused or holds the chain up to some block, whole", async () => {
    const random = new Prng("a byte of the log");
    const size = statSync(fileOf(inLog, /\.log$/)).size;
    const outcomes = new Set<string>();
    for (let round = 0; round < 25; round++) {
      const folder = copyOf(inLog);
      flipByte(fileOf(folder, /\.log$/), random.below(size));
      const outcome = await readAll(folder);
      if (typeof outcome === "string") expect(outcome).toBe("STORE_DAMAGED");
      outcomes.add(typeof outcome);
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  it("with a byte of a table file changed is refused, ends the process, or reads as it was", async () => {
    const random = new Prng("a byte of a table");
    const size = statSync(fileOf(inTables, /\.ldb$/)).size;
    const damaged = Array.from({ length: 25 }, () => {
      const folder = copyOf(inTables);
      flipByte(fileOf(folder, /\.ldb$/), random.below(size));
      return folder;
    });
    let refusals = 0;
    for (const outcome of readElsewhere(damaged)) {
      if (outcome !== BLOCKS - 1) refusals++;
      if (outcome !== "ended" && outcome !== BLOCKS - 1) expect(outcome).toBe("STORE_DAMAGED");
    }
    // Most of the file is versions that were overwritten since, which nobody reads.
    expect(refusals).toBeGreaterThan(0);
  });

  it("says how to repair it, and the repair keeps what is whole", async () => {
    const folder = copyOf(inTables);
    rmSync(fileOf(folder, /^MANIFEST/));
    await expect(ChainStore.open(folder)).rejects.toMatchObject({
      data: { hint: expect.stringContaining("ogpu audit --repair") },
    });
    await Database.repair(folder);
    expect(await readAll(folder)).toBe(BLOCKS - 1);
  });
});
