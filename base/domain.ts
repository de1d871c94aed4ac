/**
 * Domain separation: every protocol message that somebody signs is made here, so that a signature given for one
 * purpose, chain or moment can never be taken for another.
 *
 * The message is the RLP list of the domain's name, the chain's id and the parts. RLP is injective, so two
 * different calls never give the same bytes. The name is longer than 8 bytes: where a transaction has its nonce
 * (at most 8 bytes), so that no message can be read as a transaction, should one key ever sign both. The bytes
 * start at 0xc0 or above, so they are no typed transaction and no wallet message (EIP-191) either.
 */
import { utf8 } from "./bytes.ts";
import { encodeRlp, type RlpItem, rlpOfInteger } from "./rlp.ts";

/** The kinds of signed messages. Never reuse a name for something else. */
export type DomainTag =
  /** The leader proposes a block in a view. */
  | "PROPOSE"
  /** A validator executed the block and got the same roots. */
  | "NOTARIZE"
  /** A validator gives up on a view. */
  | "NULLIFY"
  /** A validator commits to the block in that view. */
  | "FINALIZE"
  /** The leader's contribution to the randomness. */
  | "BEACON"
  /** A node is a validator's. */
  | "HELLO"
  /** A worker says how far it is with a job. */
  | "PROGRESS";

const NAME_PREFIX = "OpenGPU/";

export function taggedMessage(tag: DomainTag, chainId: bigint, ...parts: readonly RlpItem[]): Uint8Array {
  return encodeRlp([utf8(NAME_PREFIX + tag), rlpOfInteger(chainId), ...parts]);
}
