/** The EVM engine: an interpreter of our own, synchronous, on our state. */
import { createAddress } from "../../../base/address.ts";
import { bytesToHex, EMPTY_BYTES, hexToBytes } from "../../../base/bytes.ts";
import type { BlockEnvironment } from "../../execution/environment.ts";
import type { ExecutionRules } from "../../execution/rules.ts";
import { type Address, EMPTY_ACCOUNT, EMPTY_CODE_HASH } from "../../state/account.ts";
import type { WorkingState } from "../../state/working-state.ts";
import type { EvmEngine, EvmMessage, EvmOutcome } from "../evm-engine.ts";
import type { ExecutionListener } from "../execution-listener.ts";
import { MAX_INIT_CODE, MAX_INIT_CODE_BYTES } from "./creates.ts";
import { delegateOf } from "./delegation.ts";
import { FAILED, type Frame, fail, Machine, REVERTED, RUNNING, STOPPED } from "./frame.ts";
import { gasLeft, setGas } from "./gas.ts";
import { runFrames } from "./loop.ts";
import { beginCall, beginCreation, resetFrame, settle } from "./message.ts";
import { type OpcodeTable, opcodeTable } from "./opcode-table.ts";
import { type MovedPrecompiles, movedPrecompiles, precompilesOf } from "./precompiles/precompiles.ts";

export interface EngineOptions {
  readonly listener?: ExecutionListener | undefined;
  /** Where precompiles are other than usual. */
  readonly precompiles?: MovedPrecompiles | undefined;
}

export class InterpreterEngine implements EvmEngine {
  private readonly machine: Machine;
  private readonly table: OpcodeTable;

  constructor(rules: ExecutionRules, { listener, precompiles }: EngineOptions = {}) {
    const usual = precompilesOf(rules.fork);
    this.machine = new Machine(rules, precompiles ? movedPrecompiles(usual, precompiles) : usual, listener);
    this.table = opcodeTable(rules.fork);
  }

  isPrecompile(address: Address): boolean {
    return this.machine.precompiles.has(address);
  }

  /** Whatever the state throws goes through, and leaves nothing behind here. */
  execute(message: EvmMessage, state: WorkingState, environment: BlockEnvironment): EvmOutcome {
    const { machine } = this;
    machine.bind(state, environment);
    try {
      const frame = this.outermostFrame(message);
      this.warm(message, environment);
      if (message.to === undefined) this.beginCreation(frame, message);
      else this.beginCall(frame, message.to);
      if (frame.status === RUNNING) runFrames(frame, this.table, machine.listener?.onStep);
      settle(frame);
      return outcomeOf(frame, message);
    } finally {
      machine.release();
    }
  }

  private outermostFrame(message: EvmMessage): Frame {
    const { machine } = this;
    machine.gasPrice = message.gasPrice;
    machine.originWord = BigInt(message.from);
    const frame = machine.frameAt(0);
    resetFrame(frame);
    setGas(frame, message.gasLimit);
    frame.caller = message.from;
    frame.callerWord = machine.originWord;
    frame.value = message.value;
    frame.input = message.data;
    frame.isStatic = false;
    return frame;
  }

  /** EIP-2929, EIP-2930, EIP-3651. */
  private warm({ from, to, accessList }: EvmMessage, { coinbase }: BlockEnvironment): void {
    const { journal } = this.machine;
    journal.warmAddress(from);
    journal.warmAddress(coinbase);
    if (to !== undefined) journal.warmAddress(to);
    for (const { address, slots } of accessList) {
      journal.warmAddress(address);
      for (const slot of slots) journal.warmSlot(address, slot);
    }
  }

  private beginCall(frame: Frame, to: Address): void {
    const { state, journal, followsDelegations } = this.machine;
    let codeHash = state.account(to)?.codeHash ?? EMPTY_CODE_HASH;
    const delegate = followsDelegations ? delegateOf(state.code(codeHash)) : undefined;
    if (delegate !== undefined) {
      journal.warmAddress(delegate);
      codeHash = state.account(delegate)?.codeHash ?? EMPTY_CODE_HASH;
    }
    frame.address = to;
    frame.addressWord = BigInt(to);
    frame.code = state.code(codeHash);
    frame.codeHash = codeHash;
    beginCall(frame, to, true);
  }

  /** The sender's nonce has been raised already. */
  private beginCreation(frame: Frame, { from, data }: EvmMessage): void {
    const { state, journal } = this.machine;
    const { nonce } = state.account(from) ?? EMPTY_ACCOUNT;
    frame.address = bytesToHex(createAddress(hexToBytes(from), nonce - 1n));
    frame.addressWord = BigInt(frame.address);
    frame.input = EMPTY_BYTES;
    frame.code = data;
    frame.codeHash = undefined;
    journal.warmAddress(frame.address);
    beginCreation(frame);
    if (data.length > MAX_INIT_CODE_BYTES) fail(frame, MAX_INIT_CODE);
  }
}

function outcomeOf(frame: Frame, message: EvmMessage): EvmOutcome {
  const { journal } = frame.machine;
  const succeeded = frame.status === STOPPED;
  return {
    succeeded,
    gasUsed: message.gasLimit - gasLeft(frame),
    gasRefund: BigInt(journal.refund),
    output: frame.status === FAILED ? EMPTY_BYTES : frame.output,
    logs: journal.logs,
    failure: failureOf(frame),
    createdAddress: succeeded && frame.isCreation ? frame.address : undefined,
    destroyed: journal.destroyedAddresses(),
  };
}

function failureOf(frame: Frame): string | undefined {
  if (frame.status === STOPPED) return undefined;
  return frame.status === REVERTED ? "execution reverted" : frame.failure;
}
