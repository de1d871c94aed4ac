import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, concatBytes } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { sha256 } from "../../../base/sha256.ts";
import {
  commitBuffer,
  launchLeaf,
  openTile,
  saltOf,
  segmentRoot,
  verifyTile,
} from "../../../compute/program/commitment.ts";
import {
  CHUNK_BYTES,
  contentAddress,
  contentAddresses,
  leavesRoot,
  proveChunk,
  proveLeaf,
  verifyChunk,
  verifyLeaf,
} from "../../../compute/program/merkle.ts";

/** The definition again, without levels and caches: a tree over zero-padded words, then the length. */
function naiveAddress(bytes: Uint8Array): Uint8Array {
  const chunks = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  let words = 1;
  while (words < chunks * 32) words *= 2;
  const padded = new Uint8Array(words * 32);
  padded.set(bytes);
  const root = (start: number, count: number): Uint8Array =>
    count === 1
      ? padded.slice(start * 32, start * 32 + 32)
      : sha256(concatBytes(root(start, count / 2), root(start + count / 2, count / 2)));
  const length = new Uint8Array(32);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  return sha256(concatBytes(root(0, words), length));
}

const LENGTHS = [0, 1, 31, 32, 1023, 1024, 1025, 3000, 5000];

describe("content addresses", () => {
  it.each(LENGTHS)("follow the definition for %i bytes", (length) => {
    const bytes = new Prng(`address ${length}`).bytes(length);
    expect(bytesToHex(contentAddress(bytes))).toBe(bytesToHex(naiveAddress(bytes)));
  });

  it("of many contents together are those of each alone", () => {
    const prng = new Prng("together");
    for (const [count, length] of [[1, 0] as const, [700, 40] as const, [9, 1024] as const, [70, 5000] as const]) {
      const contents = Array.from({ length: count }, () => prng.bytes(length));
      const together = contentAddresses(count, length, (index) => contents[index] as Uint8Array);
      contents.forEach((bytes, i) => {
        expect(bytesToHex(together.subarray(32 * i, 32 * i + 32))).toBe(bytesToHex(contentAddress(bytes)));
      });
    }
  });

  it("change with every byte and with the length", () => {
    const bytes = new Prng("mutation").bytes(2100);
    const seen = new Set([bytesToHex(contentAddress(bytes))]);
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at] = (changed[at] as number) ^ 1;
      seen.add(bytesToHex(contentAddress(changed)));
    }
    for (const length of [0, 1, 2]) seen.add(bytesToHex(contentAddress(new Uint8Array(length))));
    expect(seen.size).toBe(bytes.length + 4);
  });

  it.each(LENGTHS)("prove each chunk of %i bytes, and nothing else", (length) => {
    const bytes = new Prng(`chunks ${length}`).bytes(length);
    const address = contentAddress(bytes);
    for (let index = 0; index < Math.max(1, Math.ceil(length / CHUNK_BYTES)); index++) {
      const chunk = bytes.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
      const proof = proveChunk(bytes, index);
      expect(verifyChunk(address, chunk, proof)).toBe(true);
      expect(verifyChunk(address, chunk, { ...proof, index: index + 1 })).toBe(false);
      expect(verifyChunk(address, chunk, { ...proof, count: length + 1 })).toBe(false);
      expect(verifyChunk(address, chunk, { ...proof, siblings: [...proof.siblings, address] })).toBe(false);
      expect(verifyChunk(address, concatBytes(chunk, new Uint8Array(1)), proof)).toBe(false);
      for (let at = 0; at < chunk.length; at += 97) {
        const changed = chunk.slice();
        changed[at] = (changed[at] as number) ^ 4;
        expect(verifyChunk(address, changed, proof)).toBe(false);
      }
    }
  });

  it("of leaves prove each leaf, whatever their number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), (count, pick) => {
        const leaves = Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(i)));
        const index = pick % count;
        const root = leavesRoot(leaves);
        const proof = proveLeaf(leaves, index);
        expect(verifyLeaf(root, leaves[index] as Uint8Array, proof)).toBe(true);
        expect(verifyLeaf(root, sha256(Uint8Array.of(200)), proof)).toBe(false);
        expect(verifyLeaf(root, leaves[index] as Uint8Array, { ...proof, count: count + 1 })).toBe(false);
      }),
    );
  });
});

describe("the commitment to a buffer", () => {
  const contents = new Prng("buffer").bytes(3000);
  const seed = new Uint8Array(32).fill(9);
  const tile = { kind: "run", bytes: 700 } as const;
  const version = commitBuffer(contents, tile, [5, 1, 1], 4, 2, seed);

  it("opens each tile, and no tile as another", () => {
    for (let index = 0; index < 5; index++) {
      const opening = openTile(version, index, seed);
      expect(opening.address).toEqual(contentAddress(contents.slice(index * 700, (index + 1) * 700)));
      expect(verifyTile(version.root, index, opening)).toBe(true);
      expect(verifyTile(version.root, (index + 1) % 5, opening)).toBe(false);
    }
  });

  it("does not open with any bit of the opening changed", () => {
    const opening = openTile(version, 3, seed);
    for (const field of ["address", "salt"] as const) {
      for (let bit = 0; bit < 256; bit++) {
        const changed = opening[field].slice();
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(verifyTile(version.root, 3, { ...opening, [field]: changed })).toBe(false);
      }
    }
    opening.proof.siblings.forEach((sibling, i) => {
      for (let at = 0; at < 32; at++) {
        const siblings = opening.proof.siblings.map((other) => other.slice());
        (siblings[i] as Uint8Array)[at] = (sibling[at] as number) ^ 1;
        expect(verifyTile(version.root, 3, { ...opening, proof: { ...opening.proof, siblings } })).toBe(false);
      }
    });
  });

  it("changes with every byte of the contents", () => {
    const roots = new Set<string>();
    for (let at = 0; at < contents.length; at += 13) {
      const changed = contents.slice();
      changed[at] = (changed[at] as number) ^ 0x10;
      roots.add(bytesToHex(commitBuffer(changed, tile, [5, 1, 1], 4, 2, seed).root));
    }
    expect(roots.size).toBe(Math.ceil(contents.length / 13));
    expect(roots.has(bytesToHex(version.root))).toBe(false);
  });

  it("hides equal tiles: salts differ by launch, buffer, tile and seed", () => {
    const places = [0, 1, 2].flatMap((launch) =>
      [0, 1].flatMap((buffer) => [0, 1, 300].map((at) => ({ launch, buffer, tile: at }))),
    );
    const seeds = [seed, new Uint8Array(32)];
    const salts = new Set(places.flatMap((place) => seeds.map((from) => bytesToHex(saltOf(from, place)))));
    expect(salts.size).toBe(2 * places.length);
    const zeros = commitBuffer(new Uint8Array(2100), tile, [3, 1, 1], 0, 0, seed);
    expect(new Set(zeros.addresses.map(bytesToHex)).size).toBe(1);
    expect(new Set(zeros.leaves.map(bytesToHex)).size).toBe(3);
  });

  it("goes into launches and segments, where order and outcome count", () => {
    const done = launchLeaf(7, { kind: "done", versions: [{ buffer: 2, root: version.root }] });
    const others = [
      launchLeaf(8, { kind: "done", versions: [{ buffer: 2, root: version.root }] }),
      launchLeaf(7, { kind: "done", versions: [{ buffer: 3, root: version.root }] }),
      launchLeaf(7, { kind: "done", versions: [] }),
      launchLeaf(7, { kind: "trap", tile: 0 }),
      launchLeaf(7, { kind: "trap", tile: 1 }),
    ];
    expect(new Set([done, ...others].map(bytesToHex)).size).toBe(6);
    const [first] = others as [Uint8Array];
    expect(segmentRoot([done, first])).not.toEqual(segmentRoot([first, done]));
  });
});
