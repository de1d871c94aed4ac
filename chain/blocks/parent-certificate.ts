/** The certificate of the parent in a header. */
import { BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { decodeCertificate } from "../consensus/certificate.ts";
import type { Certificate } from "../consensus/types.ts";
import { blockError } from "./errors.ts";
import type { BlockHeader } from "./header.ts";

/**
 * `undefined` when the header has none. Throws BLOCK_WRONG_CERTIFICATE unless it is a NOTARIZE or FINALIZE certificate
 * of the parent, from the block's epoch; who signed it, consensus checks.
 */
export function parentCertificateOf({ parentHash, extra }: BlockHeader): Certificate | undefined {
  if (extra.parentCertificate.length === 0) return undefined;
  const certificate = decoded(extra.parentCertificate);
  const { kind, epoch, hash, signature } = certificate;
  const isForParent = kind !== "NULLIFY" && epoch === extra.epoch && hash === bytesToHex(parentHash);
  if (isForParent && signature.length === BLS_SIGNATURE_LENGTH) return certificate;
  throw blockError("BLOCK_WRONG_CERTIFICATE", "a header's certificate is not one of its parent", { kind, epoch, hash });
}

function decoded(bytes: Uint8Array): Certificate {
  try {
    return decodeCertificate(bytes);
  } catch (error) {
    if (!isCoded(error, "RLP_INVALID", "VOTE_MALFORMED")) throw error;
    throw blockError("BLOCK_WRONG_CERTIFICATE", `a header's certificate is malformed: ${error.message}`);
  }
}
