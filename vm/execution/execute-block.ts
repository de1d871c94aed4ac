/** Executes a block: (parent state, header fields, transactions) -> roots, receipts, new state. */

import { assert } from "../../base/errors.ts";
import { createEvmEngine } from "../evm/create-engine.ts";
import type { EvmEngine } from "../evm/evm-engine.ts";
import { orderedRoot } from "../patricia-root.ts";
import { type Bloom, bloomOfLogs, unionOfBlooms } from "../receipt/bloom.ts";
import { encodeReceipt, type Receipt } from "../receipt/receipt.ts";
import type { Address } from "../state/account.ts";
import type { StateChanges } from "../state/reader.ts";
import { advanceState, type StateVersion } from "../state/state-version.ts";
import { WorkingState } from "../state/working-state.ts";
import { TransactionError } from "../transaction/errors.ts";
import type { Transaction } from "../transaction/transaction.ts";
import type { TreeUpdate } from "../tree/types.ts";
import { applyTransaction, type ExecutionContext } from "./apply-transaction.ts";
import type { ConservationViolation } from "./conservation.ts";
import type { BlockEnvironment } from "./environment.ts";
import type { ExecutionRules } from "./rules.ts";

/** A transaction with its sender: recovered once, in parallel, before execution. */
export interface RecoveredTransaction {
  readonly transaction: Transaction;
  readonly sender: Address;
}

export interface RejectedTransaction extends RecoveredTransaction {
  readonly error: TransactionError;
}

export interface ExecutedBlock {
  /** The transactions that are in the block, with their receipts in the same order. */
  readonly included: readonly RecoveredTransaction[];
  readonly receipts: readonly Receipt[];
  /** Transactions that could not be included. A proposer drops them; a block that contains one is invalid. */
  readonly rejected: readonly RejectedTransaction[];
  readonly gasUsed: bigint;
  readonly logsBloom: Bloom;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  /** The state after the block, readable at once: an overlay over the parent. */
  readonly state: StateVersion;
  readonly changes: StateChanges;
  readonly treeUpdate: TreeUpdate;
  readonly violations: readonly ConservationViolation[];
}

/** Executes blocks of one chain. Nothing is awaited, so one block ends before the next begins. */
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
    const { rules, engine } = this;
    const state = new WorkingState(parent.reader);
    const context: ExecutionContext = { rules, environment, state, engine, gasUsed: 0n, violations: [] };
    const included: RecoveredTransaction[] = [];
    const receipts: Receipt[] = [];
    const rejected: RejectedTransaction[] = [];
    for (const recovered of transactions) {
      try {
        receipts.push(applyTransaction(context, recovered.transaction, recovered.sender));
        included.push(recovered);
      } catch (error) {
        if (!(error instanceof TransactionError)) throw error;
        rejected.push({ ...recovered, error });
      }
    }
    for (const module of rules.modules.values()) module.endBlock?.(state, environment);
    assert(state.balanceDelta === state.minted - state.burned, "the protocol's own work conserves the supply");
    const changes = state.changes();
    const { version, treeUpdate } = advanceState(parent, changes);
    return {
      included,
      receipts,
      rejected,
      gasUsed: context.gasUsed,
      logsBloom: unionOfBlooms(receipts.map((receipt) => bloomOfLogs(receipt.logs))),
      stateRoot: version.head.root,
      transactionsRoot: orderedRoot(included.map(({ transaction }) => transaction.raw)),
      receiptsRoot: orderedRoot(receipts.map(encodeReceipt)),
      state: version,
      changes,
      treeUpdate,
      violations: context.violations,
    };
  }
}
