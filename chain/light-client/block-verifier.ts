/**
 * Verifies single blocks for somebody who reads the chain, as in a browser: each by its certificate, by the validators of its
 * epoch, and those by the seals since an epoch whose validators were taken on trust.
 */
import { portableBls } from "../../base/bls-portable.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeHeader } from "../blocks/header.ts";
import { blsCrypto } from "../consensus/bls-crypto.ts";
import { decodeCertificate, indicesOf } from "../consensus/certificate.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { type LightOptions, type LightTrust, type LightVerdict, trustFrom, verifyProof } from "./light-client.ts";
import { lightHeaderOf } from "./light-header.ts";

/** As `ogpu_getLightClientProof` has it, in bytes. */
export interface BlockProof {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  readonly validators: readonly ValidatorStake[];
  readonly nextValidators?: readonly ValidatorStake[];
  /** From the block asked for to the one before `header`. */
  readonly ancestors: readonly Uint8Array[];
  readonly seals: readonly {
    readonly header: Uint8Array;
    readonly certificate: Uint8Array;
    readonly nextValidators: readonly ValidatorStake[];
  }[];
}

export interface VerifiedBlock {
  /** "trusted" is the only good one. */
  readonly verdict: LightVerdict | "malformed" | "not-linked";
  /** Of the block that was asked for, computed from its header. */
  readonly hash?: Hex;
  readonly number?: number;
  /** Of the certificate's signers, among all of the epoch. */
  readonly signedWeight?: bigint;
  readonly totalWeight?: bigint;
  /** The epoch whose validators were taken on trust; all since are proven. */
  readonly anchorEpoch?: number;
}

interface KnownEpoch {
  readonly trust: LightTrust;
  readonly anchorEpoch: number;
}

/** Epochs whose validators are remembered. */
const MAX_EPOCHS = 1024;
/** A set is taken on trust now, whatever its age; so no age of it is too great. */
const NO_PERIOD = Number.MAX_SAFE_INTEGER;

export class BlockVerifier {
  private readonly options: LightOptions;
  private readonly epochs = new Map<number, KnownEpoch>();

  constructor(chainId: bigint) {
    this.options = { chainId, crypto: blsCrypto(portableBls), trustingPeriod: NO_PERIOD, maxSkew: NO_PERIOD };
  }

  /** The last epoch up to `epoch` whose validators are known. */
  knownUpTo(epoch: number): number | undefined {
    const known = [...this.epochs.keys()].filter((candidate) => candidate <= epoch);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  /** Takes the validators of an epoch on trust. */
  trustEpoch(epoch: number, validators: readonly ValidatorStake[]): void {
    this.remember(epoch, { trust: trustFrom({ height: -1, time: 0 }, validators, epoch), anchorEpoch: epoch });
  }

  /** `fromEpoch` is one that is known, from which on the proof has the seals. */
  verify(proof: BlockProof, fromEpoch: number): VerifiedBlock {
    try {
      return this.verified(proof, fromEpoch);
    } catch (error) {
      if (isCoded(error)) return { verdict: "malformed" };
      throw error;
    }
  }

  private verified(proof: BlockProof, fromEpoch: number): VerifiedBlock {
    let epoch = fromEpoch;
    for (const seal of proof.seals) {
      const verdict = this.passSeal(epoch, seal);
      if (verdict !== "trusted") return { verdict };
      epoch++;
    }
    const known = this.epochs.get(epoch);
    if (known === undefined) return { verdict: "not-enough-trust" };
    const header = lightHeaderOf(proof.header, proof.nextValidators);
    // Epochs are skipped by nobody here: a third of a set of any age could make up the sets after it.
    if (header.epoch !== epoch) return { verdict: "wrong-validator-set" };
    const certificate = decodeCertificate(proof.certificate);
    const light = { header, certificate, validators: proof.validators };
    const { verdict } = verifyProof(known.trust, light, header.time, this.options);
    if (verdict !== "trusted") return { verdict };
    const first = linkedFrom(proof);
    if (first === undefined) return { verdict: "not-linked" };
    const { weights } = known.trust.set;
    const signers = indicesOf(certificate.signers, weights.length) ?? [];
    return {
      verdict,
      ...first,
      signedWeight: signers.reduce((sum, index) => sum + (weights[index] ?? 0n), 0n),
      totalWeight: known.trust.set.total,
      anchorEpoch: known.anchorEpoch,
    };
  }

  private passSeal(epoch: number, seal: BlockProof["seals"][number]): VerifiedBlock["verdict"] {
    const known = this.epochs.get(epoch);
    if (known === undefined) return "not-enough-trust";
    if (this.epochs.has(epoch + 1)) return "trusted";
    const header = lightHeaderOf(seal.header, seal.nextValidators);
    const { ids, weights } = known.trust.set;
    const validators = ids.map((id, index) => ({ id, stake: weights[index] ?? 0n }));
    const light = { header, certificate: decodeCertificate(seal.certificate), validators };
    const { verdict, trust } = verifyProof(known.trust, light, header.time, this.options);
    if (verdict !== "trusted" || trust === undefined) return verdict;
    if (trust.epoch !== epoch + 1) return "wrong-validator-set";
    this.remember(epoch + 1, { trust, anchorEpoch: known.anchorEpoch });
    return verdict;
  }

  private remember(epoch: number, known: KnownEpoch): void {
    if (this.epochs.size >= MAX_EPOCHS) this.epochs.clear();
    this.epochs.set(epoch, known);
  }
}

/** The first of the headers, if each is the parent of the next. */
function linkedFrom({ ancestors, header }: BlockProof): { readonly hash: Hex; readonly number: number } | undefined {
  const headers = [...ancestors, header];
  for (const [index, encoded] of headers.entries()) {
    const next = headers[index + 1];
    if (next === undefined) break;
    if (bytesToHex(decodeHeader(next).parentHash) !== bytesToHex(keccak256(encoded))) return undefined;
  }
  const [first = header] = headers;
  return { hash: bytesToHex(keccak256(first)), number: Number(decodeHeader(first).number) };
}
