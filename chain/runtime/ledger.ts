/**
 * The application under consensus: makes and executes blocks above the final one, and hands them over when they are
 * final. Synchronous and without I/O: the final chain is a port, which the store fills, and the simulator's memory.
 *
 * Executed blocks are kept as what they changed. The state under a block is put together from those between it and the
 * final head each time, so that the stack is never deeper than the unfinal part of the chain.
 */
import { bytesToHex, equalBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { finish, type Work } from "../../base/work.ts";
import type { ConservationViolation } from "../../vm/execution/conservation.ts";
import {
  BlockExecutor,
  type ExecutedBlock,
  type RecoveredTransaction,
  type RejectedTransaction,
} from "../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import type { ModuleFault } from "../../vm/modules/module-fault.ts";
import type { Address } from "../../vm/state/account.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { decodeBlock, encodeBlock } from "../blocks/block.ts";
import { storedConsensusBlock } from "../blocks/consensus-block.ts";
import { blockConsensusOf } from "../blocks/consensus-of.ts";
import { type EnvironmentFields, environmentOf } from "../blocks/environment-of.ts";
import { blockError } from "../blocks/errors.ts";
import type { ExtraData } from "../blocks/extra-data.ts";
import { type BlockHeader, hashHeader } from "../blocks/header.ts";
import { checkSuccessor, nextHeaderFields, sealHeader, verifyExecuted } from "../blocks/next-header.ts";
import { nextValidatorsHash, nextValidatorsOf } from "../blocks/validators-codec.ts";
import { nextBeacon } from "../consensus/beacon.ts";
import { encodeCertificate } from "../consensus/certificate.ts";
import type { Effect } from "../consensus/events.ts";
import type { Epoch } from "../consensus/state.ts";
import type { Block, Certificate } from "../consensus/types.ts";
import { makeValidatorSet, type ValidatorStake } from "../consensus/validator-set.ts";
import { cappedStakes } from "../consensus-parameters.ts";
import { stackedState } from "../store/finalised-chain.ts";
import type { FinalBlock } from "../store/write-block.ts";
import type { EpochPosition, ValidatorSource } from "./validator-source.ts";

/** The final chain as far as the ledger reads it. It may be behind the blocks that were handed over. */
export interface FinalChain {
  readonly head: { readonly header: BlockHeader; readonly hash: Uint8Array } | undefined;
  /** After the head. */
  state(): StateVersion;
  /** The same, readable until it is released. */
  holdState(): { readonly state: StateVersion; release(): void };
  blockHash(number: bigint): Uint8Array | undefined;
}

export interface LedgerOptions {
  readonly rules: ExecutionRules;
  /** Of every block, by the chain spec. */
  readonly gasLimit: bigint;
  readonly capDivisor: bigint;
  readonly validators: ValidatorSource;
  readonly final: FinalChain;
  /** Receives the tips of the own blocks. */
  readonly coinbase: Address;
  /** Money appeared or vanished: a bug of ours, which was undone. */
  readonly onViolation: (violation: ConservationViolation) => void;
  /** A call of a module met a bug of ours, and was undone. */
  readonly onFault: (fault: ModuleFault) => void;
}

/** A block above the final head that has executed. */
interface Entry {
  readonly block: Block;
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly executed: ExecutedBlock;
}

export interface BuiltBlock {
  readonly block: Block;
  /** Candidates that could not be included. */
  readonly rejected: readonly RejectedTransaction[];
}

const NO_TASKS = new Uint8Array(32);
const NONE = new Uint8Array();

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #executor: BlockExecutor;
  readonly #entries = new Map<Hex, Entry>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#executor = new BlockExecutor(options.rules);
  }

  /** Whether it is the final head or has executed above it. */
  has(hash: Hex): boolean {
    return this.#headerOf(hash) !== undefined;
  }

  /** The header of the final head or of an executed block above it. */
  header(hash: Hex): BlockHeader {
    const header = this.#headerOf(hash);
    assert(header !== undefined, "a block is asked for after it has executed");
    return header;
  }

  /** The state after the final head or an executed block above it. */
  state(hash: Hex): StateVersion {
    return stateAfter(this.#pathTo(hash), this.#options.final.state());
  }

  /**
   * Executes a block whose parent has executed, with its transactions in order. Throws a BLOCK_ error when it is not
   * what it claims to be.
   */
  execute(block: Block, transactions: readonly RecoveredTransaction[], epoch: Epoch): void {
    finish(this.executing(block, transactions, epoch));
  }

  /** The same in steps. Whether the parent's branch is still alive at the end is the caller's matter. */
  *executing(block: Block, transactions: readonly RecoveredTransaction[], epoch: Epoch): Work<void> {
    const { rules, gasLimit } = this.#options;
    const { header } = decodeBlock(block.body);
    const parent = this.header(block.parent);
    checkSuccessor(parent, hexToBytes(block.parent), header, { gasLimit });
    this.#checkExtra(header, epoch);
    for (const { transaction } of transactions) {
      if (transaction.raw.length <= rules.maxTransactionBytes) continue;
      throw blockError("BLOCK_TRANSACTION_INVALID", "a transaction of the block is too large", {
        transaction: bytesToHex(transaction.hash),
      });
    }
    const { executed, nextValidators } = yield* this.#run(block.parent, header, transactions, epoch);
    verifyExecuted(header, executed);
    checkSeal(header, nextValidators);
    this.#remember({ block, header, hash: hexToBytes(block.hash), executed });
  }

  /** Makes the block that `build` asks for, of those candidates that can be included. */
  build(
    effect: Extract<Effect, { type: "build" }>,
    candidates: readonly RecoveredTransaction[],
    epoch: Epoch,
  ): BuiltBlock {
    return finish(this.building(effect, candidates, epoch));
  }

  /** The same in steps. */
  *building(
    effect: Extract<Effect, { type: "build" }>,
    candidates: readonly RecoveredTransaction[],
    epoch: Epoch,
  ): Work<BuiltBlock> {
    const { parent, reveal, view, proposer, parentCertificate } = effect;
    const extra: Omit<ExtraData, "milliseconds"> = {
      epoch: effect.epoch,
      view,
      proposer,
      taskRoot: NO_TASKS,
      validatorSetHash: hexToBytes(epoch.set.hash),
      // Known after the transactions, as reserved gas is.
      nextValidatorSetHash: NONE,
      reservedGas: 0n,
      reveal,
      parentCertificate: parentCertificate === undefined ? NONE : encodeCertificate(parentCertificate),
    };
    const fields = nextHeaderFields(this.header(parent.hash), {
      now: effect.time,
      gasLimit: this.#options.gasLimit,
      coinbase: this.#options.coinbase,
      beacon: hexToBytes(nextBeacon(parent.beacon, reveal)),
      extra,
    });
    const { executed, nextValidators } = yield* this.#run(parent.hash, fields, candidates, epoch);
    const sealed = { ...fields, extra: { ...fields.extra, nextValidatorSetHash: nextValidatorsHash(nextValidators) } };
    const header = sealHeader(sealed, executed);
    const transactions = executed.included.map(({ transaction }) => transaction.raw);
    const hash = hashHeader(header);
    yield;
    // Reading it as a peer's block would compute the roots that we have just put there.
    const encoded = encodeBlock({ header, transactions, nextValidators });
    const block = storedConsensusBlock({ header, hash }, nextValidators, encoded);
    this.#remember({ block, header, hash, executed });
    return { block, rejected: executed.rejected };
  }

  /** What is to be written for blocks that have executed and are final by that certificate. */
  finalBlocks(blocks: readonly Block[], certificate: Certificate): FinalBlock[] {
    const bytes = encodeCertificate(certificate);
    return blocks.map(({ hash, next }) => {
      const entry = this.#entries.get(hash);
      assert(entry !== undefined, "a final block has executed");
      const { header, executed } = entry;
      return { header, hash: entry.hash, executed, certificate: bytes, ...(next && { nextValidators: next }) };
    });
  }

  /** After the final head has moved: what is at or below it, or on a branch that died with it. */
  prune(): void {
    const { head } = this.#options.final;
    if (head === undefined) return;
    const height = Number(head.header.number);
    const alive = new Set<Hex>([bytesToHex(head.hash)]);
    // Parents come before their children.
    for (const [hash, { block }] of this.#entries) {
      if (block.height > height && alive.has(block.parent)) alive.add(hash);
      else this.#entries.delete(hash);
    }
  }

  *#run(
    parent: Hex,
    fields: EnvironmentFields,
    transactions: readonly RecoveredTransaction[],
    epoch: Epoch,
  ): Work<{ readonly executed: ExecutedBlock; readonly nextValidators: readonly ValidatorStake[] | undefined }> {
    const isSeal = this.#options.validators.endsEpoch(positionOf(fields, epoch));
    const consensus = blockConsensusOf(fields.extra, epoch.set.ids.length, isSeal);
    // Taken now: while it runs, the final head may move.
    const path = this.#pathTo(parent);
    const environment = environmentOf(fields, (number) => this.#blockHash(path, number), consensus);
    // Held: more blocks may be committed than versions are kept.
    const { state, release } = this.#options.final.holdState();
    try {
      const executed = yield* this.#executor.executing(stateAfter(path, state), environment, transactions);
      for (const violation of executed.violations) this.#options.onViolation(violation);
      for (const fault of executed.faults) this.#options.onFault(fault);
      yield;
      return { executed, nextValidators: this.#sealedBy(fields, epoch, executed) };
    } finally {
      release();
    }
  }

  #remember(entry: Entry): void {
    this.#entries.set(entry.block.hash, entry);
  }

  #headerOf(hash: Hex): BlockHeader | undefined {
    const entry = this.#entries.get(hash);
    if (entry !== undefined) return entry.header;
    const { head } = this.#options.final;
    return head !== undefined && bytesToHex(head.hash) === hash ? head.header : undefined;
  }

  /** The executed blocks above the final head that lead to that one, in order. */
  #pathTo(hash: Hex): Entry[] {
    const { head } = this.#options.final;
    assert(head !== undefined, "the chain has a genesis block");
    const finalHash = bytesToHex(head.hash);
    const path: Entry[] = [];
    for (let at = hash; at !== finalHash; ) {
      const entry = this.#entries.get(at);
      assert(entry !== undefined, "a block executes after its parent");
      path.push(entry);
      at = entry.block.parent;
    }
    return path.reverse();
  }

  #blockHash(path: readonly Entry[], number: bigint): Uint8Array | undefined {
    const above = path.find(({ header }) => header.number === number);
    return above?.hash ?? this.#options.final.blockHash(number);
  }

  /** Headers of one epoch name the same validators; that these are the epoch's shows in the first. */
  #checkExtra({ number, extra }: BlockHeader, epoch: Epoch): void {
    if (!equalBytes(extra.validatorSetHash, hexToBytes(epoch.set.hash))) {
      throw blockError("BLOCK_WRONG_VALIDATORS", `block ${number} names other validators than its epoch has`, {
        expected: epoch.set.hash,
        found: bytesToHex(extra.validatorSetHash),
      });
    }
    if (!equalBytes(extra.taskRoot, NO_TASKS)) {
      throw blockError("BLOCK_TASK_ROOT_MISMATCH", `block ${number} names tasks that it does not have`, {
        found: bytesToHex(extra.taskRoot),
      });
    }
  }

  /** The validators of the next epoch if the block ends its own. */
  #sealedBy(
    fields: Pick<BlockHeader, "number">,
    epoch: Epoch,
    { state }: ExecutedBlock,
  ): readonly ValidatorStake[] | undefined {
    const { validators, capDivisor } = this.#options;
    const position = positionOf(fields, epoch);
    if (!validators.endsEpoch(position)) return undefined;
    return nextValidatorsOf(
      makeValidatorSet(cappedStakes(validators.nextValidators(position, state.reader), capDivisor)),
    );
  }
}

function positionOf({ number }: Pick<BlockHeader, "number">, epoch: Epoch): EpochPosition {
  return { epoch: epoch.number, rootHeight: epoch.root.height, height: Number(number) };
}

/** The block's list is the one that its header commits to (consensus-block.ts). */
function checkSeal({ number, extra }: BlockHeader, computed: readonly ValidatorStake[] | undefined): void {
  if (equalBytes(extra.nextValidatorSetHash, nextValidatorsHash(computed))) return;
  throw blockError(
    "BLOCK_NEXT_VALIDATORS_MISMATCH",
    `block ${number} names other validators for the next epoch than its state`,
    { claimed: bytesToHex(extra.nextValidatorSetHash), computed: bytesToHex(nextValidatorsHash(computed)) },
  );
}

function stateAfter(path: readonly Entry[], final: StateVersion): StateVersion {
  return path.reduce<StateVersion>((below, { executed }) => stackedState(below, executed), final);
}
