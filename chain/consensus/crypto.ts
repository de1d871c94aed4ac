/** The port for signatures: BLS in the product, a fast stand-in in the simulator. Keys are named by their bytes. */
import type { ValidatorId } from "./validator-set.ts";

export interface Crypto {
  verify(signer: ValidatorId, message: Uint8Array, signature: Uint8Array): boolean;
  /** One signature over one message by all signers. False for none. */
  verifyAggregate(signers: readonly ValidatorId[], message: Uint8Array, signature: Uint8Array): boolean;
  /** Whether each signer has signed the message: the signatures are in the same order. False for none. */
  verifyEach(signers: readonly ValidatorId[], message: Uint8Array, signatures: readonly Uint8Array[]): boolean;
  /** The sum of signatures that were verified, or `undefined` of none. */
  aggregate(signatures: readonly Uint8Array[]): Uint8Array | undefined;
}

/** The own key. Signing the same message twice gives the same bytes: a restart relies on it. */
export interface Signer {
  readonly id: ValidatorId;
  sign(message: Uint8Array): Uint8Array;
}
