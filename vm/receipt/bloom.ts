/** The 2,048-bit log filter of Ethereum's headers and receipts (yellow paper, 4.3.1). */
import { hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { Log } from "./log.ts";

export type Bloom = Uint8Array;

const BLOOM_BYTES = 256;

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

/** Sets the three bits of `item`: the low 11 bits of the first three pairs of bytes of its hash. */
function addToBloom(bloom: Bloom, item: Uint8Array): void {
  const hash = keccak256(item);
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = (((hash[pair] as number) << 8) | (hash[pair + 1] as number)) & 0x7ff;
    const byte = BLOOM_BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] as number) | (1 << (bit & 7));
  }
}

/** False: surely no log of `item` (an address or a topic) went into the filter. */
export function bloomMayContain(bloom: Bloom, item: Uint8Array): boolean {
  const probe = new Uint8Array(BLOOM_BYTES);
  addToBloom(probe, item);
  return probe.every((byte, i) => ((bloom[i] as number) & byte) === byte);
}

export function unionOfBlooms(blooms: Iterable<Bloom>): Bloom {
  const union = new Uint8Array(BLOOM_BYTES);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let i = 0; i < BLOOM_BYTES; i++) union[i] = (union[i] as number) | (bloom[i] as number);
  }
  return union;
}
