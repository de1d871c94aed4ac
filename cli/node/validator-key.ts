/** The key that a validator signs with. */
import { bls } from "../../base/bls.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { blsSigner } from "../../chain/consensus/bls-crypto.ts";
import type { Signer } from "../../chain/consensus/crypto.ts";
import { openKeystore, readKeystore } from "../../chain/keys/keystore-file.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { developmentValidatorKey } from "../../genesis/development-validators.ts";
import type { Address } from "../../vm/state/account.ts";
import { PasswordReader } from "../commands/keys-password.ts";
import { usageError } from "../failure.ts";

export interface ValidatorKey {
  readonly signer: Signer;
  /** All validators of the network are those that everybody knows. */
  readonly isDevelopment: boolean;
  /** It has never signed on this chain. */
  readonly isNew: boolean;
  /** Its file; a development key has none. */
  readonly keystore: string | undefined;
  /** Receives the tips of its blocks. */
  readonly coinbase: Address;
}

/** Throws KEYSTORE_ and PASSWORD_ codes. */
export async function keystoreSigner(path: string, passwordFile: string | undefined): Promise<Signer> {
  const keystore = await readKeystore(path);
  if (keystore.kind !== "validator") {
    throw new CodedError(
      "KEYSTORE_INVALID",
      `${path} holds the key of an account, and validators have keys of their own`,
      {
        hint: "Make one with: ogpu keys new <name> --kind validator",
      },
    );
  }
  const passwords = new PasswordReader();
  try {
    return blsSigner(bls, await openKeystore(keystore, await passwords.read(`Password of ${path}: `, passwordFile)));
  } finally {
    passwords.close();
  }
}

/** Throws DEV_KEY_REFUSED on a network where a key that everybody knows would be worth something. */
export function developmentSigner(spec: ChainSpec, index: number): Signer {
  const keys = spec.validators.map((_, each) => developmentValidatorKey(each, bls));
  const isDevelopment = keys.every((key, each) => publicKeyOf(key) === spec.validators[each]?.publicKey);
  if (!isDevelopment || keys.length === 0) {
    throw new CodedError("DEV_KEY_REFUSED", `not all validators of ${spec.name} are development validators`, {
      hint: "Give the validator's keystore with --key.",
    });
  }
  const key = keys[index];
  if (key !== undefined) return blsSigner(bls, key);
  throw usageError(`--dev-key ${index}: ${spec.name} has ${keys.length} validators`, "They are counted from 0.");
}

function publicKeyOf(key: Uint8Array): Hex {
  return bytesToHex(bls.publicKeyOf(key).bytes);
}

/** The account of the validator's operator, if the spec names one. */
export function operatorOf(spec: ChainSpec, { id }: Signer): Address | undefined {
  return spec.validators.find(({ publicKey }) => publicKey === id)?.operator;
}
