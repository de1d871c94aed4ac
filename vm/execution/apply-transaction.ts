/**
 * (state, transaction) -> (state', receipt). Three paths behind one function: a plain transfer, a native module, the
 * EVM.
 */
import { EMPTY_BYTES } from "../../base/bytes.ts";
import type { EvmEngine, EvmOutcome } from "../evm/evm-engine.ts";
import { runModule } from "../modules/run-module.ts";
import type { Receipt } from "../receipt/receipt.ts";
import { type Address, EMPTY_ACCOUNT, EMPTY_CODE_HASH, isEmptyAccount } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";
import { checkAgainstState, checkTransaction } from "../transaction/check.ts";
import { calldataFloorGas, intrinsicGas } from "../transaction/intrinsic-gas.ts";
import type { Transaction, UnsignedTransaction } from "../transaction/transaction.ts";
import { type ConservationViolation, findViolation } from "./conservation.ts";
import type { BlockEnvironment } from "./environment.ts";
import { effectiveGasPrice } from "./fees.ts";
import { type ExecutionRules, isForkActive } from "./rules.ts";

/** The block being executed. */
export interface ExecutionContext {
  readonly rules: ExecutionRules;
  readonly environment: BlockEnvironment;
  readonly state: WorkingState;
  readonly engine: EvmEngine;
  /** Gas that the block's transactions have used so far. */
  gasUsed: bigint;
  /** Money that appeared or vanished: empty unless we have a bug. */
  readonly violations: ConservationViolation[];
}

/** What running the transaction's message came to. */
export type Outcome = Pick<
  EvmOutcome,
  "succeeded" | "gasUsed" | "gasRefund" | "output" | "logs" | "createdAddress" | "destroyed"
>;

/** A share of the gas used, at most, is refunded (EIP-3529). */
const MAX_REFUND_QUOTIENT = 5n;

/**
 * Runs the transaction and keeps its effects. Throws a TransactionError when it cannot be included; the state
 * is then as before.
 */
export function applyTransaction(context: ExecutionContext, transaction: Transaction, sender: Address): Receipt {
  const { rules, environment, state } = context;
  checkTransaction(transaction, rules);
  const account = state.account(sender);
  checkAgainstState(transaction, account, state, environment, context.gasUsed);
  const gasPrice = effectiveGasPrice(transaction, environment.baseFeePerGas);
  buyGas(state, transaction, sender, gasPrice);
  const outcome = runMessage(context, transaction, sender, gasPrice);
  return settle(context, transaction, sender, gasPrice, outcome);
}

/** The sender pays for all the gas it may use, and its nonce is taken. */
function buyGas(state: WorkingState, { gasLimit }: Transaction, sender: Address, gasPrice: bigint): void {
  const { nonce, balance, codeHash } = state.account(sender) ?? EMPTY_ACCOUNT;
  state.setAccount(sender, { nonce: nonce + 1n, balance: balance - gasLimit * gasPrice, codeHash });
}

/** Runs the message of a transaction whose gas is paid and whose sender's nonce is raised. */
export function runMessage(
  context: ExecutionContext,
  transaction: UnsignedTransaction,
  sender: Address,
  gasPrice: bigint,
): Outcome {
  const { rules, state, engine, environment } = context;
  const { to, value, data, accessList } = transaction;
  const gasLimit = transaction.gasLimit - intrinsicGas(transaction);
  if (to !== undefined) {
    const module = rules.modules.get(to);
    if (module !== undefined) return callModule(context, module, transaction, sender, gasLimit);
    const codeHash = state.account(to)?.codeHash ?? EMPTY_CODE_HASH;
    if (codeHash === EMPTY_CODE_HASH && !engine.isPrecompile(to)) {
      state.transfer(sender, to, value);
      if (value === 0n) touch(state, to);
      return TRANSFERRED;
    }
  }
  return engine.execute({ from: sender, to, value, data, gasLimit, gasPrice, accessList }, state, environment);
}

const TRANSFERRED: Outcome = {
  succeeded: true,
  gasUsed: 0n,
  gasRefund: 0n,
  output: EMPTY_BYTES,
  logs: [],
  createdAddress: undefined,
  destroyed: [],
};

/** An empty account that a transaction touches disappears (EIP-161). */
function touch(state: WorkingState, address: Address): void {
  const account = state.account(address);
  if (account !== undefined && isEmptyAccount(account)) state.setAccount(address, undefined);
}

function callModule(
  { state, environment }: ExecutionContext,
  module: Parameters<typeof runModule>[0],
  { value, data }: UnsignedTransaction,
  caller: Address,
  gasLimit: bigint,
): Outcome {
  const mark = state.checkpoint();
  state.transfer(caller, module.address, value);
  const outcome = runModule(module, { caller, value, data, gasLimit, isStatic: false }, state, environment);
  if (!outcome.succeeded) state.revert(mark);
  const { succeeded, gasUsed, output, logs } = outcome;
  return { ...TRANSFERRED, succeeded, gasUsed, output, logs };
}

/** Refunds, fees, destroyed contracts, and the proof that no money appeared or vanished. */
function settle(
  context: ExecutionContext,
  transaction: Transaction,
  sender: Address,
  gasPrice: bigint,
  outcome: Outcome,
): Receipt {
  const { state } = context;
  const gasUsed = chargedGas(context.rules, transaction, outcome);
  payFees(context, transaction, sender, gasPrice, gasUsed);
  for (const address of outcome.destroyed) destroy(state, address);
  const violation = findViolation(state, transaction.hash);
  if (violation !== undefined) return failConservation(context, transaction, sender, gasPrice, violation);
  state.endTransaction();
  context.gasUsed += gasUsed;
  return {
    type: transaction.type,
    succeeded: outcome.succeeded,
    gasUsed,
    cumulativeGasUsed: context.gasUsed,
    effectiveGasPrice: gasPrice,
    logs: outcome.logs,
    createdAddress: outcome.createdAddress,
    output: outcome.output,
  };
}

/** The gas that is paid for: with refunds, and at least the floor price of the call data. */
export function chargedGas(rules: ExecutionRules, transaction: UnsignedTransaction, outcome: Outcome): bigint {
  const spent = intrinsicGas(transaction) + outcome.gasUsed;
  const maxRefund = spent / MAX_REFUND_QUOTIENT;
  const used = spent - (outcome.gasRefund < maxRefund ? outcome.gasRefund : maxRefund);
  if (!isForkActive(rules, "prague")) return used;
  const floor = calldataFloorGas(transaction);
  return used > floor ? used : floor;
}

/** Unused gas back to the sender, the tip to the proposer, the base fee to nobody. */
function payFees(
  { state, environment }: ExecutionContext,
  transaction: Transaction,
  sender: Address,
  gasPrice: bigint,
  gasUsed: bigint,
): void {
  state.setBalance(sender, state.balance(sender) + (transaction.gasLimit - gasUsed) * gasPrice);
  const tip = gasUsed * (gasPrice - environment.baseFeePerGas);
  if (tip > 0n) state.setBalance(environment.coinbase, state.balance(environment.coinbase) + tip);
  else touch(state, environment.coinbase);
  state.recordBurn(gasUsed * environment.baseFeePerGas);
}

/** What a destroyed contract still holds is burned. */
function destroy(state: WorkingState, address: Address): void {
  state.recordBurn(state.balance(address));
  state.clearStorage(address);
  state.setAccount(address, undefined);
}

/** Undoes the transaction, takes all its gas and reports it: a bug of ours must not become somebody's money. */
function failConservation(
  context: ExecutionContext,
  transaction: Transaction,
  sender: Address,
  gasPrice: bigint,
  violation: ConservationViolation,
): Receipt {
  const { state } = context;
  state.revert(0);
  context.violations.push(violation);
  buyGas(state, transaction, sender, gasPrice);
  payFees(context, transaction, sender, gasPrice, transaction.gasLimit);
  state.endTransaction();
  context.gasUsed += transaction.gasLimit;
  return {
    ...TRANSFERRED,
    type: transaction.type,
    succeeded: false,
    gasUsed: transaction.gasLimit,
    cumulativeGasUsed: context.gasUsed,
    effectiveGasPrice: gasPrice,
  };
}
