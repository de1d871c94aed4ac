/** How long a message of the counter's nodes would be on the wire, with a real block in the place of theirs. */
import { BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import { consensusBlockOf } from "../../chain/blocks/consensus-block.ts";
import type { Block, Certificate } from "../../chain/consensus/types.ts";
import { addressed, channelsOf, encodeMessage, type NodeMessage } from "../../chain/wire/node-message.ts";

const CHANNELS = channelsOf(consensusBlockOf);
const ENVELOPE = 8;
/** Kind, epoch, view, hash, validator. */
const VOTE = 46 + BLS_SIGNATURE_LENGTH;
/** A header without its parent's certificate. */
const HEADER = 740;

function certificateBytes({ signers }: Certificate): number {
  return 44 + signers.length + BLS_SIGNATURE_LENGTH;
}

function blockBytes({ body, parentCertificate }: Block): number {
  return HEADER + body.length + (parentCertificate === undefined ? 0 : certificateBytes(parentCertificate));
}

export function messageBytes(message: NodeMessage): number {
  switch (message.type) {
    case "proposal":
      return ENVELOPE + VOTE + blockBytes(message.proposal.block);
    case "block":
      return ENVELOPE + blockBytes(message.block);
    case "finals":
      return message.segments.reduce(
        (sum, { blocks, certificate }) =>
          sum + certificateBytes(certificate) + blocks.reduce((total, block) => total + blockBytes(block), 0),
        ENVELOPE,
      );
    case "vote":
      // Garbage has no form on the wire.
      return message.vote.signature.length === BLS_SIGNATURE_LENGTH ? encodedBytes(message) : ENVELOPE + VOTE;
    default:
      return encodedBytes(message);
  }
}

function encodedBytes(message: NodeMessage): number {
  return encodeMessage(CHANNELS, addressed(message)).length;
}
