/** Runs one message on a state without keeping anything: what `eth_call` and `eth_estimateGas` ask. */
import { formatOgpu } from "../../base/units.ts";
import { createEvmEngine } from "../evm/create-engine.ts";
import type { EvmEngine } from "../evm/evm-engine.ts";
import type { EngineOptions } from "../evm/interpreter/engine.ts";
import type { Log } from "../receipt/log.ts";
import { type Address, EMPTY_ACCOUNT } from "../state/account.ts";
import type { StateChanges, StateReader } from "../state/reader.ts";
import { WorkingState } from "../state/working-state.ts";
import { checkInitcode } from "../transaction/check.ts";
import { transactionError } from "../transaction/errors.ts";
import { calldataFloorGas, intrinsicGas } from "../transaction/intrinsic-gas.ts";
import type { AccessListEntry, UnsignedTransaction } from "../transaction/transaction.ts";
import { beginContext, chargedGas, destroy, payFees, runMessage } from "./apply-transaction.ts";
import type { BlockEnvironment } from "./environment.ts";
import { type ExecutionRules, isForkActive } from "./rules.ts";

export interface CallMessage {
  /** Anybody, contracts too: nothing is signed. */
  readonly from: Address;
  /** `undefined`: create a contract. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  /** 0: the caller does not pay for gas. */
  readonly gasPrice: bigint;
  readonly accessList: readonly AccessListEntry[];
}

export interface CallOutcome {
  readonly succeeded: boolean;
  /** What the call returned, or its revert data. */
  readonly output: Uint8Array;
  /** What a transaction would pay for. */
  readonly gasUsed: bigint;
  /** The same before refunds, which come too late to be spent. */
  readonly gasNeeded: bigint;
  readonly logs: readonly Log[];
  /** Why it did not succeed, in the words of Ethereum's clients. */
  readonly failure?: string | undefined;
  readonly createdAddress: Address | undefined;
  /** What the call would have changed, fees included. To be asked for once. */
  changes(): StateChanges;
}

/** One chain's caller. Messages wait for each other: an engine runs one at a time. */
export class MessageCaller {
  private readonly rules: ExecutionRules;
  private readonly engine: EvmEngine;
  private last: Promise<unknown> = Promise.resolve();

  constructor(rules: ExecutionRules) {
    this.rules = rules;
    this.engine = createEvmEngine(rules);
  }

  /** Throws TX_INITCODE_TOO_LARGE, TX_INSUFFICIENT_FUNDS, TX_INTRINSIC_GAS_TOO_LOW or TX_CALLDATA_FLOOR_TOO_LOW. */
  call(
    parent: StateReader,
    environment: BlockEnvironment,
    message: CallMessage,
    options: EngineOptions = {},
  ): Promise<CallOutcome> {
    const run = this.last.then(() => this.run(parent, environment, message, options));
    this.last = run.catch(() => undefined);
    return run;
  }

  private async run(
    parent: StateReader,
    environment: BlockEnvironment,
    message: CallMessage,
    { listener, precompiles }: EngineOptions,
  ): Promise<CallOutcome> {
    const { rules } = this;
    const isUsual = listener === undefined && precompiles === undefined;
    const engine = isUsual ? this.engine : createEvmEngine(rules, { listener, precompiles });
    const { from, gasLimit, gasPrice } = message;
    const state = new WorkingState(parent);
    const transaction = transactionOf(message, rules.chainId);
    const floor = isForkActive(rules, "prague") ? calldataFloorGas(transaction) : 0n;
    checkInitcode(message);
    checkGas(transaction, floor);
    const { nonce, balance, codeHash } = state.account(from) ?? EMPTY_ACCOUNT;
    const gasMoney = gasLimit * gasPrice;
    if (balance < gasMoney + message.value) {
      throw transactionError(
        "TX_INSUFFICIENT_FUNDS",
        `needs ${formatOgpu(gasMoney + message.value)} oGPU, the sender has ${formatOgpu(balance)} oGPU`,
        {
          needed: gasMoney + message.value,
          balance,
        },
      );
    }
    state.setAccount(from, { nonce: nonce + 1n, balance: balance - gasMoney, codeHash });
    const context = beginContext({ rules, environment, state, engine, listener });
    const outcome = runMessage(context, transaction, from, gasPrice);
    const spent = intrinsicGas(transaction) + outcome.gasUsed;
    const gasUsed = chargedGas(rules, transaction, outcome);
    return {
      succeeded: outcome.succeeded,
      output: outcome.output,
      gasUsed,
      gasNeeded: spent > floor ? spent : floor,
      logs: outcome.logs,
      failure: outcome.failure,
      createdAddress: outcome.createdAddress,
      changes: () => {
        // A call may pay less than the base fee, or nothing: then there is no tip.
        payFees(context, transaction, from, gasPrice, gasUsed);
        for (const address of outcome.destroyed) destroy(state, address);
        return state.changes();
      },
    };
  }
}

function transactionOf(message: CallMessage, chainId: bigint): UnsignedTransaction {
  const { to, value, data, gasLimit, gasPrice, accessList } = message;
  const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
  return { type: 2, chainId, nonce: 0n, ...fees, gasLimit, to, value, data, accessList };
}

function checkGas(transaction: UnsignedTransaction, floor: bigint): void {
  const { gasLimit } = transaction;
  const needed = intrinsicGas(transaction);
  if (gasLimit < needed) {
    throw transactionError("TX_INTRINSIC_GAS_TOO_LOW", `needs at least ${needed} gas, has ${gasLimit}`, {
      needed,
      gasLimit,
    });
  }
  if (gasLimit < floor) {
    throw transactionError("TX_CALLDATA_FLOOR_TOO_LOW", `its call data needs at least ${floor} gas (EIP-7623)`, {
      needed: floor,
      gasLimit,
    });
  }
}
