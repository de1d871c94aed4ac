/** The signature port by BLS12-381, over either engine of base. */
import type { Bls, BlsPublicKey } from "../../base/bls-types.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import type { Crypto, Signer } from "./crypto.ts";
import { PARSED_KEYS } from "./limits.ts";
import type { ValidatorId } from "./validator-set.ts";

export function blsCrypto(bls: Bls): Crypto {
  // Parsing a key checks its subgroup, a tenth of a verification: the keys of a set are parsed once.
  const parsed = new Map<ValidatorId, BlsPublicKey | undefined>();
  const keyOf = (id: ValidatorId): BlsPublicKey | undefined => {
    if (parsed.has(id)) return parsed.get(id);
    if (parsed.size >= PARSED_KEYS) parsed.clear();
    const key = unlessCoded("BAD_PUBLIC_KEY", () => bls.publicKey(hexToBytes(id)));
    parsed.set(id, key);
    return key;
  };
  return {
    verify: (signer, message, signature) => {
      const key = keyOf(signer);
      return key !== undefined && bls.verify(key, message, signature);
    },
    verifyAggregate: (signers, message, signature) => {
      const keys = signers.map(keyOf);
      if (keys.length === 0 || keys.includes(undefined)) return false;
      return bls.fastAggregateVerify(keys as BlsPublicKey[], message, signature);
    },
    verifyEach: (signers, message, signatures) => {
      const keys = signers.map(keyOf);
      return !keys.includes(undefined) && bls.verifySame(keys as BlsPublicKey[], message, signatures);
    },
    aggregate: (signatures) => unlessCoded("BAD_SIGNATURE", () => bls.aggregateVerified(signatures)),
  };
}

/** Whether the proof shows that somebody has the key. Bytes that are no key are nobody's. */
export function blsPossession(bls: Bls): (key: ValidatorId, proof: Uint8Array) => boolean {
  return (key, proof) => {
    const parsed = unlessCoded("BAD_PUBLIC_KEY", () => bls.publicKey(hexToBytes(key)));
    return parsed !== undefined && bls.verifyPossession(parsed, proof);
  };
}

export function blsSigner(bls: Bls, privateKey: Uint8Array): Signer {
  return {
    id: bytesToHex(bls.publicKeyOf(privateKey).bytes),
    sign: (message) => bls.sign(privateKey, message),
  };
}

function unlessCoded<Result>(code: string, run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (isCoded(error, code)) return undefined;
    throw error;
  }
}
