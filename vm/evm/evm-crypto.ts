/** The cryptography that the EVM's opcodes and precompiles use: ours, which is many times faster than its own. */
import type { CustomCrypto } from "@ethereumjs/common";
import { type EVMBLSInterface, type EVMBN254Interface, MCLBLS, RustBN254 } from "@ethereumjs/evm";
import * as mcl from "mcl-wasm";
import { initRustBN } from "rustbn-wasm";
import { hexToBytes, padLeft } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { recoverPublicKey } from "../../base/secp256k1.ts";
import { sha256 } from "../../base/sha256.ts";
import { verifyKzgProof } from "./kzg.ts";

/** ECRECOVER passes v as 27 or 28. The precompile takes a throw as "no such key". */
function ecrecover(hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
  const publicKey = recoverPublicKey(hash, padLeft(r, 32), padLeft(s, 32), v === 27n ? 0 : 1);
  if (publicKey === undefined) throw new Error("no key made this signature");
  return publicKey;
}

function noBlobs(): never {
  throw new Error("this chain has no blobs");
}

export const evmCrypto: CustomCrypto = {
  keccak256,
  sha256,
  ecrecover,
  // Of KZG, the EVM needs the point evaluation precompile alone.
  kzg: {
    verifyProof: (commitment: string, z: string, y: string, proof: string) =>
      verifyKzgProof(hexToBytes(commitment), hexToBytes(z), hexToBytes(y), hexToBytes(proof)),
    blobToKzgCommitment: noBlobs,
    computeBlobProof: noBlobs,
    verifyBlobProofBatch: noBlobs,
    computeCells: noBlobs,
    computeCellsAndProofs: noBlobs,
    recoverCellsAndProofs: noBlobs,
    verifyCellKzgProofBatch: noBlobs,
  },
};

/** Pairings in WebAssembly: the EVM's own, in JavaScript, are so slow that one block of them takes minutes. */
export const bn254: EVMBN254Interface = new RustBN254(await initRustBN());

await mcl.init(mcl.BLS12_381);
export const bls: EVMBLSInterface = new MCLBLS(mcl);
