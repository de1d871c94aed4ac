/**
 * What our headers carry beyond Ethereum's: an RLP list in `extraData`, so that tools for Ethereum read the header
 * and verify its hash without knowing this.
 *
 *   [version, epoch, view, proposer, milliseconds, task root, validator-set hash, next validator-set hash, reveal,
 *    parent certificate, reserved gas]
 */
import { BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { blockError, withRlpErrorsAs } from "./errors.ts";
import { MAX_CERTIFICATE_BYTES, MAX_VALIDATORS, MAX_VIEW_BYTES } from "./limits.ts";

/** The only version so far. A scheduled upgrade that changes the list raises it. */
const EXTRA_VERSION = 1n;
const FIELDS = 11;

export interface ExtraData {
  /** Below 2^48, as the view. */
  readonly epoch: number;
  /** The consensus view in which the block was first proposed. */
  readonly view: number;
  /** Position of whoever proposed it in the epoch's validator set. Tips go to the header's coinbase. */
  readonly proposer: number;
  /** The part of the time below the header's second, 0 to 999. */
  readonly milliseconds: number;
  /** Root of the block's protocol tasks; 32 zero bytes when there are none. */
  readonly taskRoot: Uint8Array;
  /** Hash of the validator set that decides on the block. */
  readonly validatorSetHash: Uint8Array;
  /** Hash of the set that decides on the next block, when the block is a seal; else empty. */
  readonly nextValidatorSetHash: Uint8Array;
  /** The proposer's signature over (chain, epoch, view), of which the beacon is made; empty in genesis. */
  readonly reveal: Uint8Array;
  /** The parent's NOTARIZE or FINALIZE certificate; empty when the parent is genesis or a seal, and in genesis. */
  readonly parentCertificate: Uint8Array;
  /** Of the gas used, what those have used whose turn it was: it does not move the base fee. */
  readonly reservedGas: bigint;
}

export function encodeExtraData(extra: ExtraData): Uint8Array {
  return encodeRlp([
    rlpOfInteger(EXTRA_VERSION),
    rlpOfInteger(BigInt(extra.epoch)),
    rlpOfInteger(BigInt(extra.view)),
    rlpOfInteger(BigInt(extra.proposer)),
    rlpOfInteger(BigInt(extra.milliseconds)),
    extra.taskRoot,
    extra.validatorSetHash,
    extra.nextValidatorSetHash,
    extra.reveal,
    extra.parentCertificate,
    rlpOfInteger(extra.reservedGas),
  ]);
}

/** Throws BLOCK_MALFORMED, BLOCK_VERSION_UNKNOWN or BLOCK_TOO_LARGE. */
export function decodeExtraData(bytes: Uint8Array): ExtraData {
  return withRlpErrorsAs("BLOCK_MALFORMED", "the extra data of a header", () => {
    const fields = rlpList(decodeRlp(bytes));
    const version = rlpInteger((fields[0] ?? []) as RlpItem, 4);
    if (version !== EXTRA_VERSION) {
      throw blockError(
        "BLOCK_VERSION_UNKNOWN",
        `this program does not know header version ${version}: is it too old?`,
        {
          version,
        },
      );
    }
    return decodeFields(rlpList(fields, FIELDS));
  });
}

function decodeFields(fields: readonly RlpItem[]): ExtraData {
  const bytes = (index: number, length?: number): Uint8Array => rlpBytes(fields[index] as RlpItem, length).slice();
  const integer = (index: number, maxBytes: number): number => Number(rlpInteger(fields[index] as RlpItem, maxBytes));
  return {
    epoch: integer(1, MAX_VIEW_BYTES),
    view: integer(2, MAX_VIEW_BYTES),
    proposer: atMost(integer(3, 2), MAX_VALIDATORS - 1, "proposer"),
    milliseconds: atMost(integer(4, 2), 999, "millisecond"),
    taskRoot: bytes(5, 32),
    validatorSetHash: bytes(6, 32),
    nextValidatorSetHash: emptyOr(32, bytes(7), "next validator-set hash"),
    reveal: emptyOr(BLS_SIGNATURE_LENGTH, bytes(8), "reveal"),
    parentCertificate: withinLimit(bytes(9)),
    reservedGas: rlpInteger(fields[10] as RlpItem, 8),
  };
}

function atMost(value: number, most: number, field: string): number {
  if (value <= most) return value;
  throw blockError("BLOCK_MALFORMED", `a header's ${field} is at most ${most}`, { field, value });
}

function emptyOr(length: number, bytes: Uint8Array, field: string): Uint8Array {
  if (bytes.length === 0 || bytes.length === length) return bytes;
  throw blockError("BLOCK_MALFORMED", `a header's ${field} has ${length} bytes or none`, { length: bytes.length });
}

function withinLimit(certificate: Uint8Array): Uint8Array {
  if (certificate.length <= MAX_CERTIFICATE_BYTES) return certificate;
  throw blockError("BLOCK_TOO_LARGE", `a certificate has at most ${MAX_CERTIFICATE_BYTES} bytes`, {
    length: certificate.length,
  });
}
