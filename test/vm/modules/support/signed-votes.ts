/** Votes of the genesis validators, signed with their keys, as evidence has them. */
import { bls } from "../../../../base/bls.ts";
import { bytesToHex, type Hex, utf8 } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { encodeSignedVote, NO_HASH, type VoteContent, type VoteKind, voteMessage } from "../../../../base/votes.ts";
import { developmentValidatorKey } from "../../../../genesis/development-validators.ts";

export function blsKey(index: number): Uint8Array {
  return developmentValidatorKey(index, bls);
}

export function publicKeyOf(privateKey: Uint8Array): Hex {
  return bytesToHex(bls.publicKeyOf(privateKey).bytes);
}

/** The hash of some block. */
export function blockHash(name: string): Hex {
  return bytesToHex(keccak256(utf8(name)));
}

/** `block` names the block; a NULLIFY has none. */
export function content(kind: VoteKind, block: string, epoch = 0, view = 5): VoteContent {
  return { kind, epoch, view, hash: kind === "NULLIFY" ? NO_HASH : blockHash(block) };
}

export function signVote(privateKey: Uint8Array, vote: VoteContent, chainId: bigint): Hex {
  return withSignature(vote, bls.sign(privateKey, voteMessage(chainId, vote)));
}

export function withSignature(vote: VoteContent, signature: Uint8Array): Hex {
  return bytesToHex(encodeSignedVote({ ...vote, signature }));
}
