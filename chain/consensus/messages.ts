/** The bytes that validators sign. */
import { hexToBytes } from "../../base/bytes.ts";
import { taggedMessage } from "../../base/domain.ts";
import { rlpOfInteger } from "../../base/rlp.ts";
import type { VoteContent } from "./types.ts";

export function voteMessage(chainId: bigint, vote: VoteContent): Uint8Array {
  const { kind, epoch, view, hash } = vote;
  return taggedMessage(kind, chainId, rlpOfInteger(BigInt(epoch)), rlpOfInteger(BigInt(view)), hexToBytes(hash));
}

export function revealMessage(chainId: bigint, epoch: number, view: number): Uint8Array {
  return taggedMessage("BEACON", chainId, rlpOfInteger(BigInt(epoch)), rlpOfInteger(BigInt(view)));
}
