/**
 * ECDSA over secp256k1. The chain never verifies with a key: it recovers the key. So each signature is both
 * verified by the library and put through our recovery, and both must agree with the test.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, padLeft } from "../../../../base/bytes.ts";
import { isHighS, publicKeyToAddress, recoverAddress, SECP256K1_ORDER } from "../../../../base/secp256k1.ts";
import { attempt, bytesOf, expectSame } from "../check.ts";
import { digest } from "./hash-functions.ts";
import type { Checker } from "./types.ts";

interface EcdsaGroup {
  readonly type: string;
  readonly sha: string;
  readonly publicKey: { readonly curve: string; readonly uncompressed: string };
}

interface EcdsaTest {
  readonly msg: string;
  readonly sig: string;
}

/** x coordinates from the order up to here stand for an r that is smaller by the order. */
const FIELD_PRIME = secp256k1.Point.Fp.ORDER;

export const checkEcdsa: Checker = (test: EcdsaTest, group: EcdsaGroup) => {
  if (group.publicKey.curve !== "secp256k1") throw new Error(`no curve ${group.publicKey.curve}`);
  const format = group.type === "EcdsaP1363Verify" ? "compact" : "der";
  const lowS = group.type === "EcdsaBitcoinVerify";
  const publicKey = bytesOf(group.publicKey.uncompressed);
  const bytes = bytesOf(test.sig);
  const hash = hashInteger(digest(group.sha, bytesOf(test.msg)));
  const signature = attempt(() => secp256k1.Signature.fromBytes(bytes, format));
  if (signature === undefined) return false;
  const accepted = secp256k1.verify(bytes, hash, publicKey, { prehash: false, lowS, format });
  const { r, s } = signature;
  // A transaction has no way to say that the nonce's x was at or above the order.
  const recoverable = r + SECP256K1_ORDER >= FIELD_PRIME;
  if (recoverable) {
    const refused = lowS && isHighS(s);
    expectSame(recovers(hash, r, s, publicKey) && !refused, accepted, "what recovery says");
  }
  return accepted;
};

function recovers(hash: Uint8Array, r: bigint, s: bigint, publicKey: Uint8Array): boolean {
  const address = bytesToHex(publicKeyToAddress(publicKey));
  return ([0, 1] as const).some((yParity) => {
    const recovered = recoverAddress(hash, r, s, yParity);
    return recovered !== undefined && bytesToHex(recovered) === address;
  });
}

/** The leftmost 256 bits of a hash as ECDSA takes them, in 32 bytes. */
function hashInteger(hash: Uint8Array): Uint8Array {
  return padLeft(hash.subarray(0, 32), 32);
}
