/** Certificates: a quorum of votes as one aggregate signature with the bitmap of its signers. */

import { assert, CodedError } from "../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpList } from "../../base/rlp.ts";
import { NO_HASH, rlpOfVoteContent, type VoteContent, voteContentOfRlp, voteMessage } from "../../base/votes.ts";
import type { Crypto } from "./crypto.ts";
import { isQuorum } from "./quorum.ts";
import type { Certificate, VoteSum } from "./types.ts";
import { idAt, type ValidatorSet, weightOf } from "./validator-set.ts";

export function bitmapOf(indices: Iterable<number>, size: number): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(size / 8));
  for (const index of indices) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (1 << (index & 7));
  return bitmap;
}

/** The positions that are set, or `undefined` when the bitmap does not fit a set of that size. */
export function indicesOf(bitmap: Uint8Array, size: number): number[] | undefined {
  if (bitmap.length !== Math.ceil(size / 8)) return undefined;
  const indices: number[] = [];
  for (let index = 0; index < bitmap.length * 8; index++) {
    if ((((bitmap[index >> 3] ?? 0) >> (index & 7)) & 1) === 0) continue;
    if (index >= size) return undefined;
    indices.push(index);
  }
  return indices;
}

export function certificateContent({ kind, epoch, view, hash }: Certificate): VoteContent {
  return { kind, epoch, view, hash };
}

/** The certificate of votes that were checked; all say the same, and nobody's is among them twice. None without any. */
export function certify(votes: readonly VoteSum[], set: ValidatorSet, crypto: Crypto): Certificate | undefined {
  const [first] = votes;
  if (first === undefined || first.kind === "PROPOSE") return undefined;
  const signature = crypto.aggregate(votes.map((vote) => vote.signature));
  if (signature === undefined) return undefined;
  const validators = votes.flatMap(({ validator }) => validator);
  assert(new Set(validators).size === validators.length, "a certificate counts nobody twice");
  const signers = bitmapOf(validators, set.ids.length);
  return { kind: first.kind, epoch: first.epoch, view: first.view, hash: first.hash, signers, signature };
}

/** True when a quorum of the set signed. The caller has made sure that the set is that of the certificate's epoch. */
export function verifyCertificate(
  certificate: Certificate,
  set: ValidatorSet,
  chainId: bigint,
  crypto: Crypto,
): boolean {
  const signers = indicesOf(certificate.signers, set.ids.length);
  if (signers === undefined) return false;
  if ((certificate.kind === "NULLIFY") !== (certificate.hash === NO_HASH)) return false;
  if (!isQuorum(weightOf(set, signers), set.total)) return false;
  const ids = signers.map((index) => idAt(set, index));
  return crypto.verifyAggregate(ids, voteMessage(chainId, certificateContent(certificate)), certificate.signature);
}

export function encodeCertificate(certificate: Certificate): Uint8Array {
  return encodeRlp([...rlpOfVoteContent(certificate), certificate.signers, certificate.signature]);
}

/** Throws RLP_INVALID or VOTE_MALFORMED. Checks the form only, not the signature. */
export function decodeCertificate(bytes: Uint8Array): Certificate {
  const fields = rlpList(decodeRlp(bytes), 6);
  const { kind, ...content } = voteContentOfRlp(fields);
  if (kind === "PROPOSE") throw new CodedError("VOTE_MALFORMED", "PROPOSE forms no certificate", { kind });
  const signers = rlpBytes(fields[4] as RlpItem).slice();
  const signature = rlpBytes(fields[5] as RlpItem).slice();
  return { kind, ...content, signers, signature };
}
