/** One call of a native module: what a handler can do, each thing paid for in gas. */
import type { Abi, ContractEventArgs, ContractEventName } from "viem";
// The whole package takes twice as long to load, in every process of a node (measured: 0.2 s).
import { encodeAbiParameters, encodeEventTopics } from "viem/utils";
import { bigintToBytes, bytesToBigint, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import type { BlockEnvironment } from "../execution/environment.ts";
import type { Log } from "../receipt/log.ts";
import type { Address } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";

/** Every call, for decoding and dispatch. */
const CALL_GAS = 1_000n;
/** Each 32 bytes of input: reading them into words of text costs 1 us (measured), and memory is paid for once. */
const INPUT_WORD_GAS = 30n;
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

export interface ModuleMessage {
  readonly caller: Address;
  /** Already credited to the module's account. */
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  /** Under STATICCALL nothing may be written. */
  readonly isStatic: boolean;
}

/** Ends the call and undoes it; the caller gets the text as Solidity's Error(string). Its gas so far is spent. */
export class ModuleRevert extends CodedError<"MODULE_REVERT"> {
  constructor(reason: string) {
    super("MODULE_REVERT", reason);
  }
}

export class ModuleOutOfGas extends CodedError<"MODULE_OUT_OF_GAS"> {
  constructor() {
    super("MODULE_OUT_OF_GAS", "out of gas");
  }
}

export class ModuleCall {
  readonly address: Address;
  readonly message: ModuleMessage;
  readonly environment: BlockEnvironment;
  readonly logs: Log[] = [];
  private readonly state: WorkingState;
  private gas = 0n;

  constructor(address: Address, message: ModuleMessage, state: WorkingState, environment: BlockEnvironment) {
    this.address = address;
    this.message = message;
    this.state = state;
    this.environment = environment;
    this.charge(CALL_GAS + INPUT_WORD_GAS * BigInt(Math.ceil(message.data.length / 32)));
  }

  get gasUsed(): bigint {
    return this.gas;
  }

  charge(gas: bigint): void {
    this.gas += gas;
    if (this.gas > this.message.gasLimit) {
      this.gas = this.message.gasLimit;
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
    const topics = encodeEventTopics({ abi: abi as Abi, eventName: eventName as string, args } as never) as Hex[];
    const event = (abi as Abi).find((item) => item.type === "event" && item.name === eventName);
    assert(event?.type === "event", `the ABI has the event ${String(eventName)}`);
    const plain = event.inputs.filter((input) => input.indexed !== true);
    const values = plain.map((input) => args[input.name as string]);
    const data = hexToBytes(encodeAbiParameters(plain, values as never));
    this.charge(LOG_GAS + LOG_TOPIC_GAS * BigInt(topics.length) + LOG_BYTE_GAS * BigInt(data.length));
    this.logs.push({ address: this.address, topics, data });
  }

  private refuseIfStatic(): void {
    if (this.message.isStatic) throw new ModuleRevert("write under STATICCALL");
  }
}
