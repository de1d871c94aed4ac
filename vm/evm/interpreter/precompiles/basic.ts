/** 0x01 to 0x04 and 0x09: recovery, hashes, identity, BLAKE2's compression (EIP-152). */
import { ripemd160 } from "@noble/hashes/legacy.js";
import { bytesToBigint, EMPTY_BYTES, padLeft } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { recoverPublicKey } from "../../../../base/secp256k1.ts";
import { sha256 } from "../../../../base/sha256.ts";
import { blake2f } from "../../blake2f.ts";
import { type Precompile, padded } from "./precompile.ts";

/** hash, v (27 or 28), r, s. What nobody can have signed has no output, and is no error. */
export const ecrecover: Precompile = {
  gas: () => 3_000,
  run: (input) => {
    const bytes = padded(input, 0, 128);
    const v = bytesToBigint(bytes.subarray(32, 64));
    if (v !== 27n && v !== 28n) return EMPTY_BYTES;
    const [hash, r, s] = [bytes.subarray(0, 32), bytes.subarray(64, 96), bytes.subarray(96, 128)];
    const publicKey = recoverPublicKey(hash, r, s, v === 27n ? 0 : 1);
    return publicKey === undefined ? EMPTY_BYTES : padLeft(keccak256(publicKey).subarray(12), 32);
  },
};

function perWord(base: number, word: number): Precompile["gas"] {
  return (input) => base + word * Math.ceil(input.length / 32);
}

export const sha256Hash: Precompile = { gas: perWord(60, 12), run: (input) => sha256(input) };

export const ripemd160Hash: Precompile = { gas: perWord(600, 120), run: (input) => padLeft(ripemd160(input), 32) };

export const identity: Precompile = { gas: perWord(15, 3), run: (input) => input.slice() };

/** rounds (4 bytes), then F's input, of which the last byte is 0 or 1. */
const BLAKE2F_BYTES = 213;

function isBlake2fInput(input: Uint8Array): boolean {
  return input.length === BLAKE2F_BYTES && (input[BLAKE2F_BYTES - 1] as number) <= 1;
}

function rounds(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset).getUint32(0);
}

/** One gas per round. */
export const blake2: Precompile = {
  gas: (input) => (isBlake2fInput(input) ? rounds(input) : 0),
  run: (input) => (isBlake2fInput(input) ? blake2f(rounds(input), input.subarray(4)) : undefined),
};
