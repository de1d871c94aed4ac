import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { decodeSignedVote, NO_HASH, offenceOf, type VoteKind } from "../../../base/votes.ts";
import type { Evidence, Vote } from "../../../chain/consensus/types.ts";
import { EvidenceBook } from "../../../chain/runtime/evidence-book.ts";
import { MAX_EVIDENCE, MAX_EVIDENCE_PER_KEY } from "../../../chain/runtime/limits.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ogpu-evidence-"));
  path = join(folder, "evidence.jsonl");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function unexpected(error: unknown): never {
  throw error;
}

function keyOf(number: number): Hex {
  return `0x${number.toString(16).padStart(96, "0")}`;
}

function vote(kind: VoteKind, view: number, hash: number): Vote {
  const signature = new Uint8Array(96).fill(hash);
  return {
    ...{ kind, epoch: 3, view, validator: 1, signature },
    hash: kind === "NULLIFY" ? NO_HASH : `0x${hash.toString(16).padStart(64, "0")}`,
  };
}

function twoNotarize(view: number): Evidence {
  return { first: vote("NOTARIZE", view, 1), second: vote("NOTARIZE", view, 2) };
}

it("what was seen is there again after a restart, with the votes to the byte", async () => {
  const before = await EvidenceBook.open(path, unexpected);
  expect(before.add(keyOf(1), twoNotarize(7))).toBe(true);
  expect(before.add(keyOf(2), { first: vote("NULLIFY", 8, 0), second: vote("FINALIZE", 8, 1) })).toBe(true);
  await before.close();
  const after = await EvidenceBook.open(path, unexpected);
  expect(after.entries).toEqual(before.entries);
  expect(after.entries.map(({ offence, publicKey, epoch, view }) => ({ offence, publicKey, epoch, view }))).toEqual([
    { offence: "double-notarize", publicKey: keyOf(1), epoch: 3, view: 7 },
    { offence: "nullify-finalize", publicKey: keyOf(2), epoch: 3, view: 8 },
  ]);
  const [first] = after.entries;
  expect(first && offenceOf(decodeSignedVote(first.first), decodeSignedVote(first.second))).toBe("double-notarize");
});

it("votes that exclude nothing, and the same view again, are not kept", async () => {
  const book = await EvidenceBook.open(path, unexpected);
  expect(book.add(keyOf(1), { first: vote("NOTARIZE", 7, 1), second: vote("NULLIFY", 7, 0) })).toBe(false);
  expect(book.add(keyOf(1), twoNotarize(7))).toBe(true);
  expect(book.add(keyOf(1), twoNotarize(7))).toBe(false);
  await book.close();
});

it("who offends in every view takes a few places, and others are still kept", async () => {
  const book = await EvidenceBook.open(path, unexpected);
  for (let view = 1; view <= 50; view++) book.add(keyOf(1), twoNotarize(view));
  expect(book.entries).toHaveLength(MAX_EVIDENCE_PER_KEY);
  expect(book.add(keyOf(2), twoNotarize(1))).toBe(true);
  await book.close();
});

it("of more than it holds the oldest go", async () => {
  const book = await EvidenceBook.open(path, unexpected);
  for (let key = 0; key <= MAX_EVIDENCE; key++) book.add(keyOf(key), twoNotarize(1));
  await book.close();
  const { entries } = await EvidenceBook.open(path, unexpected);
  expect(entries).toHaveLength(MAX_EVIDENCE);
  expect(entries[0]?.publicKey).toBe(keyOf(1));
});

it("lines that are cut off or mean nothing are left out", async () => {
  const book = await EvidenceBook.open(path, unexpected);
  book.add(keyOf(1), twoNotarize(7));
  await book.close();
  const line = await readFile(path, "utf8");
  const other = { publicKey: keyOf(2), first: bytesToHex(new Uint8Array(3)), second: 7 };
  await writeFile(path, `null\n${JSON.stringify(other)}\n\n`);
  await appendFile(path, line + line.slice(0, 100));
  expect((await EvidenceBook.open(path, unexpected)).entries).toEqual(book.entries);
});

it("a disk that refuses is told of, and what was seen is still there in memory", async () => {
  const failures: unknown[] = [];
  const book = await EvidenceBook.open(join(folder, "none", "evidence.jsonl"), (error) => failures.push(error));
  expect(book.add(keyOf(1), twoNotarize(7))).toBe(true);
  await book.close();
  expect(failures).toHaveLength(1);
  expect(book.entries).toHaveLength(1);
});
