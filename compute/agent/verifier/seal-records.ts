/** What seals hide, as records of a journal, and the hash that is the seal. */
import { bytes32, bytesToBigint, bytesToHex, concatBytes, type Hex, hexToBytes, padLeft } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { decodeRlp, encodeRlp, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../../base/rlp.ts";
import { agentError } from "../errors.ts";
import type { SealRecord } from "./verifier-state.ts";

const KINDS = ["seat", "vote"] as const;

export function encodeRecord({ kind, round, seat, launch, tile, digest, nonce }: SealRecord): Uint8Array {
  const numbers = [KINDS.indexOf(kind), round, seat, launch, tile].map((value) => rlpOfInteger(BigInt(value)));
  return encodeRlp([...numbers, hexToBytes(digest), hexToBytes(nonce)]);
}

/** Throws JOURNAL_DAMAGED. */
export function decodeRecord(bytes: Uint8Array): SealRecord {
  try {
    const items = rlpList(decodeRlp(bytes), 7);
    const [kind = 0n, round = 0n, seat = 0n, launch = 0n, tile = 0n] = items
      .slice(0, 5)
      .map((item) => rlpInteger(item, 8));
    const [digest, nonce] = items.slice(5).map((item) => bytesToHex(rlpBytes(item, 32))) as [Hex, Hex];
    return {
      ...{ kind: KINDS[Number(kind)] ?? "seat", round, digest, nonce },
      ...{ seat: Number(seat), launch: Number(launch), tile: Number(tile) },
    };
  } catch (error) {
    if (!isCoded(error)) throw error;
    throw agentError("JOURNAL_DAMAGED", `a record of the journal cannot be read: ${error.message}`);
  }
}

/** keccak256(abi.encode(verifier, round, seat, digest, nonce)). */
export function sealOf(verifier: Hex, { round, seat, digest, nonce }: SealRecord): Hex {
  const words = [padLeft(hexToBytes(verifier), 32), bytes32(round), bytes32(BigInt(seat))];
  return bytesToHex(keccak256(concatBytes(...words, bytes32(bytesToBigint(hexToBytes(digest))), hexToBytes(nonce))));
}
