/**
 * Signatures that only their key can make, within the simulator: hashes with a secret that nobody but the signer and
 * this oracle holds. An aggregate is the exclusive or of its parts. Real BLS (seconds per run) is for a few seeds.
 */
import { bytesToHex, concatBytes, equalBytes, type Hex, utf8 } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Crypto, Signer } from "../../chain/consensus/crypto.ts";

const LENGTH = 32;

export interface KeyMaker {
  readonly crypto: Crypto;
  signer(name: string): Signer;
}

export function simulatedKeys(): KeyMaker {
  const secrets = new Map<Hex, Uint8Array>();
  // Every node checks the same certificate: the answer is remembered, which no signature scheme could tell.
  const aggregates = new WeakMap<Uint8Array, Map<string, boolean>>();
  const signatureOf = (secret: Uint8Array, message: Uint8Array): Uint8Array => sha256(concatBytes(secret, message));
  const verifyAggregate = (signers: readonly Hex[], message: Uint8Array, signature: Uint8Array): boolean => {
    if (signers.length === 0) return false;
    const parts: Uint8Array[] = [];
    for (const id of signers) {
      const secret = secrets.get(id);
      if (secret === undefined) return false;
      parts.push(signatureOf(secret, message));
    }
    return equalBytes(exclusiveOr(parts), signature);
  };
  return {
    crypto: {
      verify: (signer, message, signature) => {
        const secret = secrets.get(signer);
        return secret !== undefined && equalBytes(signatureOf(secret, message), signature);
      },
      verifyAggregate: (signers, message, signature) => {
        const known = aggregates.get(signature) ?? new Map<string, boolean>();
        aggregates.set(signature, known);
        const key = bytesToHex(message) + signers.map((id) => id.slice(2, 10)).join("");
        const answer = known.get(key) ?? verifyAggregate(signers, message, signature);
        known.set(key, answer);
        return answer;
      },
      aggregate: (signatures) =>
        signatures.every(({ length }) => length === LENGTH) ? exclusiveOr(signatures) : undefined,
    },
    signer: (name) => {
      const secret = sha256(utf8(`secret of ${name}`));
      const id = bytesToHex(sha256(utf8(`key of ${name}`)));
      secrets.set(id, secret);
      return { id, sign: (message) => signatureOf(secret, message) };
    },
  };
}

function exclusiveOr(parts: readonly Uint8Array[]): Uint8Array {
  const sum = new Uint8Array(LENGTH);
  for (const part of parts) for (let i = 0; i < LENGTH; i++) sum[i] = (sum[i] ?? 0) ^ (part[i] ?? 0);
  return sum;
}
