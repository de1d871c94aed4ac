/** Blocks as consensus sees them, made of the bytes that nodes send and keep. */
import { bytesToHex, equalBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { EMPTY_PATRICIA_ROOT, orderedRoot } from "../../vm/patricia-root.ts";
import type { Block as ConsensusBlock } from "../consensus/types.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { type BlockBody, encodeBlock, headerOfBlock, splitBlock } from "./block.ts";
import { blockError } from "./errors.ts";
import { type BlockHeader, decodeHeader, hashHeader, headerTime, isSealHeader } from "./header.ts";
import { parentCertificateOf } from "./parent-certificate.ts";
import { nextValidatorsHash } from "./validators-codec.ts";

/**
 * Reads an encoded block; `body` is `encoded` itself. Also checks that transactions and validators are those that the
 * header commits to: consensus takes a block for invalid, for good and by its hash alone, when it does not execute, so
 * nobody may be able to put another body under the hash of a good block.
 *
 * Throws BLOCK_MALFORMED, BLOCK_VERSION_UNKNOWN, BLOCK_TOO_LARGE, BLOCK_TRANSACTIONS_ROOT_MISMATCH,
 * BLOCK_NEXT_VALIDATORS_MISMATCH or BLOCK_WRONG_CERTIFICATE.
 */
export function consensusBlockOf(encoded: Uint8Array): ConsensusBlock {
  const { header: headerBytes, ...body } = splitBlock(encoded);
  const header = decodeHeader(headerBytes);
  checkBody(header, body);
  // Decoding is strict, so the bytes are the only encoding of this header.
  const { transactions, nextValidators } = body;
  const isEmpty = transactions.length === 0;
  return consensusBlock(header, keccak256(headerBytes), { isEmpty, nextValidators }, encoded);
}

/**
 * A block as far as its header tells, at the same small cost for any body: for what comes from peers, most of which is
 * never looked into. The validators in a seal are missing, and the body may be anything, so `consensusBlockOf` reads the
 * block again before it is taken in.
 *
 * Throws BLOCK_MALFORMED, BLOCK_VERSION_UNKNOWN, BLOCK_TOO_LARGE or BLOCK_WRONG_CERTIFICATE.
 */
export function announcedBlockOf(encoded: Uint8Array): ConsensusBlock {
  const headerBytes = headerOfBlock(encoded);
  const header = decodeHeader(headerBytes);
  const nextValidators = isSealHeader(header) ? [] : undefined;
  return storedConsensusBlock({ header, hash: keccak256(headerBytes) }, nextValidators, encoded);
}

/** Genesis, which nobody sends: every node makes it from the chain spec. */
export function genesisConsensusBlock(header: BlockHeader): ConsensusBlock {
  const body = { transactions: [], nextValidators: undefined };
  const encoded = encodeBlock({ header, ...body });
  return consensusBlock(header, hashHeader(header), { isEmpty: true, nextValidators: undefined }, encoded);
}

/** A block that the store vouches for. Without its encoding, where only the header is kept, the body is empty. */
export function storedConsensusBlock(
  { header, hash }: { readonly header: BlockHeader; readonly hash: Uint8Array },
  nextValidators: readonly ValidatorStake[] | undefined,
  encoded: Uint8Array | undefined,
): ConsensusBlock {
  const isEmpty = equalBytes(header.transactionsRoot, EMPTY_PATRICIA_ROOT);
  return consensusBlock(header, hash, { isEmpty, nextValidators }, encoded ?? new Uint8Array(0));
}

/** Throws BLOCK_TRANSACTIONS_ROOT_MISMATCH or BLOCK_NEXT_VALIDATORS_MISMATCH. */
export function checkBody(header: BlockHeader, { transactions, nextValidators }: BlockBody): void {
  const transactionsRoot = orderedRoot(transactions);
  if (!equalBytes(header.transactionsRoot, transactionsRoot)) {
    throw blockError(
      "BLOCK_TRANSACTIONS_ROOT_MISMATCH",
      `block ${header.number} has other transactions than it claims`,
      {
        number: header.number,
        claimed: bytesToHex(header.transactionsRoot),
        computed: bytesToHex(transactionsRoot),
      },
    );
  }
  const validatorsHash = nextValidatorsHash(nextValidators);
  if (!equalBytes(header.extra.nextValidatorSetHash, validatorsHash)) {
    throw blockError("BLOCK_NEXT_VALIDATORS_MISMATCH", `block ${header.number} has other validators than it claims`, {
      number: header.number,
      claimed: bytesToHex(header.extra.nextValidatorSetHash),
      computed: bytesToHex(validatorsHash),
    });
  }
}

function consensusBlock(
  header: BlockHeader,
  hash: Uint8Array,
  { isEmpty, nextValidators }: { isEmpty: boolean; nextValidators: BlockBody["nextValidators"] },
  encoded: Uint8Array,
): ConsensusBlock {
  const { epoch, view, proposer, reveal } = header.extra;
  return {
    hash: bytesToHex(hash),
    parent: bytesToHex(header.parentHash),
    height: Number(header.number),
    epoch,
    view,
    proposer,
    time: headerTime(header),
    empty: isEmpty,
    reveal,
    beacon: bytesToHex(header.beacon),
    parentCertificate: parentCertificateOf(header),
    ...(nextValidators !== undefined && { next: nextValidators }),
    body: encoded,
  };
}
