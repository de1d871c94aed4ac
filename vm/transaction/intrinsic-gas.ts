/** Gas that a transaction costs before anything runs. */
import type { UnsignedTransaction } from "./transaction.ts";

const TRANSACTION_GAS = 21_000;
const CREATE_GAS = 32_000;
const ZERO_BYTE_GAS = 4;
/** EIP-2028 */
const NONZERO_BYTE_GAS = 16;
/** EIP-2930 */
const ACCESS_LIST_ADDRESS_GAS = 2_400;
const ACCESS_LIST_SLOT_GAS = 1_900;
/** EIP-3860 */
const INITCODE_WORD_GAS = 2;
/** EIP-7623: one token for a zero byte, four for another. */
const FLOOR_TOKEN_GAS = 10;

function zeroBytes(data: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++;
  return zeros;
}

export function intrinsicGas(transaction: UnsignedTransaction): bigint {
  const { data, accessList, to } = transaction;
  if (data.length === 0 && to !== undefined && accessList.length === 0) return PLAIN_GAS;
  const zeros = zeroBytes(data);
  let gas = TRANSACTION_GAS + zeros * ZERO_BYTE_GAS + (data.length - zeros) * NONZERO_BYTE_GAS;
  if (to === undefined) gas += CREATE_GAS + INITCODE_WORD_GAS * Math.ceil(data.length / 32);
  for (const entry of accessList) gas += ACCESS_LIST_ADDRESS_GAS + ACCESS_LIST_SLOT_GAS * entry.slots.length;
  return BigInt(gas);
}

const PLAIN_GAS = BigInt(TRANSACTION_GAS);

/** The least that a transaction with this call data pays from Prague on (EIP-7623). */
export function calldataFloorGas(transaction: UnsignedTransaction): bigint {
  const { data } = transaction;
  if (data.length === 0) return PLAIN_GAS;
  const zeros = zeroBytes(data);
  const tokens = zeros + 4 * (data.length - zeros);
  return BigInt(TRANSACTION_GAS + FLOOR_TOKEN_GAS * tokens);
}
