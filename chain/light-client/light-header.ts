/** What a light client reads of a header: made here of the bytes that a node has, with the hash computed and not believed. */
import { bytesToHex, equalBytes, type Hex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { blockError } from "../blocks/errors.ts";
import { type BlockHeader, decodeHeader, headerTime } from "../blocks/header.ts";
import { nextValidatorsHash } from "../blocks/validators-codec.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";

/** The hash commits to all of it. */
export interface LightHeader {
  readonly hash: Hex;
  readonly height: number;
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Of the validators of its epoch, who decide on it. */
  readonly validatorSetHash: Hex;
  /** The next epoch's validators; in a seal only. */
  readonly next?: readonly ValidatorStake[];
}

/**
 * Reads an encoded header; `next` is the list that came with it, if it is a seal. Throws BLOCK_MALFORMED,
 * BLOCK_VERSION_UNKNOWN, BLOCK_TOO_LARGE, and BLOCK_NEXT_VALIDATORS_MISMATCH when the header names another list or none.
 */
export function lightHeaderOf(encoded: Uint8Array, next?: readonly ValidatorStake[]): LightHeader {
  const header = decodeHeader(encoded);
  const { nextValidatorSetHash } = header.extra;
  if (!equalBytes(nextValidatorsHash(next), nextValidatorSetHash)) {
    throw blockError(
      "BLOCK_NEXT_VALIDATORS_MISMATCH",
      `block ${header.number} names other validators than came with it`,
      {
        number: header.number,
        claimed: bytesToHex(nextValidatorSetHash),
        computed: bytesToHex(nextValidatorsHash(next)),
      },
    );
  }
  // Decoding is strict, so the bytes are the only encoding of this header.
  return { ...lightHeader(header, bytesToHex(keccak256(encoded))), ...(next !== undefined && { next }) };
}

/** The hash is that of the header's bytes. */
export function lightHeader(header: BlockHeader, hash: Hex): LightHeader {
  const { epoch, validatorSetHash } = header.extra;
  return {
    hash,
    height: Number(header.number),
    epoch,
    time: headerTime(header),
    validatorSetHash: bytesToHex(validatorSetHash),
  };
}
