/** Making and checking signatures of transactions. */
import { bytesToHex } from "../../base/bytes.ts";
import { isHighS, recoverAddress, recoverPublicKey, signHash } from "../../base/secp256k1.ts";
import type { Address } from "../state/account.ts";
import { transactionError } from "./errors.ts";
import { encodeSigned, signingHash, type Transaction, type UnsignedTransaction, unsignedHash } from "./transaction.ts";

/** The signed encoding. */
export function signTransaction(transaction: UnsignedTransaction, privateKey: Uint8Array): Uint8Array {
  return encodeSigned(transaction, signHash(unsignedHash(transaction), privateKey));
}

type Signature = Pick<Transaction, "r" | "s" | "yParity">;

/** The sender. Throws TX_SIGNATURE_HIGH_S or TX_SIGNATURE_INVALID. */
export function recoverSender(transaction: Transaction): Address {
  checkLowS(transaction);
  const { r, s, yParity } = transaction;
  return bytesToHex(known(recoverAddress(signingHash(transaction), r, s, yParity)));
}

/** The 64 bytes (x, y) of the key that signed the hash, with a low s. Throws TX_SIGNATURE_INVALID. */
export function recoverSenderKey(hash: Uint8Array, { r, s, yParity }: Signature): Uint8Array {
  return known(recoverPublicKey(hash, r, s, yParity));
}

/** Throws TX_SIGNATURE_HIGH_S. */
export function checkLowS({ s }: Pick<Signature, "s">): void {
  if (!isHighS(s)) return;
  throw transactionError("TX_SIGNATURE_HIGH_S", "the signature's s is above half the curve's order (EIP-2)");
}

function known(found: Uint8Array | undefined): Uint8Array {
  if (found !== undefined) return found;
  throw transactionError("TX_SIGNATURE_INVALID", "the signature belongs to no key");
}
