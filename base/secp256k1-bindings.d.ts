/** The part of the `secp256k1` package that we use; it ships no types. */
declare module "secp256k1/bindings.js" {
  interface Bindings {
    privateKeyVerify(privateKey: Uint8Array): boolean;
    publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
    ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
    ecdsaRecover(
      signature: Uint8Array,
      recoveryId: number,
      hash: Uint8Array,
      compressed: boolean,
      output: Uint8Array,
    ): Uint8Array;
  }
  const bindings: Bindings;
  export = bindings;
}
