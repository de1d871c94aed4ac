import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { decodeCertificate, indicesOf } from "../../chain/consensus/certificate.ts";
import type { ValidatorStake } from "../../chain/consensus/validator-set.ts";
import { blockReference, LATEST, requireBlock } from "../block-reference.ts";
import type { ChainReads } from "../chain-view.ts";
import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { VALIDATORS } from "../result-schemas.ts";
import { DATA, HASH, INTEGER, objectOf, orNull, QUANTITY, TEXT } from "../schema.ts";
import { requireValidators } from "../validators-of-epoch.ts";

/** It may be of a later block, with which this one became final. */
function certificateJson(chain: ChainReads, encoded: Uint8Array): object {
  const { kind, epoch, view, hash, signers, signature } = decodeCertificate(encoded);
  const validators = requireValidators(chain, epoch);
  const signed = indicesOf(signers, validators.length) ?? [];
  const signing = validators
    .map((validator, index) => ({ ...validator, index }))
    .filter(({ index }) => signed.includes(index));
  const number = chain.numberOf(hexToBytes(hash));
  const weightOf = (of: readonly ValidatorStake[]): Hex => quantityText(of.reduce((sum, { stake }) => sum + stake, 0n));
  return {
    ...{ kind, epoch, view },
    blockNumber: number === undefined ? null : quantityText(number),
    blockHash: hash,
    signature: bytesToHex(signature),
    encoded: bytesToHex(encoded),
    signers: signing.map(({ index, id, stake }) => ({ index, publicKey: id, weight: quantityText(stake) })),
    signedWeight: weightOf(signing),
    totalWeight: weightOf(validators),
  };
}

export const ogpuGetFinality: RpcMethod = defineRead({
  name: "ogpu_getFinality",
  summary: "What made a block final: the certificate, who signed it, and what they weigh.",
  result: objectOf({
    blockNumber: QUANTITY,
    blockHash: HASH,
    certificate: orNull(
      objectOf({
        kind: TEXT,
        epoch: INTEGER,
        view: INTEGER,
        blockNumber: orNull(QUANTITY),
        blockHash: HASH,
        signature: DATA,
        encoded: DATA,
        signers: VALIDATORS,
        signedWeight: QUANTITY,
        totalWeight: QUANTITY,
      }),
    ),
  }),
  parameters: [optional(blockReference, LATEST)],
  run: ({ chain }, reference) => {
    const { header, hash } = requireBlock(chain, reference);
    const place = { blockNumber: quantityText(header.number), blockHash: bytesToHex(hash) };
    const encoded = chain.certificate(Number(header.number));
    return { ...place, certificate: encoded === undefined ? null : certificateJson(chain, encoded) };
  },
});
