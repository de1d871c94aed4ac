/**
 * A light client: follows the chain by headers and certificates, one signature each, without a node and without the
 * blocks between. Pure; in a browser it runs over base/bls-portable.ts.
 */
import { voteMessage } from "../../base/votes.ts";
import { certificateContent, indicesOf } from "../consensus/certificate.ts";
import type { Crypto } from "../consensus/crypto.ts";
import type { Certificate } from "../consensus/types.ts";
import {
  idAt,
  makeValidatorSet,
  type ValidatorId,
  type ValidatorSet,
  type ValidatorStake,
} from "../consensus/validator-set.ts";
import type { LightHeader } from "./light-header.ts";
import { type Candidate, judge, type TrustedState, type Verdict } from "./trust-rule.ts";

/** A header, its FINALIZE certificate and the validators of its epoch, as anybody may hand them over. */
export interface LightProof {
  readonly header: LightHeader;
  readonly certificate: Certificate;
  readonly validators: readonly ValidatorStake[];
  /**
   * Proofs of possession by key: to skip epochs, for every signer that the trusted set does not have. Such a key may have
   * been made up from the keys of others, so that it cancels them in the sum, and one forger signs for all.
   */
  readonly possessions?: ReadonlyMap<ValidatorId, Uint8Array>;
}

export interface LightTrust {
  readonly header: Pick<LightHeader, "height" | "time">;
  /** Of the block after the header. */
  readonly epoch: number;
  readonly set: ValidatorSet;
}

export interface LightOptions {
  readonly chainId: bigint;
  readonly crypto: Pick<Crypto, "verifyAggregate">;
  /** Without it no key is proven, and epochs are skipped by signers of the trusted set alone. */
  readonly verifyPossession?: (key: ValidatorId, proof: Uint8Array) => boolean;
  /** Milliseconds; shorter than unbonding. */
  readonly trustingPeriod: number;
  readonly maxSkew: number;
}

export type LightVerdict = Verdict | "wrong-certificate" | "wrong-signature" | "unproven-key";

export interface LightResult {
  readonly verdict: LightVerdict;
  /** What to trust from now on. */
  readonly trust?: LightTrust;
}

/** Where a client begins: a set that its user trusts, from the chain spec or from somebody they believe, with
 * weights instead of stakes. */
export function trustFrom(
  header: LightTrust["header"],
  validators: readonly ValidatorStake[],
  epoch: number,
): LightTrust {
  return { header, epoch, set: makeValidatorSet(validators) };
}

export function verifyProof(trust: LightTrust, proof: LightProof, now: number, options: LightOptions): LightResult {
  const { header, certificate, validators } = proof;
  const isForHeader =
    certificate.kind === "FINALIZE" && certificate.hash === header.hash && certificate.epoch === header.epoch;
  if (!isForHeader || !isUsableSet(validators)) return { verdict: "wrong-certificate" };
  const set = makeValidatorSet(validators);
  // What the signers sign names the set. Otherwise anybody could hand over a true header with a set of their own.
  if (header.validatorSetHash !== set.hash || header.epoch < trust.epoch) return { verdict: "wrong-validator-set" };
  const signers = indicesOf(certificate.signers, set.ids.length);
  if (signers === undefined) return { verdict: "wrong-certificate" };
  const ids = signers.map((index) => idAt(set, index));
  const verdict = judge(stateOf(trust), candidateOf(trust, header, set, ids), {
    now: BigInt(Math.floor(now)),
    trustingPeriod: BigInt(options.trustingPeriod),
    maxSkew: BigInt(options.maxSkew),
  });
  if (verdict !== "trusted") return { verdict };
  if (!areProven(ids, trust, proof, options)) return { verdict: "unproven-key" };
  const message = voteMessage(options.chainId, certificateContent(certificate));
  if (!options.crypto.verifyAggregate(ids, message, certificate.signature)) return { verdict: "wrong-signature" };
  return { verdict, trust: trustAfter(header, set) };
}

/** Validators prove their keys when they register: those of a set that is trusted have. */
function areProven(ids: readonly ValidatorId[], trust: LightTrust, proof: LightProof, options: LightOptions): boolean {
  return ids.every((id) => {
    if (trust.set.indexOf.has(id)) return true;
    const possession = proof.possessions?.get(id);
    return possession !== undefined && options.verifyPossession?.(id, possession) === true;
  });
}

/** After a seal the next set decides, after any other block the same one. */
function trustAfter(header: LightHeader, set: ValidatorSet): LightTrust {
  if (header.next === undefined) return { header, epoch: header.epoch, set };
  return { header, epoch: header.epoch + 1, set: makeValidatorSet(header.next) };
}

function stateOf({ header, set }: LightTrust): TrustedState {
  return { height: header.height, time: BigInt(header.time), nextSetHash: set.hash, nextWeights: weightsOf(set) };
}

/** Adjacent means the same epoch here: within one the set cannot differ. Times may be equal from block to block. */
function candidateOf(
  trust: LightTrust,
  header: LightHeader,
  set: ValidatorSet,
  ids: readonly ValidatorId[],
): Candidate {
  return {
    height: header.height,
    time: BigInt(header.time),
    mayEqualTime: true,
    setHash: set.hash,
    weights: weightsOf(set),
    signers: new Set(ids),
    isAdjacent: header.epoch === trust.epoch,
  };
}

function weightsOf({ ids, weights }: ValidatorSet): ReadonlyMap<string, bigint> {
  return new Map(ids.map((id, index) => [id, weights[index] ?? 0n]));
}

/** The list comes from anybody: an empty one, a key twice or no stake is wrong input, not our bug. */
function isUsableSet(validators: readonly ValidatorStake[]): boolean {
  const ids = new Set(validators.map(({ id }) => id));
  return validators.length > 0 && ids.size === validators.length && validators.every(({ stake }) => stake > 0n);
}
