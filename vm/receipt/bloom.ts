/** The 2,048-bit log filter of Ethereum's headers and receipts (yellow paper, 4.3.1). */
import { hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { Log } from "./log.ts";

export type Bloom = Uint8Array;

export const BLOOM_BYTES = 256;

/** Most receipts have no logs: they share one filter. Never written to. */
const EMPTY_BLOOM: Bloom = new Uint8Array(BLOOM_BYTES);

export function bloomOfLogs(logs: readonly Log[]): Bloom {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const log of logs) {
    addToBloom(bloom, hexToBytes(log.address));
    for (const topic of log.topics) addToBloom(bloom, hexToBytes(topic));
  }
  return bloom;
}

/** The bits of an item: the low 11 bits of the first three pairs of bytes of its hash. */
const BITS = 3;

function addToBloom(bloom: Bloom, item: Uint8Array): void {
  for (const bit of bloomBits([item])) {
    const byte = BLOOM_BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] as number) | (1 << (bit & 7));
  }
}

/** The bits of addresses or topics, three of each: hashing is what takes time, so it is done once for many filters. */
export function bloomBits(items: readonly Uint8Array[]): Uint16Array {
  const bits = new Uint16Array(BITS * items.length);
  for (const [index, item] of items.entries()) {
    const hash = keccak256(item);
    for (let pair = 0; pair < BITS; pair++) {
      bits[BITS * index + pair] = (((hash[2 * pair] as number) << 8) | (hash[2 * pair + 1] as number)) & 0x7ff;
    }
  }
  return bits;
}

/** False: surely no log of any of the items went into the filter, which begins at `start`. */
export function bloomMayContainAny(bloom: Bloom, bits: Uint16Array, start = 0): boolean {
  const last = start + BLOOM_BYTES - 1;
  const has = (bit: number): boolean => ((bloom[last - (bit >> 3)] as number) & (1 << (bit & 7))) !== 0;
  for (let i = 0; i < bits.length; i += BITS) {
    if (has(bits[i] as number) && has(bits[i + 1] as number) && has(bits[i + 2] as number)) return true;
  }
  return false;
}

export function unionOfBlooms(blooms: Iterable<Bloom>): Bloom {
  const union = new Uint8Array(BLOOM_BYTES);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let i = 0; i < BLOOM_BYTES; i++) union[i] = (union[i] as number) | (bloom[i] as number);
  }
  return union;
}
