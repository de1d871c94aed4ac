/**
 * A chain in memory with the whole economy, for tests of native modules: the devnet's genesis, signed transactions in
 * real blocks, and epochs that end when the test says so. Gas is free unless a base fee is asked for, so that balances
 * are exact; any protocol time can pass in one block.
 */
import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
} from "viem";
import { bls } from "../../../base/bls.ts";
import { bytesToHex, hexToBytes, utf8 } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { OGPU } from "../../../base/units.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import { developmentOperatorKey, devnetSpec } from "../../../genesis/development-validators.ts";
import type { EconomyModule, EconomyParameters } from "../../../genesis/economy.ts";
import type { BlockConsensus, BlockEnvironment } from "../../../vm/execution/environment.ts";
import { BlockExecutor, type ExecutedBlock, type RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../../vm/execution/rules.ts";
import { buildGenesisState } from "../../../vm/genesis-state.ts";
import { CLOCK_ADDRESS } from "../../../vm/modules/addresses.ts";
import { protocolTime } from "../../../vm/modules/clock/clock.ts";
import type { ModuleCall } from "../../../vm/modules/module-call.ts";
import { readOnlyCall } from "../../../vm/modules/read-only-call.ts";
import { runModule } from "../../../vm/modules/run-module.ts";
import { type ActiveValidator, readActiveSet } from "../../../vm/modules/staking/active-set.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import { SYSTEM_RECEIPT_TYPE } from "../../../vm/receipt/receipt.ts";
import { rulesOfSpec } from "../../../vm/rules-of-spec.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { StateVersion } from "../../../vm/state/state-version.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { recoverSender, signTransaction } from "../../../vm/transaction/sign.ts";
import { type AccessListEntry, decodeTransaction } from "../../../vm/transaction/transaction.ts";
import type { TestKey } from "./test-chain.ts";

type Mutability = "pure" | "view" | "nonpayable" | "payable";

/** A module, or any contract: `{ address: STAKING_ADDRESS, abi: stakingAbi }`. */
export interface Target<A extends Abi> {
  readonly address: Address;
  readonly abi: A;
}

export interface EconomyOptions {
  /** How many validators the genesis has; the devnet's four otherwise. */
  readonly validators?: number;
  /** Parameters that differ from the devnet's. */
  readonly parameters?: { readonly [M in EconomyModule]?: Partial<EconomyParameters[M]> };
  /** Anything else of the spec. */
  readonly spec?: (spec: ChainSpec) => ChainSpec;
  /** What every block has; 0: gas costs nothing. */
  readonly baseFee?: bigint;
  /** Upgrades that the program knows; those of this one otherwise. */
  readonly knownUpgrades?: readonly string[];
}

export interface SendOptions {
  /** Who signs: account 0 otherwise. */
  readonly key?: TestKey;
  readonly value?: bigint;
  readonly gasLimit?: bigint;
  /** Per gas, the tip within it: the base fee and no tip otherwise. */
  readonly maxFee?: bigint;
  readonly tip?: bigint;
  readonly accessList?: readonly AccessListEntry[];
}

export interface BlockOptions {
  /** How much later than its parent it is: one second otherwise. */
  readonly seconds?: number;
  readonly isSeal?: boolean;
  readonly proposer?: number;
  /** Positions in the epoch's set; all of them otherwise. */
  readonly signers?: readonly number[];
}

export interface DecodedEvent {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Sent<Result> {
  readonly result: Result;
  readonly receipt: Receipt;
  readonly block: ExecutedBlock;
  /** What the gas has cost. */
  readonly fee: bigint;
}

/** What a call reverted with. */
export interface Reverted {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** How many keys have money at genesis, and how much. */
export const ACCOUNTS = 20;
export const ACCOUNT_BALANCE: bigint = 100_000n * OGPU;

const GAS_LIMIT = 16_000_000n;
const YEAR_MILLISECONDS = 31_536_000_000;
const COINBASE: Address = "0xc0ffee0000000000000000000000000000000001";

/** The key of account `index`: those below ACCOUNTS have money. */
export function accountKey(index: number): TestKey {
  const privateKey = keccak256(utf8(`economy account ${index}`));
  return { privateKey, address: bytesToHex(privateKeyToAddress(privateKey)) };
}

/** The operator of genesis validator `index`; it has money too. */
export function operatorKey(index: number): TestKey {
  const privateKey = developmentOperatorKey(index);
  return { privateKey, address: bytesToHex(privateKeyToAddress(privateKey)) };
}

export function economySpec({ validators = 4, parameters = {}, spec: change }: EconomyOptions): ChainSpec {
  const devnet = devnetSpec(validators, bls);
  const modules = Object.fromEntries(
    Object.entries(devnet.modules).map(([name, values]) => [name, { ...values, ...parameters[name as EconomyModule] }]),
  ) as unknown as ChainSpec["modules"];
  const addresses = [
    ...Array.from({ length: ACCOUNTS }, (_, index) => accountKey(index).address),
    ...devnet.validators.map(({ operator }) => operator),
  ];
  const account = { note: "", balance: ACCOUNT_BALANCE, nonce: 0n, code: new Uint8Array(), storage: new Map() };
  const spec: ChainSpec = {
    ...devnet,
    modules,
    consensus: { ...devnet.consensus, heartbeatMilliseconds: YEAR_MILLISECONDS },
    accounts: addresses.map((address) => ({ ...account, address })),
  };
  return change === undefined ? spec : change(spec);
}

export class EconomyChain {
  readonly spec: ChainSpec;
  readonly rules: ExecutionRules;
  /** A test may change it: then every later block has it. */
  baseFee: bigint;
  state: StateVersion;
  number = 0n;
  epoch = 0;
  /** The set of the running epoch, in its order. */
  validators: readonly ActiveValidator[];
  /** Who signs when a block does not say: all of the set unless a test changes it. */
  signers: readonly number[] | undefined;
  proposer = 0;
  #seconds: bigint;
  #isFirstOfEpoch = true;
  readonly #executor: BlockExecutor;

  constructor(options: EconomyOptions = {}) {
    this.spec = economySpec(options);
    this.rules = rulesOfSpec(this.spec, options.knownUpgrades);
    this.baseFee = options.baseFee ?? 0n;
    this.state = buildGenesisState(this.spec).version;
    this.validators = readActiveSet(this.state.reader);
    this.#seconds = this.spec.genesisTime;
    this.#executor = new BlockExecutor(this.rules);
  }

  /** Protocol time in seconds. */
  get now(): bigint {
    return protocolTime(this.reading(CLOCK_ADDRESS));
  }

  /** For the modules' own functions, on the state after the last block. Nothing can be written. */
  reading(address: Address): ModuleCall {
    const { parameters } = [...this.rules.modules.values()].find((module) => module.parameters !== undefined) ?? {};
    return readOnlyCall(address, this.state.reader, parameters);
  }

  balance(address: Address): bigint {
    return this.state.reader.account(address)?.balance ?? 0n;
  }

  /** A signed transaction for `block`. `offset` counts those of the same key before it in the same block. */
  transaction(to: Address | undefined, data: Uint8Array, options: SendOptions = {}, offset = 0): RecoveredTransaction {
    const key = options.key ?? accountKey(0);
    const nonce = (this.state.reader.account(key.address)?.nonce ?? 0n) + BigInt(offset);
    const raw = signTransaction(
      {
        type: 2,
        chainId: this.spec.chainId,
        nonce,
        maxFeePerGas: options.maxFee ?? this.baseFee,
        maxPriorityFeePerGas: options.tip ?? 0n,
        gasLimit: options.gasLimit ?? GAS_LIMIT,
        to,
        value: options.value ?? 0n,
        data,
        accessList: options.accessList ?? [],
      },
      key.privateKey,
    );
    const transaction = decodeTransaction(raw);
    return { transaction, sender: recoverSender(transaction) };
  }

  environment(options: BlockOptions = {}): BlockEnvironment {
    const { seconds = 1, isSeal = false, proposer = this.proposer } = options;
    const everybody = this.validators.map((_, index) => index);
    const signers = options.signers ?? this.signers ?? everybody;
    const consensus: BlockConsensus = {
      epoch: this.epoch,
      isSeal,
      proposer,
      parentSigners: this.#isFirstOfEpoch ? undefined : signers,
    };
    return {
      number: this.number + 1n,
      timestamp: this.#seconds + BigInt(seconds),
      milliseconds: 0,
      consensus,
      coinbase: COINBASE,
      gasLimit: this.spec.block.gasLimit,
      baseFeePerGas: this.baseFee,
      prevRandao: keccak256(utf8(`beacon ${this.number + 1n}`)),
      blobBaseFee: 1n,
      blockHash: () => undefined,
    };
  }

  /** Executes the next block and stands on it. Every transaction must be included, and money conserved. */
  block(transactions: readonly RecoveredTransaction[] = [], options: BlockOptions = {}): ExecutedBlock {
    const environment = this.environment(options);
    const executed = this.#executor.execute(this.state, environment, transactions);
    assert(executed.rejected.length === 0, `every transaction is included: ${executed.rejected[0]?.error.message}`);
    assert(executed.violations.length === 0, "no transaction makes or destroys money");
    this.state = executed.state;
    this.number = environment.number;
    this.#seconds = environment.timestamp;
    this.#isFirstOfEpoch = options.isSeal === true;
    if (options.isSeal === true) {
      this.epoch++;
      this.validators = readActiveSet(this.state.reader);
    }
    return executed;
  }

  blocks(count: number, options: BlockOptions = {}): void {
    for (let i = 0; i < count; i++) this.block([], options);
  }

  /** An empty block so much later. */
  pass(seconds: number | bigint): ExecutedBlock {
    return this.block([], { seconds: Number(seconds) });
  }

  /** The seal of the running epoch; the next block is the first of the next one. */
  endEpoch(options: BlockOptions = {}): ExecutedBlock {
    return this.block([], { ...options, isSeal: true });
  }

  /** A contract, created in a block of its own. */
  deploy(code: Uint8Array, options: SendOptions = {}): Address {
    const receipt = this.block([this.transaction(undefined, code, options)]).receipts[0];
    assert(receipt?.succeeded === true && receipt.createdAddress !== undefined, "the contract is created");
    return receipt.createdAddress;
  }

  /** Calls a function in a block of its own. Throws if it reverts, with the name of the error. */
  send<const A extends Abi, Name extends ContractFunctionName<A>>(
    target: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, Mutability, Name>,
    options: SendOptions = {},
    blockOptions: BlockOptions = {},
  ): Sent<ContractFunctionReturnType<A, Mutability, Name>> {
    const { receipt, block } = this.#run(target, functionName, args, options, blockOptions);
    if (!receipt.succeeded)
      throw new Error(`${String(functionName)} reverted: ${describe(target.abi, receipt.output)}`);
    const data = bytesToHex(receipt.output);
    const result = decodeFunctionResult({ abi: target.abi as Abi, functionName: functionName as string, data });
    return {
      result: result as ContractFunctionReturnType<A, Mutability, Name>,
      receipt,
      block,
      fee: receipt.gasUsed * receipt.effectiveGasPrice,
    };
  }

  /** Calls a function that must revert; the named error that it reverted with. */
  revertOf<const A extends Abi, Name extends ContractFunctionName<A>>(
    target: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, Mutability, Name>,
    options: SendOptions = {},
  ): Reverted {
    const { receipt } = this.#run(target, functionName, args, options, {});
    assert(!receipt.succeeded, `${String(functionName)} reverts`);
    return decodeRevert(target.abi, receipt.output);
  }

  /** What a module's view returns on the state after the last block. Throws if it reverts. */
  view<const A extends Abi, Name extends ContractFunctionName<A>>(
    target: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, Mutability, Name>,
  ): ContractFunctionReturnType<A, Mutability, Name> {
    const module = this.rules.modules.get(target.address);
    assert(module !== undefined, "views are of modules");
    const data = hexToBytes(encodeFunctionData({ abi: target.abi as Abi, functionName, args } as never));
    const message = { caller: COINBASE, value: 0n, data, gasLimit: GAS_LIMIT, isStatic: true };
    const environment = { ...this.environment(), consensus: undefined };
    const { succeeded, output } = runModule(module, message, new WorkingState(this.state.reader), environment);
    if (!succeeded) throw new Error(`${String(functionName)} reverted: ${describe(target.abi, output)}`);
    return decodeFunctionResult({
      abi: target.abi as Abi,
      functionName: functionName as string,
      data: bytesToHex(output),
    }) as ContractFunctionReturnType<A, Mutability, Name>;
  }

  /** Genesis plus minted less burned is what all accounts together have; only those that the test knows are summed. */
  supply(): bigint {
    const { genesis, minted, burned } = readSupply(this.state.reader);
    return genesis + minted - burned;
  }

  #run<A extends Abi>(
    { address, abi }: Target<A>,
    functionName: unknown,
    args: unknown,
    options: SendOptions,
    blockOptions: BlockOptions,
  ): { receipt: Receipt; block: ExecutedBlock } {
    const data = hexToBytes(encodeFunctionData({ abi: abi as Abi, functionName, args } as never));
    const block = this.block([this.transaction(address, data, options)], blockOptions);
    const receipt = block.receipts[0];
    assert(receipt !== undefined, "the transaction has a receipt");
    return { receipt, block };
  }
}

/** The events of one contract among the logs. */
export function eventsOf<A extends Abi>({ address, abi }: Target<A>, logs: readonly Log[]): DecodedEvent[] {
  return logs
    .filter((log) => log.address === address)
    .map(({ topics, data }) => {
      const decoded: unknown = decodeEventLog({ abi: abi as Abi, topics: topics as never, data: bytesToHex(data) });
      const { eventName, args } = decoded as { eventName: string; args?: Record<string, unknown> };
      return { name: eventName, args: args ?? {} };
    });
}

/** What the hooks of a block have told. */
export function systemLogs(block: ExecutedBlock): readonly Log[] {
  return block.receipts.filter(({ type }) => type === SYSTEM_RECEIPT_TYPE).flatMap(({ logs }) => logs);
}

function decodeRevert(abi: Abi, output: Uint8Array): Reverted {
  assert(output.length > 0, "a revert says why; did it run out of gas?");
  const { errorName, args } = decodeErrorResult({ abi, data: bytesToHex(output) });
  return { name: errorName, args: args ?? [] };
}

function describe(abi: Abi, output: Uint8Array): string {
  if (output.length === 0) return "out of gas";
  const { name, args } = decodeRevert(abi, output);
  return `${name}(${args.join(", ")})`;
}
