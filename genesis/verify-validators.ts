/** What is checked of a spec's validators before a node runs it; parsing does not, since a proof takes milliseconds. */
import type { Bls } from "../base/bls-types.ts";
import { hexToBytes } from "../base/bytes.ts";
import { CodedError, isCoded } from "../base/errors.ts";
import type { ChainSpec, GenesisValidator } from "./chain-spec.ts";

export type ValidatorsErrorCode =
  /** The network has no validators yet. */
  | "SPEC_NOT_LAUNCHED"
  /** A key that is none, or whose possession is not proven. Whoever chose such a key could forge certificates. */
  | "SPEC_VALIDATOR_INVALID";

/** Throws SPEC_NOT_LAUNCHED or SPEC_VALIDATOR_INVALID. */
export function verifyValidators({ name, validators }: ChainSpec, bls: Bls): void {
  if (validators.length === 0) {
    throw new CodedError<ValidatorsErrorCode>(
      "SPEC_NOT_LAUNCHED",
      `${name} is not launched: it has no validators yet`,
      {
        name,
        hint: "Run ogpu devnet, or name a chain spec that has validators.",
      },
    );
  }
  for (const [index, validator] of validators.entries()) {
    if (provesPossession(validator, bls)) continue;
    const { publicKey } = validator;
    throw new CodedError<ValidatorsErrorCode>(
      "SPEC_VALIDATOR_INVALID",
      `$.validators[${index}]: the proof of possession does not prove that somebody has the key ${publicKey}`,
      { index, publicKey },
    );
  }
}

function provesPossession({ publicKey, proofOfPossession }: GenesisValidator, bls: Bls): boolean {
  try {
    return bls.verifyPossession(bls.publicKey(hexToBytes(publicKey)), hexToBytes(proofOfPossession));
  } catch (error) {
    if (isCoded(error, "BAD_PUBLIC_KEY")) return false;
    throw error;
  }
}
