/** Executes a block: (parent state, header fields, transactions) -> roots, receipts, new state. */

import { assert } from "../../base/errors.ts";
import { finish, type Work } from "../../base/work.ts";
import { createEvmEngine } from "../evm/create-engine.ts";
import type { EvmEngine } from "../evm/evm-engine.ts";
import type { ModuleFault } from "../modules/module-fault.ts";
import { findingOrderedRoot } from "../patricia-root.ts";
import { type Bloom, bloomOfLogs, unionOfBlooms } from "../receipt/bloom.ts";
import { encodeReceipt, type Receipt } from "../receipt/receipt.ts";
import { systemReceipt } from "../receipt/system-receipt.ts";
import type { Address } from "../state/account.ts";
import type { StateChanges } from "../state/reader.ts";
import { advanceState, type StateVersion } from "../state/state-version.ts";
import { WorkingState } from "../state/working-state.ts";
import { TransactionError } from "../transaction/errors.ts";
import type { Transaction } from "../transaction/transaction.ts";
import type { TreeUpdate } from "../tree/types.ts";
import { applyTransaction, beginContext, type ExecutionContext } from "./apply-transaction.ts";
import type { ConservationViolation } from "./conservation.ts";
import type { BlockEnvironment } from "./environment.ts";
import type { ExecutionRules } from "./rules.ts";
import { runHooks } from "./run-hooks.ts";

/** A transaction with its sender: recovered once, in parallel, before execution. */
export interface RecoveredTransaction {
  readonly transaction: Transaction;
  readonly sender: Address;
}

export interface RejectedTransaction extends RecoveredTransaction {
  readonly error: TransactionError;
}

export interface ExecutedBlock {
  readonly included: readonly RecoveredTransaction[];
  /** Of the transactions in their order, then one of the protocol's own work if it has anything to tell. */
  readonly receipts: readonly Receipt[];
  /** Transactions that could not be included. A proposer drops them; a block that contains one is invalid. */
  readonly rejected: readonly RejectedTransaction[];
  readonly gasUsed: bigint;
  /** What of it those have used whose turn it was. */
  readonly reservedGasUsed: bigint;
  readonly logsBloom: Bloom;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  /** The state after the block, readable at once: an overlay over the parent. */
  readonly state: StateVersion;
  readonly changes: StateChanges;
  readonly treeUpdate: TreeUpdate;
  readonly violations: readonly ConservationViolation[];
  /** Bugs of ours that calls of modules met, which were undone. */
  readonly faults: readonly ModuleFault[];
}

/** Executes blocks of one chain: each transaction as a whole, while others may have a turn between two of them. */
export class BlockExecutor {
  private readonly rules: ExecutionRules;
  private readonly engine: EvmEngine;

  constructor(rules: ExecutionRules) {
    this.rules = rules;
    this.engine = createEvmEngine(rules);
  }

  execute(
    parent: StateVersion,
    environment: BlockEnvironment,
    transactions: readonly RecoveredTransaction[],
  ): ExecutedBlock {
    return finish(this.executing(parent, environment, transactions));
  }

  *executing(
    parent: StateVersion,
    environment: BlockEnvironment,
    transactions: readonly RecoveredTransaction[],
  ): Work<ExecutedBlock> {
    const { rules, engine } = this;
    const state = new WorkingState(parent.reader);
    const context = beginContext({ rules, environment, state, engine });
    const included: RecoveredTransaction[] = [];
    const receipts: Receipt[] = [];
    const rejected: RejectedTransaction[] = [];
    const logs = runHooks(rules, "beginBlock", state, environment);
    noteProtocolFaults(context);
    for (const recovered of transactions) {
      try {
        receipts.push(applyTransaction(context, recovered.transaction, recovered.sender));
        included.push(recovered);
      } catch (error) {
        if (!(error instanceof TransactionError)) throw error;
        rejected.push({ ...recovered, error });
      }
      yield;
    }
    const ending: BlockEnvironment = { ...environment, baseFees: context.baseFees };
    if (environment.consensus?.isSeal) logs.push(...runHooks(rules, "endEpoch", state, ending));
    logs.push(...runHooks(rules, "endBlock", state, ending));
    if (logs.length > 0) receipts.push(systemReceipt(logs, context.gasUsed));
    assert(state.balanceDelta === state.minted - state.burned, "the protocol's own work conserves the supply");
    noteProtocolFaults(context);
    const changes = state.changes();
    const { version, treeUpdate } = advanceState(parent, changes);
    yield;
    const transactionsRoot = yield* findingOrderedRoot(included.map(({ transaction }) => transaction.raw));
    const encoded: Uint8Array[] = [];
    for (const receipt of receipts) {
      encoded.push(encodeReceipt(receipt));
      yield;
    }
    const receiptsRoot = yield* findingOrderedRoot(encoded);
    yield;
    return {
      included,
      receipts,
      rejected,
      gasUsed: context.gasUsed,
      reservedGasUsed: context.reservedGasUsed,
      logsBloom: unionOfBlooms(receipts.map((receipt) => bloomOfLogs(receipt.logs))),
      stateRoot: version.head.root,
      ...{ transactionsRoot, receiptsRoot },
      state: version,
      changes,
      treeUpdate,
      violations: context.violations,
      faults: context.faults,
    };
  }
}

function noteProtocolFaults({ state, faults }: ExecutionContext): void {
  for (const fault of state.takeFaults()) faults.push({ ...fault, transaction: undefined });
}
