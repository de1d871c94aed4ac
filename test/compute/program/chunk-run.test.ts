import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { type ChunkRun, proofsOf, proveRun, verifyRun } from "../../../compute/program/chunk-run.ts";
import { CHUNK_BYTES, contentAddress, verifyChunk } from "../../../compute/program/merkle.ts";
import { StreamingAddress } from "../../../compute/program/streaming-address.ts";

const prng = new Prng("chunk runs");
const LENGTHS = [0, 1, 1_023, 1_024, 1_025, 3 * 1_024, 5 * 1_024 + 7, 8 * 1_024, 37 * 1_024 + 5];

function runsOf(contents: Uint8Array): readonly ChunkRun[] {
  const chunks = Math.max(1, Math.ceil(contents.length / CHUNK_BYTES));
  const runs: ChunkRun[] = [];
  for (let first = 0; first < chunks; first++)
    for (let end = first + 1; end <= chunks; end += first % 3 === 0 ? 1 : 5) runs.push(proveRun(contents, first, end));
  return runs;
}

describe("a run of chunks", () => {
  it("is proven wherever it lies, and each of its chunks alone by the proof that the chain takes", () => {
    for (const length of LENGTHS) {
      const contents = prng.bytes(length);
      const address = contentAddress(contents);
      for (const run of runsOf(contents)) {
        expect(verifyRun(address, length, run)).toBe(true);
        proofsOf(length, run).forEach((proof, i) => {
          const chunk = run.bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
          expect(verifyChunk(address, chunk, proof)).toBe(true);
        });
      }
    }
  });

  it("is refused with another byte, place, length, or with hashes missing, added or cut", () => {
    const contents = prng.bytes(37 * 1_024 + 5);
    const address = contentAddress(contents);
    for (const run of runsOf(contents)) {
      const bytes = run.bytes.slice();
      const at = prng.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const wrong: ChunkRun[] = [
        { ...run, bytes },
        { ...run, first: run.first + 1 },
        { ...run, bytes: run.bytes.subarray(1) },
        { ...run, siblings: [...run.siblings, new Uint8Array(32)] },
        ...run.siblings.map((_, i) => ({ ...run, siblings: run.siblings.toSpliced(i, 1) })),
        { ...run, siblings: run.siblings.map((hash) => hash.subarray(1)) },
      ].filter(({ siblings }, i) => i !== 5 || siblings.length > 0);
      for (const other of wrong) {
        if (
          other.siblings.length === 0 &&
          run.siblings.length === 0 &&
          other.bytes === run.bytes &&
          other.first === run.first
        )
          continue;
        expect(verifyRun(address, contents.length, other)).toBe(false);
      }
      expect(verifyRun(address, contents.length + 1, run)).toBe(false);
    }
  });
});

describe("the address of bytes that come in pieces", () => {
  it("is the content address, however they are cut", () => {
    const batch = 256 * 1_024;
    for (const length of [
      ...LENGTHS,
      batch - 1,
      batch,
      batch + 1,
      2 * batch,
      3 * batch + 1_025,
      4 * batch,
      5 * batch + 9,
    ]) {
      const contents = prng.bytes(length);
      const whole = contentAddress(contents);
      for (const most of [1_000_000, 77_777]) {
        const streaming = new StreamingAddress();
        for (let at = 0; at < length; ) {
          const taken = 1 + prng.below(most);
          streaming.update(contents.subarray(at, at + taken));
          at += taken;
        }
        expect(streaming.length).toBe(length);
        expect(streaming.address()).toEqual(whole);
      }
    }
  });
});
