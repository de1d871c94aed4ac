/**
 * Signatures that only their key can make, within the simulator: hashes with a secret that nobody but the signer and
 * this oracle holds, as long as real ones. An aggregate is the exclusive or of its parts. Real BLS (seconds per run) is
 * for a few seeds.
 */
import { BLS_PUBLIC_KEY_LENGTH, BLS_SIGNATURE_LENGTH } from "../../base/bls-types.ts";
import { bytesToHex, concatBytes, equalBytes, type Hex, utf8 } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Crypto, Signer } from "../../chain/consensus/crypto.ts";

export interface KeyMaker {
  readonly crypto: Crypto;
  signer(name: string): Signer;
}

export function simulatedKeys(): KeyMaker {
  const secrets = new Map<Hex, Uint8Array>();
  // All nodes check the same certificates and add up the same votes: what came out once is remembered by the bytes.
  const answers = new Map<string, boolean>();
  const signatures = new Map<string, Uint8Array>();
  const remember = <Value>(memory: Map<string, Value>, key: string, make: () => Value): Value => {
    const known = memory.get(key);
    if (known !== undefined) return known;
    if (memory.size >= MEMORY) memory.clear();
    const value = make();
    memory.set(key, value);
    return value;
  };
  const signatureOf = (id: Hex, secret: Uint8Array, message: Uint8Array): Uint8Array =>
    remember(signatures, id.slice(2, 18) + textOf(message), () => padded(sha256(concatBytes(secret, message))));
  const verifyAggregate = (signers: readonly Hex[], message: Uint8Array, signature: Uint8Array): boolean => {
    const sum = new Uint8Array(BLS_SIGNATURE_LENGTH);
    for (const id of signers) {
      const secret = secrets.get(id);
      if (secret === undefined) return false;
      addTo(sum, signatureOf(id, secret, message));
    }
    return signers.length > 0 && equalBytes(sum, signature);
  };
  const verify: Crypto["verify"] = (signer, message, signature) => {
    const secret = secrets.get(signer);
    return secret !== undefined && equalBytes(signatureOf(signer, secret, message), signature);
  };
  // All nodes check the very same votes, which nobody changes: that one is right is remembered with it.
  const right = new WeakMap<Uint8Array, { readonly signer: Hex; readonly message: string }>();
  const verifyOne = (signer: Hex, message: Uint8Array, text: string, signature: Uint8Array): boolean => {
    const known = right.get(signature);
    if (known !== undefined && known.signer === signer && known.message === text) return true;
    if (!verify(signer, message, signature)) return false;
    right.set(signature, { signer, message: text });
    return true;
  };
  return {
    crypto: {
      verify,
      verifyEach: (signers, message, parts) => {
        const text = textOf(message);
        return signers.length > 0 && signers.every((id, i) => verifyOne(id, message, text, parts[i] as Uint8Array));
      },
      verifyAggregate: (signers, message, signature) => {
        const key = textOf(message) + textOf(signature) + signers.map((id) => id.slice(2, 8)).join("");
        return remember(answers, key, () => verifyAggregate(signers, message, signature));
      },
      aggregate: (parts) => {
        if (parts.length === 0) return undefined;
        const sum = new Uint8Array(BLS_SIGNATURE_LENGTH);
        for (const part of parts) {
          if (part.length !== BLS_SIGNATURE_LENGTH) return undefined;
          addTo(sum, part);
        }
        return sum;
      },
    },
    signer: (name) => {
      const secret = sha256(utf8(`secret of ${name}`));
      const halves = [sha256(utf8(`key of ${name}`)), sha256(utf8(`the rest of the key of ${name}`))];
      const id = bytesToHex(concatBytes(...halves).subarray(0, BLS_PUBLIC_KEY_LENGTH));
      secrets.set(id, secret);
      return { id, sign: (message) => signatureOf(id, secret, message).slice() };
    },
  };
}

const MEMORY = 100_000;

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function padded(hash: Uint8Array): Uint8Array {
  const signature = new Uint8Array(BLS_SIGNATURE_LENGTH);
  signature.set(hash);
  return signature;
}

function addTo(sum: Uint8Array, part: Uint8Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) ^ (part[i] as number);
}
