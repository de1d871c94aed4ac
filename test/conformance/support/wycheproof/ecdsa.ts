/**
 * ECDSA over secp256k1. The chain recovers keys, and checks signatures against keys that it knows. So each signature is
 * verified by the library, put through our recovery and through our check, and all must agree with the test.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytes32, bytesToHex, padLeft } from "../../../../base/bytes.ts";
import { isHighS, publicKeyToAddress, recoverAddress, SECP256K1_ORDER } from "../../../../base/secp256k1.ts";
import { type KeyAddon, loadKeyAddon } from "../../../../chain/senders/known-keys.ts";
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

const addon = loadKeyAddon();

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
    const isSame = recovered !== undefined && bytesToHex(recovered) === address;
    if (addon !== undefined)
      expectSame(isConfirmed(addon, hash, r, s, yParity, publicKey), isSame, "what the check says");
    return isSame;
  });
}

function isConfirmed(
  { makeTable, check }: KeyAddon,
  hash: Uint8Array,
  r: bigint,
  s: bigint,
  yParity: 0 | 1,
  publicKey: Uint8Array,
): boolean {
  const table = makeTable(publicKey.subarray(1));
  if (table === undefined || r >= 2n ** 256n || s >= 2n ** 256n) return false;
  const signature = new Uint8Array([...hash, ...bytes32(r), ...bytes32(s), yParity]);
  return check(signature, Uint32Array.of(0), [table])[0] === 1;
}

/** The leftmost 256 bits of a hash as ECDSA takes them, in 32 bytes. */
function hashInteger(hash: Uint8Array): Uint8Array {
  return padLeft(hash.subarray(0, 32), 32);
}
