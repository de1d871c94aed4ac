/** About how long a message is on the wire, with real signatures. */
import { BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import type { Block, Certificate } from "../../chain/consensus/types.ts";
import type { NodeMessage } from "../../chain/wire/node-message.ts";

const ENVELOPE = 24;
/** Kind, epoch, view, hash, validator. */
const VOTE = 48 + BLS_SIGNATURE_LENGTH;
/** A header without its parent's certificate. */
const HEADER = 700;

function certificateBytes({ signers }: Certificate): number {
  return 48 + signers.length + BLS_SIGNATURE_LENGTH;
}

function blockBytes({ body }: Block): number {
  return HEADER + body.length;
}

export function messageBytes(message: NodeMessage): number {
  switch (message.type) {
    case "vote":
      return ENVELOPE + VOTE;
    case "certificate":
      return ENVELOPE + certificateBytes(message.certificate);
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
    default:
      return ENVELOPE + 48;
  }
}
