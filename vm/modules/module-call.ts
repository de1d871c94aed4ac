/** One call of a native module: what a handler can do, each thing paid for in gas. */
import type { Abi, ContractErrorArgs, ContractErrorName, ContractEventArgs, ContractEventName } from "viem";
import { bigintToBytes, bytesToBigint, bytesToHex, type Hex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { EconomyParameters } from "../../genesis/economy.ts";
import type { BlockEnvironment } from "../execution/environment.ts";
import type { Log } from "../receipt/log.ts";
import { type Address, EMPTY_CODE_HASH } from "../state/account.ts";
import type { StateReader } from "../state/reader.ts";
import type { WorkingState } from "../state/working-state.ts";
import { encodeError, encodeEvent } from "./abi-codec.ts";
import { isModuleFault } from "./module-fault.ts";

/** Every call, for decoding and dispatch. */
const CALL_GAS = 1_000n;
/**
 * Each 32 bytes of input: a contract pays for its memory once and can send it a thousand times, and decoding a word, and
 * encoding it again to compare, costs 4 to 6 us (measured).
 */
const INPUT_WORD_GAS = 400n;
/** As EIP-2929's cold SLOAD; modules do not track warmth. */
const READ_GAS = 2_100n;
/** As EIP-2929's SSTORE of a used slot, and of a fresh one. */
const WRITE_GAS = 5_000n;
const WRITE_FRESH_GAS = 22_100n;
/** A balance moved: EIP-150's call value, and more when it makes an account. */
const MOVE_GAS = 9_000n;
const NEW_ACCOUNT_GAS = 25_000n;
/** LOG's prices. */
const LOG_GAS = 375n;
const LOG_TOPIC_GAS = 375n;
const LOG_BYTE_GAS = 8n;

/** As memory is copied. */
const CODE_WORD_GAS = 3n;

/** The module that a call is in: where it lives, and the parameters that it goes by. */
export interface ModuleAccount {
  readonly address: Address;
  readonly parameters?: { current(state: StateReader): EconomyParameters };
}

export interface ModuleMessage {
  readonly caller: Address;
  /** Already credited to the module's account. */
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  /** Under STATICCALL nothing may be written. */
  readonly isStatic: boolean;
  /** Runs a contract on the same state. Only where no other contract runs: for a transaction's own call of a module. */
  readonly runContract?: ContractRunner;
}

export type ContractRunner = (
  from: Address,
  to: Address,
  data: Uint8Array,
  gasLimit: bigint,
) => { readonly succeeded: boolean; readonly gasUsed: bigint; readonly logs: readonly Log[] };

/**
 * Ends the call and undoes it. The caller gets the named error of the module's ABI, or else the text as Solidity's
 * Error(string). Its gas so far is spent.
 */
export class ModuleRevert extends CodedError<"MODULE_REVERT"> {
  /** The encoded error of an ABI. */
  readonly output: Uint8Array | undefined;

  constructor(reason: string, output?: Uint8Array) {
    super("MODULE_REVERT", reason);
    this.output = output;
  }
}

/** The error `errorName` of the ABI: `throw revertWith(stakingAbi, "NotValidator", [address])`. */
export function revertWith<const A extends Abi, Name extends ContractErrorName<A>>(
  abi: A,
  errorName: Name,
  args: ContractErrorArgs<A, Name> & readonly unknown[],
): ModuleRevert {
  return new ModuleRevert(errorName, encodeError(abi, errorName, args));
}

export class ModuleOutOfGas extends CodedError<"MODULE_OUT_OF_GAS"> {
  constructor() {
    super("MODULE_OUT_OF_GAS", "out of gas");
  }
}

/** What the log of scheduled work that met a bug says. */
const FAULT_REASON = "fault";
/** What no call can use up: the protocol's own work is bounded by what it does, not by gas. */
const UNLIMITED_GAS = 1n << 128n;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

/** What one message has used and said, in all modules that it went through. */
interface Progress {
  gas: bigint;
  readonly logs: Log[];
}

export class ModuleCall {
  readonly address: Address;
  readonly message: ModuleMessage;
  readonly environment: BlockEnvironment;
  private readonly module: Omit<ModuleAccount, "address">;
  private readonly state: WorkingState;
  private readonly progress: Progress;

  private constructor(
    module: ModuleAccount,
    message: ModuleMessage,
    state: WorkingState,
    environment: BlockEnvironment,
    progress: Progress,
  ) {
    this.address = module.address;
    this.module = module;
    this.message = message;
    this.state = state;
    this.environment = environment;
    this.progress = progress;
  }

  /** A message of somebody, by a transaction or from a contract. Throws ModuleOutOfGas. */
  static of(
    module: ModuleAccount,
    message: ModuleMessage,
    state: WorkingState,
    environment: BlockEnvironment,
  ): ModuleCall {
    const call = new ModuleCall(module, message, state, environment, { gas: 0n, logs: [] });
    call.charge(CALL_GAS + INPUT_WORD_GAS * BigInt(Math.ceil(message.data.length / 32)));
    return call;
  }

  /** The protocol's own work in a module, by a hook; or, static, somebody who only reads. */
  static ofProtocol(
    module: ModuleAccount,
    state: WorkingState,
    environment: BlockEnvironment,
    isStatic = false,
  ): ModuleCall {
    const message = { caller: NOBODY, value: 0n, data: new Uint8Array(), gasLimit: UNLIMITED_GAS, isStatic };
    return new ModuleCall(module, message, state, environment, { gas: 0n, logs: [] });
  }

  /** The same call in the account of another module, whose functions it goes on to use. Gas and logs are one. */
  in(address: Address): ModuleCall {
    const { parameters } = this.module;
    const module = { address, ...(parameters && { parameters }) };
    return new ModuleCall(module, this.message, this.state, this.environment, this.progress);
  }

  /** The same call, for what it has charged already: gas then never tells what a node had in memory. */
  prepaid(): ModuleCall {
    const module = { address: this.address, ...this.module };
    const message = { ...this.message, gasLimit: UNLIMITED_GAS };
    return new ModuleCall(module, message, this.state, this.environment, { gas: 0n, logs: this.progress.logs });
  }

  get gasUsed(): bigint {
    return this.progress.gas;
  }

  get logs(): readonly Log[] {
    return this.progress.logs;
  }

  /** The economy's parameters as they are in this block. */
  get parameters(): EconomyParameters {
    const { parameters } = this.module;
    assert(parameters !== undefined, "the module has parameters");
    return parameters.current(this.state);
  }

  charge(gas: bigint): void {
    this.progress.gas += gas;
    if (this.progress.gas > this.message.gasLimit) {
      this.progress.gas = this.message.gasLimit;
      throw new ModuleOutOfGas();
    }
  }

  read(slot: Hex): bigint {
    this.charge(READ_GAS);
    return bytesToBigint(this.state.storage(this.address, slot));
  }

  write(slot: Hex, value: bigint): void {
    this.refuseIfStatic();
    const isFresh = value !== 0n && this.state.storage(this.address, slot).length === 0;
    this.charge(isFresh ? WRITE_FRESH_GAS : WRITE_GAS);
    this.state.setStorage(this.address, slot, bigintToBytes(value));
  }

  balance(address: Address): bigint {
    this.charge(READ_GAS);
    return this.state.balance(address);
  }

  /** What this block has minted and burned so far; the totals in the module's slots are those of its parent. */
  supplyInBlock(): { readonly minted: bigint; readonly burned: bigint } {
    return { minted: this.state.minted, burned: this.state.burned };
  }

  /** New money for the module's own account. How much there may be is the token module's business, which calls this. */
  mint(amount: bigint): void {
    this.refuseIfStatic();
    this.charge(WRITE_GAS);
    this.state.mint(this.address, amount);
  }

  /** Pays from the module's own account. No code runs at the receiver. */
  pay(to: Address, amount: bigint): void {
    this.refuseIfStatic();
    this.charge(this.state.account(to) === undefined ? MOVE_GAS + NEW_ACCOUNT_GAS : MOVE_GAS);
    this.takeOwn(amount);
    this.state.setBalance(to, this.state.balance(to) + amount);
  }

  /** Takes money of the module's own account out of the supply for good. */
  burn(amount: bigint): void {
    this.refuseIfStatic();
    this.charge(WRITE_GAS);
    this.takeOwn(amount);
    this.state.recordBurn(amount);
  }

  /** Gives to the module's own account a part of what this block has burned: of base fees, by the treasury alone. */
  unburn(amount: bigint): void {
    this.refuseIfStatic();
    this.charge(WRITE_GAS);
    this.state.unrecordBurn(amount);
    this.state.setBalance(this.address, this.state.balance(this.address) + amount);
  }

  /** The code of an account that nobody has the key of; blob.ts says which. */
  code(address: Address): Uint8Array {
    this.charge(READ_GAS);
    const code = this.state.code(this.state.account(address)?.codeHash ?? EMPTY_CODE_HASH);
    this.charge(CODE_WORD_GAS * BigInt(Math.ceil(code.length / 32)));
    return code;
  }

  /** Without reading the code. */
  hasCode(address: Address): boolean {
    this.charge(READ_GAS);
    return (this.state.account(address)?.codeHash ?? EMPTY_CODE_HASH) !== EMPTY_CODE_HASH;
  }

  /** Gives an account code, or takes it away when there is none. Whoever calls this has charged for it. */
  setCode(address: Address, code: Uint8Array): void {
    this.refuseIfStatic();
    const codeHash = bytesToHex(keccak256(code));
    this.state.putCode(codeHash, code);
    const nonce = code.length === 0 ? 0n : 1n;
    this.state.setAccount(address, { nonce, balance: this.state.balance(address), codeHash });
  }

  /**
   * Does it; or, when it reverts or meets a bug of ours, undoes what it has done, and gives the reason. The reason of a bug is
   * always the same, for it is told in a log; the bug itself is noted.
   */
  attempt(work: () => void): ModuleRevert | undefined {
    const mark = this.state.checkpoint();
    const logs = this.progress.logs.length;
    try {
      work();
      return undefined;
    } catch (error) {
      const isRevert = error instanceof ModuleRevert;
      if (!isRevert && (error instanceof ModuleOutOfGas || !isModuleFault(error))) throw error;
      this.state.revert(mark);
      this.progress.logs.length = logs;
      if (isRevert) return error;
      this.state.noteFault({ module: this.address, error });
      return new ModuleRevert(FAULT_REASON);
    }
  }

  get canCallContracts(): boolean {
    return this.message.runContract !== undefined;
  }

  /**
   * Calls a contract as the module, with exactly `gas`, all of which the call must have left; says whether it succeeded. What
   * the contract does may change the state: nothing read before is true after.
   */
  callContract(to: Address, data: Uint8Array, gas: bigint): boolean {
    this.refuseIfStatic();
    const { runContract, gasLimit } = this.message;
    assert(runContract !== undefined, "the call may call contracts");
    this.charge(READ_GAS);
    if (gasLimit - this.progress.gas < gas) this.charge(gas);
    const { succeeded, gasUsed, logs } = runContract(this.address, to, data, gas);
    this.charge(gasUsed);
    this.progress.logs.push(...logs);
    return succeeded;
  }

  private takeOwn(amount: bigint): void {
    const own = this.state.balance(this.address);
    assert(own >= amount, "a module spends only what it holds");
    this.state.setBalance(this.address, own - amount);
  }

  emit<const A extends Abi, Name extends ContractEventName<A>>(
    abi: A,
    eventName: Name,
    args: ContractEventArgs<A, Name> & Record<string, unknown>,
  ): void {
    this.refuseIfStatic();
    const { topics, data } = encodeEvent(abi, eventName, args);
    this.charge(LOG_GAS + LOG_TOPIC_GAS * BigInt(topics.length) + LOG_BYTE_GAS * BigInt(data.length));
    this.progress.logs.push({ address: this.address, topics, data });
  }

  private refuseIfStatic(): void {
    if (this.message.isStatic) throw new ModuleRevert("write under STATICCALL");
  }
}
