/** 0x06 to 0x08: alt_bn128 (EIP-196, EIP-197, prices of EIP-1108); 0x0a: KZG (EIP-4844); 0x100: P-256 (EIP-7951). */
import { p256 } from "@noble/curves/nist.js";
import { bytes32, concatBytes, EMPTY_BYTES, equalBytes } from "../../../../base/bytes.ts";
import { sha256 } from "../../../../base/sha256.ts";
import { bn254 } from "../../evm-crypto.ts";
import { verifyKzgProof } from "../../kzg.ts";
import { attempt, type Precompile, padded } from "./precompile.ts";

/** The library throws or answers with nothing when the input is wrong. */
function answer(length: number, compute: () => Uint8Array): Uint8Array | undefined {
  const output = attempt(compute);
  return output?.length === length ? output : undefined;
}

export const bn254Add: Precompile = {
  gas: () => 150,
  run: (input) => answer(64, () => bn254.add(padded(input, 0, 128))),
};

export const bn254Multiply: Precompile = {
  gas: () => 6_000,
  run: (input) => answer(64, () => bn254.mul(padded(input, 0, 96))),
};

const BN254_PAIR_BYTES = 192;

export const bn254Pairing: Precompile = {
  gas: (input) => 45_000 + 34_000 * Math.floor(input.length / BN254_PAIR_BYTES),
  run: (input) => {
    if (input.length % BN254_PAIR_BYTES !== 0) return undefined;
    return answer(32, () => bn254.pairing(input.slice()));
  },
};

const KZG_VERSION = 1;
/** Field elements per blob, then the order of the field. */
const KZG_OUTPUT = concatBytes(
  bytes32(4096n),
  bytes32(0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n),
);

/** versioned hash, z, y, commitment, proof. */
export const kzgPointEvaluation: Precompile = {
  gas: () => 50_000,
  run: (input) => {
    if (input.length !== 192) return undefined;
    const commitment = input.subarray(96, 144);
    const versionedHash = sha256(commitment);
    versionedHash[0] = KZG_VERSION;
    if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined;
    return attempt(() => {
      const [z, y, proof] = [input.subarray(32, 64), input.subarray(64, 96), input.subarray(144, 192)];
      if (!verifyKzgProof(commitment, z, y, proof)) throw new Error("the proof does not hold");
      return KZG_OUTPUT.slice();
    });
  },
};

const P256_UNCOMPRESSED = Uint8Array.of(4);

/** hash, r, s, x, y. What does not verify, for whatever reason, has no output, and is no error. */
export const p256Verify: Precompile = {
  gas: () => 6_900,
  run: (input) => {
    if (input.length !== 160) return EMPTY_BYTES;
    try {
      const publicKey = concatBytes(P256_UNCOMPRESSED, input.subarray(96, 160));
      const options = { lowS: false, prehash: false };
      return p256.verify(input.slice(32, 96), input.slice(0, 32), publicKey, options) ? bytes32(1n) : EMPTY_BYTES;
    } catch {
      return EMPTY_BYTES;
    }
  },
};
