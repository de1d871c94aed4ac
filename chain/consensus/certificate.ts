/** Certificates: a quorum of votes as one aggregate signature with the bitmap of its signers. */
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { Crypto } from "./crypto.ts";
import { voteMessage } from "./messages.ts";
import { isQuorum } from "./quorum.ts";
import { type Certificate, type CertificateKind, NO_HASH, type Vote, type VoteContent } from "./types.ts";
import { idAt, type ValidatorSet, weightOf } from "./validator-set.ts";

/** Numbers in the encoding; never reuse one. 1 is PROPOSE, which has no certificate. */
const KIND_NUMBERS: ReadonlyMap<CertificateKind, bigint> = new Map([
  ["NOTARIZE", 2n],
  ["NULLIFY", 3n],
  ["FINALIZE", 4n],
]);

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

/** The certificate of votes that were checked; all say the same. `undefined` without any. */
export function certify(votes: readonly Vote[], set: ValidatorSet, crypto: Crypto): Certificate | undefined {
  const [first] = votes;
  if (first === undefined || first.kind === "PROPOSE") return undefined;
  const signature = crypto.aggregate(votes.map((vote) => vote.signature));
  if (signature === undefined) return undefined;
  const signers = bitmapOf(
    votes.map(({ validator }) => validator),
    set.ids.length,
  );
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
  return encodeRlp([
    rlpOfInteger(KIND_NUMBERS.get(certificate.kind) ?? 0n),
    rlpOfInteger(BigInt(certificate.epoch)),
    rlpOfInteger(BigInt(certificate.view)),
    hexToBytes(certificate.hash),
    certificate.signers,
    certificate.signature,
  ]);
}

/** Throws RLP_INVALID or CERTIFICATE_MALFORMED. Checks the form only, not the signature. */
export function decodeCertificate(bytes: Uint8Array): Certificate {
  const fields = rlpList(decodeRlp(bytes), 6);
  const number = rlpInteger(fields[0] as RlpItem, 1);
  const kind = [...KIND_NUMBERS].find(([, value]) => value === number)?.[0];
  const hash = rlpBytes(fields[3] as RlpItem);
  if (kind === undefined || hash.length !== (kind === "NULLIFY" ? 0 : 32)) {
    throw new CodedError("CERTIFICATE_MALFORMED", "a certificate has a known kind, and a hash unless it nullifies", {
      kind: number,
      hashLength: hash.length,
    });
  }
  return {
    kind,
    epoch: Number(rlpInteger(fields[1] as RlpItem, 6)),
    view: Number(rlpInteger(fields[2] as RlpItem, 6)),
    hash: bytesToHex(hash),
    signers: rlpBytes(fields[4] as RlpItem).slice(),
    signature: rlpBytes(fields[5] as RlpItem).slice(),
  };
}
