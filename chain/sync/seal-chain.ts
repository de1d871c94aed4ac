/**
 * What a node that catches up trusts: the validators of each epoch, followed seal by seal from genesis or from a
 * checkpoint, each seal signed by a quorum of the set before it. Peers hand over the seals; none of them is believed.
 *
 * The rules are the light client's (chain/light-client), the trusting period included: keys of long ago may be for sale,
 * so what they signed says nothing unless what is trusted is younger than that.
 */
import { bytesToHex, equalBytes, type Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { type BlockHeader, decodeHeader, headerTime, isSealHeader } from "../blocks/header.ts";
import { nextValidatorsHash } from "../blocks/validators-codec.ts";
import { decodeCertificate } from "../consensus/certificate.ts";
import type { Crypto } from "../consensus/crypto.ts";
import type { Certificate } from "../consensus/types.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { type LightOptions, type LightTrust, trustFrom, verifyProof } from "../light-client/light-client.ts";
import { type LightHeader, lightHeader } from "../light-client/light-header.ts";
import { invalid, syncError } from "./errors.ts";
import type { Offer, SealProof } from "./messages.ts";

/** A seal that the user vouches for. */
export interface Checkpoint {
  /** The epoch that the seal ended. */
  readonly epoch: number;
  readonly hash: Hex;
}

export interface TrustOptions {
  readonly chainId: bigint;
  readonly crypto: Crypto;
  /** Milliseconds; shorter than unbonding. */
  readonly trustingPeriod: number;
  /** Milliseconds. */
  readonly maxSkew: number;
  readonly genesis: BlockHeader;
  /** Of the first epoch. */
  readonly validators: readonly ValidatorStake[];
  readonly checkpoint?: Checkpoint | undefined;
}

/** The seal of an epoch as it was verified. */
export interface VerifiedSeal {
  readonly epoch: number;
  readonly header: BlockHeader;
  /** `undefined` for a checkpoint: nobody here knows the validators that signed it. */
  readonly certificate: Uint8Array | undefined;
  readonly nextValidators: readonly ValidatorStake[];
}

/** A snapshot whose block is certified. */
export interface SyncTarget {
  readonly offer: Offer;
  readonly header: BlockHeader;
  readonly hash: Hex;
  readonly height: number;
  readonly root: Hex;
}

interface EpochTrust {
  readonly trust: LightTrust;
  readonly validators: readonly ValidatorStake[];
}

export class SealChain {
  readonly #options: TrustOptions;
  readonly #light: LightOptions;
  readonly #epochs = new Map<number, EpochTrust>();
  readonly #seals: { readonly proof: SealProof; readonly verified: VerifiedSeal }[] = [];
  /** Still to be found. */
  #checkpoint: Checkpoint | undefined;
  #epoch: number;

  constructor(options: TrustOptions) {
    const { chainId, crypto, trustingPeriod, maxSkew, genesis, validators, checkpoint } = options;
    this.#options = options;
    this.#light = { chainId, crypto, trustingPeriod, maxSkew };
    this.#checkpoint = checkpoint;
    this.#epoch = checkpoint?.epoch ?? genesis.extra.epoch;
    if (checkpoint !== undefined) return;
    const trust = trustFrom(lightHeader(genesis, "0x"), validators, this.#epoch);
    this.#epochs.set(this.#epoch, { trust, validators });
  }

  /** The epoch whose seal comes next. Its validators are known, unless the checkpoint is still to be found. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The oldest epoch whose blocks can be verified. */
  get firstEpoch(): number {
    return this.#options.checkpoint === undefined
      ? this.#options.genesis.extra.epoch
      : this.#options.checkpoint.epoch + 1;
  }

  knows(epoch: number): boolean {
    return this.#epochs.has(epoch);
  }

  /** As they came, for whoever has to verify them again. */
  get proofs(): readonly SealProof[] {
    return this.#seals.map(({ proof }) => proof);
  }

  get seals(): readonly VerifiedSeal[] {
    return this.#seals.map(({ verified }) => verified);
  }

  /** Throws SYNC_TRUST_EXPIRED when what is trusted from the start is too old. */
  checkAge(now: number): void {
    if (this.#options.checkpoint === undefined) this.#checkAge(this.#options.genesis, now);
  }

  /**
   * Takes the seal of `epoch`. Throws SYNC_INVALID when whoever sent it is to blame, SYNC_CHECKPOINT_UNKNOWN when it is
   * a seal other than the checkpoint, SYNC_TRUST_EXPIRED.
   */
  add(proof: SealProof, now: number): void {
    const header = decoded(() => decodeHeader(proof.header));
    const { nextValidators } = proof;
    if (header.extra.epoch !== this.#epoch || !isSealHeader(header)) throw invalid("this is not the seal of the epoch");
    checkValidators(nextValidators, header.extra.nextValidatorSetHash);
    const hash = bytesToHex(keccak256(proof.header));
    const light: LightHeader = { ...lightHeader(header, hash), next: nextValidators };
    const checkpoint = this.#checkpoint;
    if (checkpoint === undefined) this.#verify(light, proof.certificate, now);
    else this.#checkCheckpoint(checkpoint, header, hash, now);
    const certificate = checkpoint === undefined ? proof.certificate : undefined;
    this.#seals.push({ proof, verified: { epoch: this.#epoch, header, certificate, nextValidators } });
    this.#checkpoint = undefined;
    this.#epoch++;
    const trust = trustFrom(light, nextValidators, this.#epoch);
    this.#epochs.set(this.#epoch, { trust, validators: nextValidators });
  }

  /** The target of an offer whose epoch is known. Throws SYNC_INVALID or SYNC_TRUST_EXPIRED. */
  checkOffer(offer: Offer, now: number): SyncTarget {
    const header = decoded(() => decodeHeader(offer.header));
    const hash = bytesToHex(keccak256(offer.header));
    this.#verify(lightHeader(header, hash), offer.certificate, now);
    return { offer, header, hash, height: Number(header.number), root: bytesToHex(header.stateRoot) };
  }

  #verify(light: LightHeader, certificateBytes: Uint8Array, now: number): void {
    const known = this.#epochs.get(light.epoch);
    if (known === undefined) throw invalid("the validators of this epoch are not known", { epoch: light.epoch });
    const { trust, validators } = known;
    const certificate = decoded((): Certificate => decodeCertificate(certificateBytes));
    const { verdict } = verifyProof(trust, { header: light, certificate, validators }, now, this.#light);
    if (verdict === "trusted") return;
    if (verdict === "trusting-period-over") throw expired(new Date(trust.header.time));
    throw invalid(`a header is not certified: ${verdict}`, { epoch: light.epoch, height: light.height });
  }

  #checkCheckpoint(checkpoint: Checkpoint, header: BlockHeader, hash: Hex, now: number): void {
    if (hash !== checkpoint.hash) {
      throw syncError("SYNC_CHECKPOINT_UNKNOWN", `the seal of epoch ${checkpoint.epoch} is not the checkpoint`, {
        checkpoint: checkpoint.hash,
        found: hash,
        hint: "Compare the checkpoint with a source that you trust, and its network with this one.",
      });
    }
    this.#checkAge(header, now);
  }

  #checkAge(header: BlockHeader, now: number): void {
    const time = headerTime(header);
    if (time + this.#options.trustingPeriod <= now) throw expired(new Date(time));
  }
}

function expired(since: Date): Error {
  return syncError("SYNC_TRUST_EXPIRED", `what this node trusts is of ${since.toISOString()}, which is too long ago`, {
    hint: "Give a recent checkpoint (the epoch and hash of a seal) from a source that you trust.",
  });
}

/** The list comes from anybody: it has to be the one that the header commits to, and usable as a set. */
function checkValidators(validators: readonly ValidatorStake[], hash: Uint8Array): void {
  for (const [index, { id, stake }] of validators.entries()) {
    const before = validators[index - 1];
    if (stake <= 0n || (before !== undefined && before.id >= id)) throw invalid("a seal names no validator set");
  }
  if (validators.length === 0 || !equalBytes(nextValidatorsHash(validators), hash)) {
    throw invalid("a seal comes with other validators than it names");
  }
}

/** Whatever is wrong with bytes from a peer is the peer's fault. */
function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (isCoded(error)) throw invalid(error.message, { because: error.code });
    throw error;
  }
}
