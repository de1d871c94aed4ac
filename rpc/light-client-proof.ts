/** What a light client asks a node for. chain/light-client verifies it. */
import { bytesToHex, type Hex, hexToBytes } from "../base/bytes.ts";
import { encodeHeader } from "../chain/blocks/header.ts";
import { decodeCertificate } from "../chain/consensus/certificate.ts";
import type { ValidatorStake } from "../chain/consensus/validator-set.ts";
import { type BlockReference, requireBlock } from "./block-reference.ts";
import type { ChainReads } from "./chain-view.ts";
import { quantityText } from "./format.ts";
import { MAX_PROOF_EPOCHS } from "./limits.ts";
import { VALIDATORS } from "./result-schemas.ts";
import { invalidParams, REFUSED, RpcError } from "./rpc-error.ts";
import { DATA, type JsonSchema, listOf, objectOf, QUANTITY } from "./schema.ts";
import { requireValidators } from "./validators-of-epoch.ts";

const SEAL: JsonSchema = objectOf({ header: DATA, certificate: DATA, nextValidators: VALIDATORS });

export const LIGHT_PROOF: JsonSchema = objectOf(
  {
    blockNumber: QUANTITY,
    header: DATA,
    certificate: DATA,
    validators: VALIDATORS,
    /** From the block asked for up to the one before `header`, each the parent of the next; empty when they are one. */
    ancestors: listOf(DATA),
    seals: listOf(SEAL),
  },
  { nextValidators: VALIDATORS },
);

/** Throws NOT_CERTIFIED for genesis and on chains without certificates. */
export function lightClientProof(chain: ChainReads, reference: BlockReference, fromEpoch: number): object {
  const asked = Number(requireBlock(chain, reference).header.number);
  const certified = certifiedBlock(chain, asked);
  const { header } = requireBlock(chain, { number: BigInt(certified) });
  const { epoch } = header.extra;
  if (fromEpoch > epoch) throw invalidParams(`parameter 2 (fromEpoch) is at most ${epoch}, the block's epoch`);
  if (epoch - fromEpoch > MAX_PROOF_EPOCHS) {
    throw invalidParams(
      `a proof spans at most ${MAX_PROOF_EPOCHS} epochs: begin at a later one, or ask for an earlier block`,
    );
  }
  const seal = chain.seal(epoch);
  return {
    blockNumber: quantityText(certified),
    header: bytesToHex(encodeHeader(header)),
    certificate: certificateOf(chain, certified),
    validators: validatorsJson(requireValidators(chain, epoch)),
    ...(seal?.number === certified && { nextValidators: validatorsJson(seal.nextValidators) }),
    ancestors: Array.from({ length: certified - asked }, (_, index) => headerAt(chain, asked + index)),
    seals: Array.from({ length: epoch - fromEpoch }, (_, index) => sealJson(chain, fromEpoch + index)),
  };
}

/** The block whose certificate made this one final: itself, or one soon after it. */
function certifiedBlock(chain: ChainReads, number: number): number {
  const encoded = chain.certificate(number);
  const certified = encoded && chain.numberOf(hexToBytes(decodeCertificate(encoded).hash));
  if (certified !== undefined) return certified;
  throw new RpcError(REFUSED, `block ${number} has no certificate`, { code: "NOT_CERTIFIED" });
}

function certificateOf(chain: ChainReads, number: number): Hex {
  const certificate = chain.certificate(number);
  if (certificate !== undefined) return bytesToHex(certificate);
  throw new RpcError(REFUSED, `block ${number} has no certificate`, { code: "NOT_CERTIFIED" });
}

function sealJson(chain: ChainReads, epoch: number): object {
  const seal = chain.seal(epoch);
  if (seal === undefined) throw new RpcError(REFUSED, `epoch ${epoch} has no seal here`, { code: "EPOCH_UNKNOWN" });
  return {
    header: headerAt(chain, seal.number),
    certificate: certificateOf(chain, seal.number),
    nextValidators: validatorsJson(seal.nextValidators),
  };
}

function headerAt(chain: ChainReads, number: number): Hex {
  return bytesToHex(encodeHeader(requireBlock(chain, { number: BigInt(number) }).header));
}

function validatorsJson(validators: readonly ValidatorStake[]): readonly object[] {
  return validators.map(({ id, stake }, index) => ({ index, publicKey: id, weight: quantityText(stake) }));
}
