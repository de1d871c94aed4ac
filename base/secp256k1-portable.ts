/** secp256k1 in JavaScript: serves where the native library does not load, and checks it in the tests. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { Secp256k1Engine } from "./secp256k1-engine.ts";

const { Fn } = secp256k1.Point;

export const portableSecp256k1: Secp256k1Engine = {
  name: "portable",

  recover(hash, signature, yParity) {
    const r = Fn.fromBytes(signature.subarray(0, 32), true);
    const s = Fn.fromBytes(signature.subarray(32), true);
    if (!Fn.isValidNot0(r) || !Fn.isValidNot0(s)) return undefined;
    const parsed = new secp256k1.Signature(r, s, yParity);
    try {
      return parsed.recoverPublicKey(hash).toBytes(false);
    } catch {
      // The library throws for the two cases that are left and for no other: r is the x of no point, and the
      // key would be infinity.
      return undefined;
    }
  },

  sign(hash, privateKey) {
    const signed = secp256k1.sign(hash, privateKey, { prehash: false, lowS: true, format: "recovered" });
    return { signature: signed.subarray(1), recoveryId: signed[0] as number };
  },

  isPrivateKey(privateKey) {
    return secp256k1.utils.isValidSecretKey(privateKey);
  },

  publicKey(privateKey) {
    return secp256k1.getPublicKey(privateKey, false);
  },
};
