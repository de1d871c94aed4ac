/**
 * Validators for development. EVERYBODY KNOWS THEIR KEYS: they are made from their numbers by the functions below, so
 * that any program can act for any of them. A network that has one of them can be taken over by anybody.
 */
import type { Bls } from "../base/bls-types.ts";
import { bytesToHex, utf8 } from "../base/bytes.ts";
import { privateKeyToAddress } from "../base/secp256k1.ts";
import { sha256 } from "../base/sha256.ts";
import { OGPU } from "../base/units.ts";
import type { ChainSpec, GenesisValidator } from "./chain-spec.ts";
import { networkSpec } from "./networks.ts";

/** All weigh the same. */
export const DEVELOPMENT_STAKE: bigint = 100n * OGPU;

/** The BLS private key of development validator `index`. Public: see above. */
export function developmentValidatorKey(index: number, bls: Bls): Uint8Array {
  return bls.privateKeyFromSeed(sha256(utf8(`OpenGPU development validator ${index}, known to everybody`)));
}

/** The private key of its operator's account. Public too. */
export function developmentOperatorKey(index: number): Uint8Array {
  return sha256(utf8(`OpenGPU development operator ${index}, known to everybody`));
}

export function developmentValidators(count: number, bls: Bls): readonly GenesisValidator[] {
  return Array.from({ length: count }, (_, index) => {
    const key = developmentValidatorKey(index, bls);
    return {
      publicKey: bytesToHex(bls.publicKeyOf(key).bytes),
      proofOfPossession: bytesToHex(bls.provePossession(key)),
      stake: DEVELOPMENT_STAKE,
      operator: bytesToHex(privateKeyToAddress(developmentOperatorKey(index))),
    };
  });
}

/** The devnet with the first `count` development validators. */
export function devnetSpec(count: number, bls: Bls): ChainSpec {
  const spec = networkSpec("devnet");
  if (spec.validators.length === count) return spec;
  return { ...spec, validators: developmentValidators(count, bls) };
}
