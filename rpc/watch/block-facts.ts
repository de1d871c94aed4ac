/** What is worth knowing of a final block at a glance: read from the store once, for charts, lists and detectors. */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { headerTime } from "../../chain/blocks/header.ts";
import { decodeCertificate, indicesOf } from "../../chain/consensus/certificate.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { ChainReads } from "../chain-view.ts";
import { quantityText } from "../format.ts";
import { ADDRESS, HASH, INTEGER, type JsonSchema, listOf, objectOf, orNull, QUANTITY } from "../schema.ts";
import { validatorsOfEpoch } from "../validators-of-epoch.ts";

export interface BlockFacts {
  readonly number: number;
  readonly hash: Hex;
  readonly milliseconds: number;
  /** When this node saw it final; not known of blocks from before it started. */
  readonly finalMilliseconds: number | undefined;
  readonly epoch: number;
  readonly view: number;
  readonly proposer: number;
  readonly coinbase: Hex;
  readonly transactions: number;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** By position in the epoch's set. */
  readonly weights: readonly bigint[];
  readonly signers: readonly number[];
}

export function factsOf(chain: ChainReads, block: StoredHeader, finalMilliseconds: number | undefined): BlockFacts {
  const { header, hash } = block;
  const number = Number(header.number);
  const certificate = chain.certificate(number);
  const decoded = certificate && decodeCertificate(certificate);
  const weights = (validatorsOfEpoch(chain, decoded?.epoch ?? header.extra.epoch) ?? []).map(({ stake }) => stake);
  return {
    ...{ number, hash: bytesToHex(hash), milliseconds: headerTime(header), finalMilliseconds },
    ...{ epoch: header.extra.epoch, view: header.extra.view, proposer: header.extra.proposer },
    coinbase: header.coinbase,
    transactions: chain.body(number)?.transactions.length ?? 0,
    ...{ gasUsed: header.gasUsed, gasLimit: header.gasLimit, baseFeePerGas: header.baseFeePerGas },
    weights,
    signers: decoded === undefined ? [] : (indicesOf(decoded.signers, weights.length) ?? []),
  };
}

export const BLOCK_FACTS: JsonSchema = objectOf({
  number: QUANTITY,
  hash: HASH,
  milliseconds: INTEGER,
  finalMilliseconds: orNull(INTEGER),
  epoch: INTEGER,
  view: INTEGER,
  proposer: INTEGER,
  coinbase: ADDRESS,
  transactions: INTEGER,
  gasUsed: QUANTITY,
  gasLimit: QUANTITY,
  baseFeePerGas: QUANTITY,
  signers: listOf(INTEGER),
  signedWeight: QUANTITY,
  totalWeight: QUANTITY,
});

export function factsJson(facts: BlockFacts): object {
  const { number, gasUsed, gasLimit, baseFeePerGas, weights, finalMilliseconds, ...rest } = facts;
  const signed = facts.signers.reduce((sum, index) => sum + (weights[index] ?? 0n), 0n);
  return {
    ...rest,
    number: quantityText(number),
    finalMilliseconds: finalMilliseconds ?? null,
    gasUsed: quantityText(gasUsed),
    gasLimit: quantityText(gasLimit),
    baseFeePerGas: quantityText(baseFeePerGas),
    signedWeight: quantityText(signed),
    totalWeight: quantityText(weights.reduce((sum, weight) => sum + weight, 0n)),
  };
}
