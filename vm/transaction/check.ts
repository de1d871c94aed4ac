/** The rules that decide whether a transaction may be included: first those that need no state, then the rest. */
import { formatGwei, formatOgpu } from "../../base/units.ts";
import { TRANSACTION_GAS_CAP } from "../../genesis/verify-parameters.ts";
import type { GasTerms } from "../execution/fees.ts";
import { type ExecutionRules, isForkActive } from "../execution/rules.ts";
import { type Account, EMPTY_ACCOUNT, EMPTY_CODE_HASH } from "../state/account.ts";
import type { StateReader } from "../state/reader.ts";
import { transactionError } from "./errors.ts";
import { calldataFloorGas, intrinsicGas } from "./intrinsic-gas.ts";
import { checkSize, type Transaction } from "./transaction.ts";

/** EIP-3860: twice the largest contract. */
const MAX_INITCODE_BYTES = 49_152;
const MAX_UINT256 = (1n << 256n) - 1n;

/** Throws a TransactionError when no state could make the transaction valid on this chain. */
export function checkTransaction(transaction: Transaction, rules: ExecutionRules): void {
  checkChain(transaction, rules);
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw transactionError("TX_PRIORITY_FEE_ABOVE_MAX_FEE", "the priority fee is above the maximum fee", {
      maxPriorityFeePerGas,
      maxFeePerGas,
    });
  }
  if (gasLimit * maxFeePerGas > MAX_UINT256) {
    throw transactionError("TX_FEE_OVERFLOW", "gas limit times fee does not fit 256 bits", { gasLimit, maxFeePerGas });
  }
  checkInitcode(transaction);
  if (isForkActive(rules, "osaka") && gasLimit > TRANSACTION_GAS_CAP) {
    throw transactionError("TX_GAS_LIMIT_ABOVE_CAP", `a transaction asks for at most ${TRANSACTION_GAS_CAP} gas`, {
      gasLimit,
    });
  }
  const needed = intrinsicGas(transaction);
  if (gasLimit < needed) {
    throw transactionError("TX_INTRINSIC_GAS_TOO_LOW", `needs at least ${needed} gas, has ${gasLimit}`, {
      needed,
      gasLimit,
    });
  }
  if (isForkActive(rules, "prague")) {
    const floor = calldataFloorGas(transaction);
    if (gasLimit < floor) {
      throw transactionError("TX_CALLDATA_FLOOR_TOO_LOW", `its call data needs at least ${floor} gas (EIP-7623)`, {
        needed: floor,
        gasLimit,
      });
    }
  }
}

/** Throws TX_INITCODE_TOO_LARGE. */
export function checkInitcode({ to, data }: Pick<Transaction, "to" | "data">): void {
  if (to !== undefined || data.length <= MAX_INITCODE_BYTES) return;
  throw transactionError("TX_INITCODE_TOO_LARGE", `init code has at most ${MAX_INITCODE_BYTES} bytes (EIP-3860)`, {
    length: data.length,
  });
}

function checkChain(transaction: Transaction, rules: ExecutionRules): void {
  checkSize(transaction.raw, rules.maxTransactionBytes);
  if (transaction.chainId === undefined) {
    if (!rules.allowUnprotected) {
      throw transactionError("TX_UNPROTECTED", "sign with a chain id (EIP-155)");
    }
  } else if (transaction.chainId !== rules.chainId) {
    throw transactionError("TX_WRONG_CHAIN", `signed for chain ${transaction.chainId}, this is ${rules.chainId}`, {
      chainId: transaction.chainId,
    });
  }
}

/** Throws a TransactionError when the transaction cannot be next in this block. */
export function checkAgainstState(
  transaction: Transaction,
  sender: Account | undefined,
  state: StateReader,
  { gasLeft, baseFeePerGas }: GasTerms,
): void {
  const account = sender ?? EMPTY_ACCOUNT;
  const { nonce, gasLimit, maxFeePerGas, value } = transaction;
  if (gasLimit > gasLeft) {
    throw transactionError("TX_GAS_LIMIT_ABOVE_BLOCK", "asks for more gas than the block has left", {
      gasLimit,
      left: gasLeft,
    });
  }
  if (maxFeePerGas < baseFeePerGas) {
    throw transactionError(
      "TX_FEE_BELOW_BASE_FEE",
      `pays at most ${feeText(maxFeePerGas)}, the base fee is ${feeText(baseFeePerGas)}`,
      {
        maxFeePerGas,
        baseFeePerGas,
      },
    );
  }
  checkNonce(nonce, account.nonce);
  if (account.codeHash !== EMPTY_CODE_HASH && !isDelegation(state.code(account.codeHash))) {
    throw transactionError("TX_SENDER_HAS_CODE", "the sender is a contract (EIP-3607)");
  }
  const cost = gasLimit * maxFeePerGas + value;
  if (account.balance < cost) {
    const [needs, has] = [formatOgpu(cost), formatOgpu(account.balance)];
    throw transactionError("TX_INSUFFICIENT_FUNDS", `needs ${needs} oGPU, the sender has ${has} oGPU`, {
      needed: cost,
      balance: account.balance,
    });
  }
}

function feeText(weiPerGas: bigint): string {
  return `${formatGwei(weiPerGas)} gwei per gas`;
}

function checkNonce(nonce: bigint, expected: bigint): void {
  if (nonce < expected) {
    throw transactionError("TX_NONCE_TOO_LOW", `nonce ${nonce} was used, the next is ${expected}`, { nonce, expected });
  }
  if (nonce > expected) {
    throw transactionError("TX_NONCE_TOO_HIGH", `nonce ${nonce} has to wait for ${expected}`, { nonce, expected });
  }
}

/** EIP-7702: an account that delegates is still a person's. */
function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00;
}
