/** The forms of votes, certificates and blocks between nodes and in the consensus log. */

import { BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import type { VoteContent, VoteKind } from "../../base/votes.ts";
import { MAX_BLOCK_BYTES, MAX_CERTIFICATE_BYTES, MAX_VALIDATORS } from "../blocks/limits.ts";
import { decodeCertificate, encodeCertificate } from "../consensus/certificate.ts";
import type { Block, Certificate, FinalSegment, Proposal, Vote } from "../consensus/types.ts";
import { wireInvalid } from "./errors.ts";
import { MAX_COUNT, MAX_SEGMENT_BLOCKS } from "./limits.ts";
import { bytes, integer, list, mapped, record, type Schema, word } from "./schema.ts";

/** Reads an encoded block: `announcedBlockOf` from peers, `consensusBlockOf` from the own disk. Throws CodedErrors. */
export type BlockReader = (encoded: Uint8Array) => Block;

export const count: Schema<number> = integer(MAX_COUNT);

/** The same numbers as in certificates; never reuse one. */
const kind: Schema<VoteKind> = word<VoteKind>({ PROPOSE: 1, NOTARIZE: 2, NULLIFY: 3, FINALIZE: 4 });

const hashOrNothing: Schema<Hex> = mapped(bytes(32), hexToBytes, (value) => {
  if (value.length !== 0 && value.length !== 32) throw wireInvalid("a hash has 32 bytes", { length: value.length });
  return bytesToHex(value);
});

function withHashUnlessNullify<T extends VoteContent>(schema: Schema<T>): Schema<T> {
  return mapped<T, T>(
    schema,
    (vote) => vote,
    (vote) => {
      if ((vote.kind === "NULLIFY") === (vote.hash === "0x")) return vote;
      throw wireInvalid("a vote has a hash unless it nullifies", { kind: vote.kind });
    },
  );
}

const content = { kind, epoch: count, view: count, hash: hashOrNothing };

export const voteContent: Schema<VoteContent> = withHashUnlessNullify(record<VoteContent>(content));

export const vote: Schema<Vote> = withHashUnlessNullify(
  record<Vote>({
    ...content,
    validator: integer(MAX_VALIDATORS - 1),
    signature: bytes(BLS_SIGNATURE_LENGTH, BLS_SIGNATURE_LENGTH),
  }),
);

/** As in headers: the RLP that light clients read too. */
export const certificate: Schema<Certificate> = mapped(
  bytes(MAX_CERTIFICATE_BYTES),
  encodeCertificate,
  (encoded: Uint8Array) => {
    const decoded = decodeCertificate(encoded);
    if (decoded.signature.length === BLS_SIGNATURE_LENGTH) return decoded;
    throw wireInvalid("a certificate has one signature", { length: decoded.signature.length });
  },
);

export function blockSchema(blockOf: BlockReader): Schema<Block> {
  return mapped(bytes(MAX_BLOCK_BYTES), (block: Block) => block.body, blockOf);
}

export function proposalSchema(block: Schema<Block>): Schema<Proposal> {
  return record<Proposal>({ vote, block, parentView: count });
}

export function segmentSchema(block: Schema<Block>): Schema<FinalSegment> {
  return record<FinalSegment>({ blocks: list(block, MAX_SEGMENT_BLOCKS, 1), certificate });
}
