/**
 * BLS signatures over BLS12-381 by the IETF draft (draft-irtf-cfrg-bls-signature), proof-of-possession scheme,
 * keys in G1 (48 bytes) and signatures in G2 (96 bytes), as Ethereum's consensus layer uses them.
 *
 * The rule about infinity is one and strict: the infinity point is no key, and as a signature it verifies nothing.
 */

/** Domain of ordinary signatures. */
export const BLS_SIGNATURE_DST = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
/** Domain of proofs of possession. */
export const BLS_POSSESSION_DST = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

export const BLS_PRIVATE_KEY_LENGTH = 32;
export const BLS_PUBLIC_KEY_LENGTH = 48;
export const BLS_SIGNATURE_LENGTH = 96;
/** The least seed material that makes a key. */
export const BLS_SEED_LENGTH = 32;

/**
 * A public key that was checked: a point of the group, not infinity. Checking costs as much as a tenth of a
 * verification, so keys are parsed once and kept. An engine accepts its own keys only.
 */
export interface BlsPublicKey {
  readonly bytes: Uint8Array;
}

export interface BlsSigned {
  readonly publicKey: BlsPublicKey;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** Verification of bytes that are no signature is false, not an error: they come from peers. */
export interface Bls {
  readonly engine: "native" | "portable";
  /** The private key that the IETF's KeyGen makes of at least 32 bytes of secret material. Throws BAD_SEED. */
  privateKeyFromSeed(seed: Uint8Array): Uint8Array;
  /** Throws BAD_PRIVATE_KEY. */
  publicKeyOf(privateKey: Uint8Array): BlsPublicKey;
  /** Throws BAD_PUBLIC_KEY. */
  publicKey(bytes: Uint8Array): BlsPublicKey;
  /** Throws BAD_PRIVATE_KEY. */
  sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array;
  verify(publicKey: BlsPublicKey, message: Uint8Array, signature: Uint8Array): boolean;
  /** Throws BAD_SIGNATURE, also when there are none. */
  aggregateSignatures(signatures: readonly Uint8Array[]): Uint8Array;
  /** The same for signatures that were verified: that they are in their group, two thirds of the cost, is known. */
  aggregateVerified(signatures: readonly Uint8Array[]): Uint8Array;
  /** Throws BAD_PUBLIC_KEY when there are none, or when their sum is infinity. */
  aggregatePublicKeys(publicKeys: readonly BlsPublicKey[]): BlsPublicKey;
  /** One signature over a message from each key. */
  aggregateVerify(publicKeys: readonly BlsPublicKey[], messages: readonly Uint8Array[], signature: Uint8Array): boolean;
  /** One signature over one message from all keys. Every key must have proven its possession. */
  fastAggregateVerify(publicKeys: readonly BlsPublicKey[], message: Uint8Array, signature: Uint8Array): boolean;
  /**
   * True when every one verifies, false otherwise, much faster than one by one; true for none. A wrong batch
   * passes with a chance of at most 2^-64. Says nothing about which one is wrong.
   */
  verifyBatch(signed: readonly BlsSigned[]): boolean;
  /**
   * The same for one message, faster still; false for none. Not what `fastAggregateVerify` says of their sum: that is
   * right also when errors in two of them cancel, which anybody can make of two right ones.
   */
  verifySame(publicKeys: readonly BlsPublicKey[], message: Uint8Array, signatures: readonly Uint8Array[]): boolean;
  /** Proof that the maker of the public key has the private one. Throws BAD_PRIVATE_KEY. */
  provePossession(privateKey: Uint8Array): Uint8Array;
  verifyPossession(publicKey: BlsPublicKey, proof: Uint8Array): boolean;
}
