/** Two votes that nobody honest signs both of. */
import { bls } from "../../../base/bls.ts";
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { encodeSignedVote, NO_HASH, type VoteContent, voteMessage } from "../../../base/votes.ts";

const VIEW = 7;

function hashOf(name: string): Hex {
  return bytesToHex(keccak256(utf8(name)));
}

export function nullifiedAndFinalised(epoch: number): readonly [VoteContent, VoteContent] {
  return [
    { kind: "NULLIFY", epoch, view: VIEW, hash: NO_HASH },
    { kind: "FINALIZE", epoch, view: VIEW, hash: hashOf("a") },
  ];
}

export function notarisedTwice(epoch: number): readonly [VoteContent, VoteContent] {
  return [
    { kind: "NOTARIZE", epoch, view: VIEW, hash: hashOf("a") },
    { kind: "NOTARIZE", epoch, view: VIEW, hash: hashOf("b") },
  ];
}

export function signedVote(secret: Uint8Array, vote: VoteContent, chainId: bigint): Hex {
  return bytesToHex(encodeSignedVote({ ...vote, signature: bls.sign(secret, voteMessage(chainId, vote)) }));
}
