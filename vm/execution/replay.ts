/** Runs the transactions of a block once more, for whoever wants to see what they did. Nothing is kept. */
import { createEvmEngine } from "../evm/create-engine.ts";
import type { EvmEngine } from "../evm/evm-engine.ts";
import type { ExecutionListener } from "../evm/execution-listener.ts";
import type { Receipt } from "../receipt/receipt.ts";
import { GrowingOverlay } from "../state/growing-overlay.ts";
import type { StateChanges, StateReader } from "../state/reader.ts";
import { RecordingState } from "../state/recording-state.ts";
import { WorkingState } from "../state/working-state.ts";
import { applyTransaction, beginContext } from "./apply-transaction.ts";
import type { BlockEnvironment } from "./environment.ts";
import type { RecoveredTransaction } from "./execute-block.ts";
import type { ExecutionRules } from "./rules.ts";
import { runHooks } from "./run-hooks.ts";

export interface Replayed {
  readonly receipt: Receipt;
  /** What the transaction has read, as it was before it. */
  readonly before: RecordingState;
  readonly changes: StateChanges;
}

/** One after the other, from the block's first on. */
export class BlockReplay {
  private readonly rules: ExecutionRules;
  private readonly environment: BlockEnvironment;
  private readonly state: GrowingOverlay;
  private readonly engine: EvmEngine;
  private gasUsed = 0n;
  private reservedGasUsed = 0n;
  private minted = 0n;
  private burned = 0n;

  /** `parent` is the state before the block. */
  constructor(rules: ExecutionRules, parent: StateReader, environment: BlockEnvironment) {
    this.rules = rules;
    this.environment = environment;
    this.state = new GrowingOverlay(parent);
    this.engine = createEvmEngine(rules);
    this.begin();
  }

  /** The protocol's own work before the first transaction. */
  private begin(): void {
    const state = new WorkingState(this.state);
    runHooks(this.rules, "beginBlock", state, this.environment);
    this.keep(state);
  }

  private keep(state: WorkingState): StateChanges {
    const changes = state.changes();
    this.state.apply(changes);
    this.minted = state.minted;
    this.burned = state.burned;
    return changes;
  }

  run({ transaction, sender }: RecoveredTransaction, listener?: ExecutionListener): Replayed {
    const { rules, environment } = this;
    const before = new RecordingState(this.state);
    const state = WorkingState.within(before, this.minted, this.burned);
    const engine = listener === undefined ? this.engine : createEvmEngine(rules, { listener });
    const { gasUsed, reservedGasUsed } = this;
    const context = { ...beginContext({ rules, environment, state, engine, listener }), gasUsed, reservedGasUsed };
    const receipt = applyTransaction(context, transaction, sender);
    this.gasUsed = context.gasUsed;
    this.reservedGasUsed = context.reservedGasUsed;
    return { receipt, before, changes: this.keep(state) };
  }
}
