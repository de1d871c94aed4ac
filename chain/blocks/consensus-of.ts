import type { BlockConsensus } from "../../vm/execution/environment.ts";
import { decodeCertificate, indicesOf } from "../consensus/certificate.ts";
import type { ExtraData } from "./extra-data.ts";

/** What the protocol's own work is told of a block. Its certificate was checked, against a set of that many validators. */
export function blockConsensusOf(extra: ExtraData, validators: number, isSeal: boolean): BlockConsensus {
  const { epoch, proposer, parentCertificate } = extra;
  if (parentCertificate.length === 0) return { epoch, isSeal, proposer, parentSigners: undefined };
  const { signers } = decodeCertificate(parentCertificate);
  return { epoch, isSeal, proposer, parentSigners: indicesOf(signers, validators) ?? [] };
}
