/**
 * (state, transaction) -> (state', receipt). Three paths behind one function: a plain transfer, a native module, the
 * EVM.
 */
import { bytesToHex, EMPTY_BYTES } from "../../base/bytes.ts";
import type { EvmEngine, EvmOutcome } from "../evm/evm-engine.ts";
import type { ExecutionListener } from "../evm/execution-listener.ts";
import type { ContractRunner } from "../modules/module-call.ts";
import type { ModuleFault } from "../modules/module-fault.ts";
import { runModule } from "../modules/run-module.ts";
import type { Receipt } from "../receipt/receipt.ts";
import { type Address, EMPTY_ACCOUNT, EMPTY_CODE_HASH, isEmptyAccount } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";
import { checkAgainstState, checkTransaction } from "../transaction/check.ts";
import { calldataFloorGas, intrinsicGas } from "../transaction/intrinsic-gas.ts";
import type { Transaction, UnsignedTransaction } from "../transaction/transaction.ts";
import { type ConservationViolation, findViolation } from "./conservation.ts";
import { type Lane, laneOf, markFailed } from "./duties.ts";
import type { BlockEnvironment } from "./environment.ts";
import { effectiveGasPrice } from "./fees.ts";
import { type ExecutionRules, isForkActive } from "./rules.ts";

/** The block being executed. */
export interface ExecutionContext {
  readonly rules: ExecutionRules;
  readonly environment: BlockEnvironment;
  readonly state: WorkingState;
  readonly engine: EvmEngine;
  /** Hears what the engine does not run: transfers and calls of modules. The engine has the same one. */
  readonly listener?: ExecutionListener | undefined;
  /** Gas that the block's transactions have used so far, and what of it those did whose turn it was. */
  gasUsed: bigint;
  reservedGasUsed: bigint;
  /** What they have paid as base fees. */
  baseFees: bigint;
  /** Money that appeared or vanished: empty unless we have a bug. */
  readonly violations: ConservationViolation[];
  /** Bugs of ours that calls of modules met: empty, likewise. */
  readonly faults: ModuleFault[];
}

/** Of a block none of whose transactions has run. */
export function beginContext(
  parts: Pick<ExecutionContext, "rules" | "environment" | "state" | "engine" | "listener">,
): ExecutionContext {
  return { ...parts, gasUsed: 0n, reservedGasUsed: 0n, baseFees: 0n, violations: [], faults: [] };
}

/** What running the transaction's message came to. */
export type Outcome = Pick<
  EvmOutcome,
  "succeeded" | "gasUsed" | "gasRefund" | "output" | "logs" | "failure" | "createdAddress" | "destroyed"
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
  const lane = laneOf(rules, environment, state, context, transaction, sender);
  noteFaults(context, transaction);
  checkAgainstState(transaction, state.account(sender), state, lane);
  const gasPrice = effectiveGasPrice(transaction, lane.baseFeePerGas);
  const terms = { lane, sender, gasPrice };
  buyGas(state, transaction, terms);
  const outcome = runMessage(context, transaction, sender, gasPrice);
  noteFaults(context, transaction);
  return settle(context, transaction, terms, outcome);
}

function noteFaults({ state, faults }: ExecutionContext, { hash }: Transaction): void {
  for (const fault of state.takeFaults()) faults.push({ ...fault, transaction: bytesToHex(hash) });
}

/** Who pays for a transaction, and what. */
interface Terms {
  readonly lane: Lane;
  readonly sender: Address;
  readonly gasPrice: bigint;
}

/** The sender pays for all the gas it may use, and its nonce is taken. */
function buyGas(state: WorkingState, { gasLimit }: Transaction, { sender, gasPrice }: Terms): void {
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
    if (module !== undefined) {
      tellBegin(context, transaction, sender, to, gasLimit);
      return tellEnd(context, callModule(context, module, transaction, sender, gasLimit, gasPrice), gasLimit);
    }
    const codeHash = state.account(to)?.codeHash ?? EMPTY_CODE_HASH;
    if (codeHash === EMPTY_CODE_HASH && !engine.isPrecompile(to)) {
      tellBegin(context, transaction, sender, to, gasLimit);
      state.transfer(sender, to, value);
      if (value === 0n) touch(state, to);
      return tellEnd(context, TRANSFERRED, gasLimit);
    }
  }
  return engine.execute({ from: sender, to, value, data, gasLimit, gasPrice, accessList }, state, environment);
}

function tellBegin(
  { listener }: ExecutionContext,
  { value, data }: UnsignedTransaction,
  from: Address,
  to: Address,
  gas: bigint,
): void {
  listener?.onBegin?.({ kind: "CALL", depth: 0, from, to, value, input: data, gas, gasOfSender: 0n });
}

function tellEnd({ listener }: ExecutionContext, outcome: Outcome, gas: bigint): Outcome {
  for (const log of outcome.logs) listener?.onLog?.(log);
  listener?.onEnd?.({ gasLeft: gas - outcome.gasUsed, output: outcome.output, failure: outcome.failure });
  return outcome;
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
  { state, environment, engine }: ExecutionContext,
  module: Parameters<typeof runModule>[0],
  { value, data, accessList }: UnsignedTransaction,
  caller: Address,
  gasLimit: bigint,
  gasPrice: bigint,
): Outcome {
  const mark = state.checkpoint();
  const destroyed: Address[] = [];
  const runContract: ContractRunner = (from, to, input, gas) => {
    const message = { from, to, value: 0n, data: input, gasLimit: gas, gasPrice, accessList };
    const outcome = engine.execute(message, state, environment);
    destroyed.push(...outcome.destroyed);
    return outcome;
  };
  state.transfer(caller, module.address, value);
  const message = { caller, value, data, gasLimit, isStatic: false, runContract };
  const outcome = runModule(module, message, state, environment);
  if (!outcome.succeeded) state.revert(mark);
  const { succeeded, gasUsed, output, logs } = outcome;
  const failure = succeeded ? undefined : outcome.outOfGas ? "out of gas" : "execution reverted";
  return { ...TRANSFERRED, succeeded, gasUsed, output, logs, failure, destroyed: succeeded ? destroyed : [] };
}

/** Refunds, fees, destroyed contracts, and the proof that no money appeared or vanished. */
function settle(context: ExecutionContext, transaction: Transaction, terms: Terms, outcome: Outcome): Receipt {
  const { state } = context;
  const gasUsed = chargedGas(context.rules, transaction, outcome);
  payFees(context, transaction, terms.sender, terms.gasPrice, gasUsed, terms.lane.baseFeePerGas);
  for (const address of outcome.destroyed) destroy(state, address);
  const violation = findViolation(state, transaction.hash);
  if (violation !== undefined) return failConservation(context, transaction, terms, violation);
  endTransaction(context, terms, gasUsed, outcome.succeeded);
  return {
    type: transaction.type,
    succeeded: outcome.succeeded,
    gasUsed,
    cumulativeGasUsed: context.gasUsed,
    effectiveGasPrice: terms.gasPrice,
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
export function payFees(
  { state, environment }: ExecutionContext,
  transaction: UnsignedTransaction,
  sender: Address,
  gasPrice: bigint,
  gasUsed: bigint,
  baseFeePerGas: bigint = environment.baseFeePerGas,
): void {
  state.setBalance(sender, state.balance(sender) + (transaction.gasLimit - gasUsed) * gasPrice);
  const tip = gasUsed * (gasPrice - baseFeePerGas);
  if (tip > 0n) state.setBalance(environment.coinbase, state.balance(environment.coinbase) + tip);
  else touch(state, environment.coinbase);
  state.recordBurn(gasUsed * baseFeePerGas);
}

/** What a destroyed contract still holds is burned. */
export function destroy(state: WorkingState, address: Address): void {
  state.recordBurn(state.balance(address));
  state.clearStorage(address);
  state.setAccount(address, undefined);
}

/** What it did is kept, its gas counted; a turn that failed is not taken at the floor price again. */
function endTransaction(
  context: ExecutionContext,
  { lane: { duty, baseFeePerGas } }: Terms,
  gasUsed: bigint,
  succeeded: boolean,
): void {
  const { state } = context;
  if (duty !== undefined && !succeeded) markFailed(state, duty);
  state.endTransaction();
  context.gasUsed += gasUsed;
  context.baseFees += gasUsed * baseFeePerGas;
  if (duty !== undefined) context.reservedGasUsed += gasUsed;
}

/** Undoes the transaction, takes all its gas and reports it: a bug of ours must not become somebody's money. */
function failConservation(
  context: ExecutionContext,
  transaction: Transaction,
  terms: Terms,
  violation: ConservationViolation,
): Receipt {
  const { state } = context;
  state.revert(0);
  context.violations.push(violation);
  buyGas(state, transaction, terms);
  payFees(context, transaction, terms.sender, terms.gasPrice, transaction.gasLimit, terms.lane.baseFeePerGas);
  endTransaction(context, terms, transaction.gasLimit, false);
  return {
    ...TRANSFERRED,
    type: transaction.type,
    succeeded: false,
    gasUsed: transaction.gasLimit,
    cumulativeGasUsed: context.gasUsed,
    effectiveGasPrice: terms.gasPrice,
  };
}
