/**
 * What our headers carry beyond Ethereum's: an RLP list in `extraData`, so that tools for Ethereum read the header
 * and verify its hash without knowing this.
 *
 *   [version, view, proposer, milliseconds, task root, validator-set hash, parent certificate]
 */
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import type { Address } from "../../vm/state/account.ts";
import { blockError, withRlpErrorsAs } from "./errors.ts";
import { MAX_CERTIFICATE_BYTES } from "./limits.ts";

/** The only version so far. A scheduled upgrade that changes the list raises it. */
const EXTRA_VERSION = 1n;

export interface ExtraData {
  /** The consensus view in which the block was proposed. */
  readonly view: bigint;
  /** The validator that proposed the block; its tips go to the header's coinbase. */
  readonly proposer: Address;
  /** The part of the time below the header's second, 0 to 999. */
  readonly milliseconds: number;
  /** Root of the block's protocol tasks; 32 zero bytes when there are none. */
  readonly taskRoot: Uint8Array;
  /** Hash of the validator set that decides on the block. */
  readonly validatorSetHash: Uint8Array;
  /** The certificate of the parent; empty for genesis and its child. */
  readonly parentCertificate: Uint8Array;
}

export function encodeExtraData(extra: ExtraData): Uint8Array {
  return encodeRlp([
    rlpOfInteger(EXTRA_VERSION),
    rlpOfInteger(extra.view),
    hexToBytes(extra.proposer),
    rlpOfInteger(BigInt(extra.milliseconds)),
    extra.taskRoot,
    extra.validatorSetHash,
    extra.parentCertificate,
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
    return decodeFields(rlpList(fields, 7));
  });
}

function decodeFields(fields: readonly RlpItem[]): ExtraData {
  const milliseconds = Number(rlpInteger(fields[3] as RlpItem, 2));
  if (milliseconds > 999) {
    throw blockError("BLOCK_MALFORMED", `a second has no millisecond ${milliseconds}`, { milliseconds });
  }
  const parentCertificate = rlpBytes(fields[6] as RlpItem);
  if (parentCertificate.length > MAX_CERTIFICATE_BYTES) {
    throw blockError("BLOCK_TOO_LARGE", `a certificate has at most ${MAX_CERTIFICATE_BYTES} bytes`, {
      length: parentCertificate.length,
    });
  }
  return {
    view: rlpInteger(fields[1] as RlpItem, 8),
    proposer: bytesToHex(rlpBytes(fields[2] as RlpItem, 20)),
    milliseconds,
    taskRoot: rlpBytes(fields[4] as RlpItem, 32).slice(),
    validatorSetHash: rlpBytes(fields[5] as RlpItem, 32).slice(),
    parentCertificate: parentCertificate.slice(),
  };
}
