/** Inputs that find mistakes: edges of every format, and random bits. */
import type { Prng } from "../../../../base/prng.ts";

const EDGES_32: readonly number[] = [
  ...[0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff],
  ...[0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fffffff, 0x7fc00000, 0xffc00000, 0x7f800001, 0x4f000000],
  ...[0xcf000000, 0x4effffff, 0x5f000000, 0xdf000000, 0x5effffff, 0x3f000000, 0x3effffff, 0x40200000, 0xffffffff],
];

const EDGES_64: readonly bigint[] = [
  ...[0n, 1n << 63n, 1n, 0x000fffffffffffffn, 0x0010000000000000n, 0x3ff0000000000000n, 0xbff0000000000000n],
  ...[0x7fefffffffffffffn, 0x7ff0000000000000n, 0xfff0000000000000n, 0x7fffffffffffffffn, 0x7ff8000000000000n],
  ...[0x3ca0000000000000n, 0x4330000000000000n, 0x41dfffffffc00000n, 0x43e0000000000000n, 0xffffffffffffffffn],
];

/** Half edges, a quarter near one another in size, so that sums cancel, the rest random bits. */
export function words32(prng: Prng, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, () => {
    const kind = prng.below(8);
    if (kind < 3) return EDGES_32[prng.below(EDGES_32.length)] as number;
    if (kind < 5) return ((prng.below(2) << 31) | 0x3f000000 | prng.below(1 << 24)) >>> 0;
    return prng.uint32();
  });
}

export function words64(prng: Prng, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, () => {
    const kind = prng.below(8);
    if (kind < 3) return EDGES_64[prng.below(EDGES_64.length)] as bigint;
    const random = (BigInt(prng.uint32()) << 32n) | BigInt(prng.uint32());
    if (kind < 5) return (random & 0x800fffffffffffffn) | (BigInt(1000 + prng.below(46)) << 52n);
    return random;
  });
}

export function bytesOf(words: Uint32Array | BigUint64Array | Float32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength).slice();
}
