/** What an implementation of secp256k1 does for secp256k1.ts, which prepares and checks the arguments. */
export interface Secp256k1Engine {
  readonly name: "native" | "portable";
  /**
   * The 65 bytes (0x04, x, y) of the key that made `signature` (r and s, 32 bytes each); `undefined` when there
   * is none. The result may be overwritten by the next call.
   */
  recover(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array | undefined;
  /** Deterministic by RFC 6979, s in the lower half. The hash, as an integer, is below the order. */
  sign(hash: Uint8Array, privateKey: Uint8Array): { readonly signature: Uint8Array; readonly recoveryId: number };
  isPrivateKey(privateKey: Uint8Array): boolean;
  /** 65 bytes (0x04, x, y) of a valid private key. */
  publicKey(privateKey: Uint8Array): Uint8Array;
}
