/** The randomness of the chain: a RANDAO of the leaders' reveals. */
import { bytesToHex, concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";

export function nextBeacon(parent: Hex, reveal: Uint8Array): Hex {
  return bytesToHex(sha256(concatBytes(hexToBytes(parent), sha256(reveal))));
}

/** The seed of an epoch's leaders, from the beacon of its root. */
export function epochSeed(rootBeacon: Hex, epoch: number): Hex {
  return bytesToHex(sha256(encodeRlp([hexToBytes(rootBeacon), rlpOfInteger(BigInt(epoch))])));
}
