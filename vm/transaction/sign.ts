/** Making and checking signatures of transactions. */
import { bytesToHex } from "../../base/bytes.ts";
import { isHighS, recoverAddress, signHash } from "../../base/secp256k1.ts";
import type { Address } from "../state/account.ts";
import { transactionError } from "./errors.ts";
import { encodeSigned, signingHash, type Transaction, type UnsignedTransaction, unsignedHash } from "./transaction.ts";

/** The signed encoding. */
export function signTransaction(transaction: UnsignedTransaction, privateKey: Uint8Array): Uint8Array {
  return encodeSigned(transaction, signHash(unsignedHash(transaction), privateKey));
}

/** The sender. Throws TX_SIGNATURE_HIGH_S or TX_SIGNATURE_INVALID. */
export function recoverSender(transaction: Transaction): Address {
  if (isHighS(transaction.s)) {
    throw transactionError("TX_SIGNATURE_HIGH_S", "the signature's s is above half the curve's order (EIP-2)");
  }
  const sender = recoverAddress(signingHash(transaction), transaction.r, transaction.s, transaction.yParity);
  if (sender === undefined) {
    throw transactionError("TX_SIGNATURE_INVALID", "the signature belongs to no key");
  }
  return bytesToHex(sender);
}
