/** Cases that encode, sign and read back one transaction in each of its types. */
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { recoverSender, signTransaction } from "../../../../vm/transaction/sign.ts";
import {
  decodeTransaction,
  encodeUnsigned,
  type TransactionType,
  type UnsignedTransaction,
} from "../../../../vm/transaction/transaction.ts";
import { bytesOf, expectBytes, expectCode, expectSame } from "../check.ts";

interface Fields {
  readonly to?: string | null;
  readonly nonce?: string | number;
  readonly gasLimit?: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly data?: string;
  readonly value?: string;
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: readonly string[] }[];
  readonly chainId?: string;
}

/** The text is empty where the fields of the case do not make a transaction of that type. */
export interface TransactionCase {
  readonly transaction: Fields;
  readonly privateKey: string;
  readonly unsignedLegacy?: string;
  readonly signedLegacy?: string;
  readonly unsignedEip155?: string;
  readonly signedEip155?: string;
  readonly unsignedBerlin?: string;
  readonly signedBerlin?: string;
  readonly unsignedLondon?: string;
  readonly signedLondon?: string;
  readonly unsignedCancun?: string;
  readonly signedCancun?: string;
}

export function checkTransactions(test: TransactionCase): void {
  const key = bytesOf(test.privateKey);
  const { chainId } = test.transaction;
  checkOne("legacy", unsigned(test.transaction, 0, undefined), key, test.unsignedLegacy, test.signedLegacy);
  const protectedLegacy = unsigned(test.transaction, 0, integer(chainId));
  checkOne("EIP-155", protectedLegacy, key, test.unsignedEip155, test.signedEip155);
  checkOne("EIP-2930", unsigned(test.transaction, 1), key, test.unsignedBerlin, test.signedBerlin);
  checkOne("EIP-1559", unsigned(test.transaction, 2), key, test.unsignedLondon, test.signedLondon);
  // Blob transactions are not part of this chain: refusing one by its own code is what is right.
  for (const encoded of [test.unsignedCancun, test.signedCancun]) {
    if (encoded) expectCode(() => decodeTransaction(bytesOf(encoded)), "TX_TYPE_UNSUPPORTED", "a blob transaction");
  }
}

function checkOne(
  name: string,
  transaction: UnsignedTransaction,
  key: Uint8Array,
  unsignedText: string | undefined,
  signedText: string | undefined,
): void {
  if (unsignedText) expectBytes(encodeUnsigned(transaction), unsignedText, `the unsigned ${name} transaction`);
  if (!signedText) return;
  expectBytes(signTransaction(transaction, key), signedText, `the signed ${name} transaction`);
  const decoded = decodeTransaction(bytesOf(signedText));
  expectSame(fieldsText(decoded), fieldsText(transaction), `the decoded ${name} transaction`);
  expectSame(recoverSender(decoded), bytesToHex(privateKeyToAddress(key)), `the sender of the ${name} transaction`);
}

function unsigned(fields: Fields, type: TransactionType, chainId?: bigint): UnsignedTransaction {
  const maxFeePerGas = integer(type === 2 ? fields.maxFeePerGas : fields.gasPrice);
  return {
    type,
    chainId: type === 0 ? chainId : integer(fields.chainId),
    nonce: integer(fields.nonce),
    maxFeePerGas,
    maxPriorityFeePerGas: type === 2 ? integer(fields.maxPriorityFeePerGas) : maxFeePerGas,
    gasLimit: integer(fields.gasLimit),
    to: fields.to ? lower(fields.to) : undefined,
    value: integer(fields.value),
    data: bytesOf(fields.data ?? "0x"),
    accessList: (type === 0 ? [] : (fields.accessList ?? [])).map(({ address, storageKeys }) => ({
      address: lower(address),
      slots: storageKeys.map(lower),
    })),
  };
}

/** Absent fields and empty bytes are zero. */
function integer(value: string | number | undefined): bigint {
  return value === undefined || value === "0x" ? 0n : BigInt(value);
}

function lower(hex: string): Hex {
  return bytesToHex(bytesOf(hex));
}

/** The fields that a sender signs, in one order whatever object they come from. */
function fieldsText(transaction: UnsignedTransaction): string {
  const { type, chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit, to, value, data, accessList } =
    transaction;
  const numbers = [type, chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, gasLimit, value].map(String);
  return JSON.stringify([
    numbers,
    to ?? null,
    bytesToHex(data),
    accessList.map((entry) => [entry.address, entry.slots]),
  ]);
}
