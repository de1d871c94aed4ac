/**
 * Votes of validators: what they sign, which two of one validator exclude each other, and a signed vote as bytes.
 * Consensus makes and counts them; the chain itself judges them when they come as evidence.
 * docs/spec/proof-of-sync.md has the rules.
 */
import { BLS_SIGNATURE_LENGTH } from "./bls-types.ts";
import { bytesToHex, type Hex, hexToBytes } from "./bytes.ts";
import { taggedMessage } from "./domain.ts";
import type { BaseErrorCode } from "./error-codes.ts";
import { CodedError } from "./errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "./rlp.ts";

/** PROPOSE is signed like a vote, but never forms a certificate. */
export type VoteKind = "PROPOSE" | "NOTARIZE" | "NULLIFY" | "FINALIZE";

/** The hash that a NULLIFY carries: it is about the view alone. */
export const NO_HASH: Hex = "0x";

/** What is signed. */
export interface VoteContent {
  readonly kind: VoteKind;
  readonly epoch: number;
  readonly view: number;
  readonly hash: Hex;
}

export interface SignedVote extends VoteContent {
  readonly signature: Uint8Array;
}

/** Having signed two votes of one view that the rules exclude. */
export type Offence = "double-propose" | "double-notarize" | "double-finalize" | "nullify-finalize" | "finalize-other";

const HASH_LENGTH = 32;

/** Of epochs and views: far above any that is reached, and exact as a number. */
const MAX_COUNT_BYTES = 6;

/** Numbers in encodings; never reuse one. */
const KIND_NUMBERS: Readonly<Record<VoteKind, bigint>> = { PROPOSE: 1n, NOTARIZE: 2n, NULLIFY: 3n, FINALIZE: 4n };

const KINDS: ReadonlyMap<bigint, VoteKind> = new Map(
  (Object.keys(KIND_NUMBERS) as VoteKind[]).map((kind) => [KIND_NUMBERS[kind], kind]),
);

const SAME_KIND: Readonly<Record<VoteKind, Offence | undefined>> = {
  PROPOSE: "double-propose",
  NOTARIZE: "double-notarize",
  NULLIFY: undefined,
  FINALIZE: "double-finalize",
};

/** The bytes that a vote is the signature of. */
export function voteMessage(chainId: bigint, { kind, epoch, view, hash }: VoteContent): Uint8Array {
  return taggedMessage(kind, chainId, rlpOfInteger(BigInt(epoch)), rlpOfInteger(BigInt(view)), hexToBytes(hash));
}

/** The bytes that a leader's reveal is the signature of. */
export function revealMessage(chainId: bigint, epoch: number, view: number): Uint8Array {
  return taggedMessage("BEACON", chainId, rlpOfInteger(BigInt(epoch)), rlpOfInteger(BigInt(view)));
}

/** The offence of having signed both, or `undefined`. The order does not matter. NOTARIZE with NULLIFY is none. */
export function offenceOf(a: VoteContent, b: VoteContent): Offence | undefined {
  if (a.epoch !== b.epoch || a.view !== b.view) return undefined;
  if (a.kind === b.kind) return a.hash === b.hash ? undefined : SAME_KIND[a.kind];
  const other = a.kind === "FINALIZE" ? b : b.kind === "FINALIZE" ? a : undefined;
  if (other?.kind === "NULLIFY") return "nullify-finalize";
  return other?.kind === "NOTARIZE" && a.hash !== b.hash ? "finalize-other" : undefined;
}

/** The items that an encoding of a vote or certificate begins with: kind, epoch, view, hash. */
export function rlpOfVoteContent({ kind, epoch, view, hash }: VoteContent): readonly RlpItem[] {
  return [rlpOfInteger(KIND_NUMBERS[kind]), rlpOfInteger(BigInt(epoch)), rlpOfInteger(BigInt(view)), hexToBytes(hash)];
}

/** The content that the list begins with. Throws RLP_INVALID or VOTE_MALFORMED. */
export function voteContentOfRlp(fields: readonly RlpItem[]): VoteContent {
  const [kindField, epochField, viewField, hashField] = fields as readonly [RlpItem, RlpItem, RlpItem, RlpItem];
  const number = rlpInteger(kindField, 1);
  const epoch = Number(rlpInteger(epochField, MAX_COUNT_BYTES));
  const view = Number(rlpInteger(viewField, MAX_COUNT_BYTES));
  const hash = rlpBytes(hashField);
  const kind = KINDS.get(number);
  if (kind === undefined || hash.length !== (kind === "NULLIFY" ? 0 : HASH_LENGTH)) {
    throw new CodedError<BaseErrorCode>("VOTE_MALFORMED", "a vote has a known kind, and a hash unless it nullifies", {
      kind: number,
      hashLength: hash.length,
    });
  }
  return { kind, epoch, view, hash: bytesToHex(hash) };
}

/** RLP of [kind, epoch, view, hash, signature]. Who signed is not part of it. */
export function encodeSignedVote(vote: SignedVote): Uint8Array {
  return encodeRlp([...rlpOfVoteContent(vote), vote.signature]);
}

/** Checks the form only, not the signature. Throws RLP_INVALID or VOTE_MALFORMED. */
export function decodeSignedVote(bytes: Uint8Array): SignedVote {
  const fields = rlpList(decodeRlp(bytes, FIELDS_OF_SIGNED_VOTE + 1), FIELDS_OF_SIGNED_VOTE);
  const signature = rlpBytes(fields[FIELDS_OF_SIGNED_VOTE - 1] as RlpItem, BLS_SIGNATURE_LENGTH).slice();
  return { ...voteContentOfRlp(fields), signature };
}

const FIELDS_OF_SIGNED_VOTE = 5;
