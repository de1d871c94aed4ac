/** The words of Proof-of-Sync: votes, certificates, blocks as consensus sees them, and what nodes say to each other. */
import type { Hex } from "../../base/bytes.ts";
import type { SignedVote, VoteContent, VoteKind } from "../../base/votes.ts";
import type { ValidatorStake } from "./validator-set.ts";

export type CertificateKind = Exclude<VoteKind, "PROPOSE">;

export interface Vote extends SignedVote {
  /** Position in the epoch's validator set. */
  readonly validator: number;
}

/** A vote, or several of the same content with the sum of their signatures. */
export interface VoteSum extends SignedVote {
  readonly validator: number | readonly number[];
}

export interface Certificate {
  readonly kind: CertificateKind;
  readonly epoch: number;
  readonly view: number;
  readonly hash: Hex;
  readonly signers: Uint8Array;
  readonly signature: Uint8Array;
}

/** A block as far as consensus looks into it. The hash commits to everything else; `body` is the application's. */
export interface Block {
  readonly hash: Hex;
  readonly parent: Hex;
  readonly height: number;
  readonly epoch: number;
  /** The view in which it was first proposed; only a seal may be proposed again later. */
  readonly view: number;
  /** Position of whoever made it in the epoch's validator set. */
  readonly proposer: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Without transactions: the only kind that is valid far above the final block. */
  readonly empty: boolean;
  /** The proposer's signature over (chain, epoch, view). */
  readonly reveal: Uint8Array;
  /** The beacon after this block. */
  readonly beacon: Hex;
  /** A quorum's votes for the parent, so that participation is on chain. None when the parent is the epoch's root. */
  readonly parentCertificate: Certificate | undefined;
  /** The validators of the next epoch; present in a seal only. */
  readonly next?: readonly ValidatorStake[];
  readonly body: Uint8Array;
}

export interface Proposal {
  readonly vote: Vote;
  readonly block: Block;
  /** Where the leader found the parent notarized. Only a hint about what to fetch: acceptance never relies on it. */
  readonly parentView: number;
}

/** Final blocks in order, and the certificate of the last one. */
export interface FinalSegment {
  readonly blocks: readonly Block[];
  readonly certificate: Certificate;
}

export type Request =
  | { readonly type: "fetch-block"; readonly hash: Hex }
  | { readonly type: "fetch-certificates"; readonly epoch: number; readonly from: number; readonly to: number }
  /** Final blocks above that height. */
  | { readonly type: "fetch-finals"; readonly height: number };

/** `vote` is the sender's own, or a PROPOSE by the leader of its view, which others may have seen to propose more. */
export type Message =
  | { readonly type: "proposal"; readonly proposal: Proposal }
  | { readonly type: "vote"; readonly vote: Vote }
  | { readonly type: "certificate"; readonly certificate: Certificate }
  | { readonly type: "block"; readonly block: Block }
  | { readonly type: "finals"; readonly segments: readonly FinalSegment[] }
  | Request;

/** What goes to the log. Blocks and certificates are recorded once, votes before they are signed. */
export type LogRecord =
  | { readonly type: "vote"; readonly vote: VoteContent }
  | { readonly type: "block"; readonly block: Block }
  | { readonly type: "certificate"; readonly certificate: Certificate };

/** Two signatures of one validator that the rules exclude; evidence.ts says which. */
export interface Evidence {
  readonly first: Vote;
  readonly second: Vote;
}

/** A node that sent something or is to be asked: the network's name for it, or a validator's. */
export type PeerId = string;
