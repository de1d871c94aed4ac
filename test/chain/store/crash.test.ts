import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { auditStore } from "../../../chain/store/audit.ts";
import { BUCKETS, readNumber } from "../../../chain/store/buckets.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { TemporaryFolders } from "./support/temporary-folder.ts";

const WRITER = fileURLToPath(new URL("../../../dist/test/chain/store/support/crash-writer.js", import.meta.url));
const KILLS = 6;

const folders = new TemporaryFolders();
afterEach(() => folders.remove());

/** Runs the writer and kills it some time after its first block. Returns the last block it said was durable. */
async function writeUntilKilled(folder: string, mode: string): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder, mode], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), ended]);
  await sleep(Math.random() * 200);
  child.kill("SIGKILL");
  await ended;
  expect(errors).toBe("");
  // A line that was cut off by the kill says nothing.
  const lines = output
    .slice(0, output.lastIndexOf("\n") + 1)
    .trim()
    .split("\n");
  return Number(lines.at(-1));
}

/** Every block up to the head is whole, and nothing of a later one is there. */
async function expectWholeChain(store: ChainStore): Promise<void> {
  const head = store.head?.number ?? -1;
  for (let number = 0; number <= head; number++) {
    const header = store.header(number);
    const body = store.body(number);
    if (header === undefined || body === undefined) throw new Error(`block ${number} is not whole`);
    expect(store.receipts(number)?.length).toBe(body.transactions.length);
    if (number > 0)
      expect(equalBytes(header.header.parentHash, store.blockHash(BigInt(number - 1)) as Uint8Array)).toBe(true);
    const last = body.transactions.at(-1);
    if (last !== undefined)
      expect(store.locate(keccak256(last))).toEqual({ number, index: body.transactions.length - 1 });
  }
  for (const bucket of [BUCKETS.headers, BUCKETS.bodies, BUCKETS.receipts]) {
    for await (const group of store.database.entries(bucket)) {
      for (const { key } of group) expect(readNumber(key, 0)).toBeLessThanOrEqual(head);
    }
  }
}

/** The writer sends ten transactions per block from its eight keys in turn, so a nonce tells the height. */
function expectHistory(store: ChainStore): void {
  const head = store.head?.number ?? -1;
  const address = bytesToHex(privateKeyToAddress(keccak256(new Uint8Array([1]))));
  for (let number = 0; number <= head; number++) {
    expect(store.stateAt(number).account(address)?.nonce).toBe(10n * BigInt(Math.floor((number + 7) / 8)));
  }
}

describe.each(["plain", "archive"])("a %s node killed at any moment", (mode) => {
  it("has every block it acknowledged, whole, and a state that adds up", async () => {
    const folder = folders.next();
    let before = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await writeUntilKilled(folder, mode);
      const store = await ChainStore.open(folder);
      const head = store.head?.number ?? -1;
      expect(head).toBeGreaterThanOrEqual(acknowledged);
      expect(head).toBeGreaterThanOrEqual(before);
      before = head;
      const report = await auditStore(store);
      expect(report.problems).toEqual([]);
      if (kill === KILLS - 1) await expectWholeChain(store);
      if (mode === "archive") expectHistory(store);
      await store.close();
    }
    expect(before).toBeGreaterThan(KILLS);
  });
});
