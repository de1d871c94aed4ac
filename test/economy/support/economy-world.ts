/**
 * The whole economy on a state in memory: every module, real blocks of transactions with their hooks, but neither
 * signatures nor state roots, so that a hundred thousand operations take a minute. Whoever drives it sees each
 * transaction as it is executed.
 */
import { bls } from "../../../base/bls.ts";
import { bytesToHex, EMPTY_BYTES, type Hex, utf8 } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { GWEI, OGPU } from "../../../base/units.ts";
import { compileSolidity } from "../../../bench/solidity.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import { developmentValidatorKey } from "../../../genesis/development-validators.ts";
import { createEvmEngine } from "../../../vm/evm/create-engine.ts";
import type { EvmEngine } from "../../../vm/evm/evm-engine.ts";
import { applyTransaction, beginContext, type ExecutionContext } from "../../../vm/execution/apply-transaction.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import type { ExecutionRules } from "../../../vm/execution/rules.ts";
import { runHooks } from "../../../vm/execution/run-hooks.ts";
import { buildGenesisState } from "../../../vm/genesis-state.ts";
import { ModuleCall } from "../../../vm/modules/module-call.ts";
import { activeCount } from "../../../vm/modules/staking/active-set.ts";
import type { Log } from "../../../vm/receipt/log.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import { rulesOfSpec } from "../../../vm/rules-of-spec.ts";
import type { Address } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import type { Transaction } from "../../../vm/transaction/transaction.ts";
import { type EconomyChain, economySpec } from "../../vm/support/economy-chain.ts";
import { installStubMarket } from "../../vm/support/stub-market.ts";

export const GENESIS_VALIDATORS = 4;
/** Accounts that may register as validators, with a key each for that and one to rotate to. */
export const LATER_VALIDATORS = 6;
export const PEOPLE = 8;
/** Contracts through which people call modules. */
export const CONTRACTS = 2;
export const BASE_FEE: bigint = GWEI;
export const COINBASE: Address = "0xc0ffee0000000000000000000000000000000001";
export const BALANCE: bigint = 20_000n * OGPU;

const BLOCK_GAS = 1_000_000_000n;
const GAS = 5_000_000n;
const YEAR_MILLISECONDS = 31_536_000_000;

/** Calls whatever it is told to, in its own name, and reverts with what that reverts with. */
const ACTOR = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
contract Actor {
    receive() external payable {}
    function run(address to, uint256 value, bytes calldata data) external payable returns (bytes memory) {
        (bool ok, bytes memory out) = to.call{value: value}(data);
        if (!ok) assembly { revert(add(out, 32), mload(out)) }
        return out;
    }
}`;

export interface BlsPair {
  readonly secret: Uint8Array;
  readonly publicKey: Hex;
  readonly proof: Hex;
}

/** What every history begins with: made once. */
export interface Beginning {
  readonly spec: ChainSpec;
  readonly state: MemoryState;
  readonly people: readonly Address[];
  readonly contracts: readonly Address[];
  /** Those of genesis, then those who may register. */
  readonly operators: readonly Address[];
  /** By operator: of genesis or of its registration, and one to rotate to. */
  readonly keys: ReadonlyMap<Address, readonly [BlsPair, BlsPair]>;
}

function addressOf(name: string): Address {
  return bytesToHex(keccak256(utf8(name)).subarray(12));
}

function pairOf(name: string): BlsPair {
  return pairOfSecret(bls.privateKeyFromSeed(keccak256(utf8(name))));
}

function pairOfSecret(secret: Uint8Array): BlsPair {
  return {
    secret,
    publicKey: bytesToHex(bls.publicKeyOf(secret).bytes),
    proof: bytesToHex(bls.provePossession(secret)),
  };
}

/** The devnet with short times, quick halvings and a high emission, so that everything happens within minutes. */
function historySpec(addresses: readonly Address[]): ChainSpec {
  const account = { note: "", balance: BALANCE, nonce: 0n, code: EMPTY_BYTES, storage: new Map() };
  return economySpec({
    validators: GENESIS_VALIDATORS,
    parameters: {
      staking: { unbondingSeconds: 320n, commissionChangeSeconds: 20n, maxValidators: 6n },
      slashing: { evidenceWindowSeconds: 200n, minCountedBlocks: 3n, minSignedShare: 400_000n, downtimeShare: 10_000n },
      trustLock: { unlockSeconds: 30n },
      verifiers: { exitSeconds: 40n, maxVerifiers: 6n },
      providers: { exitSeconds: 40n, maxDevices: 3n },
      governance: { votingSeconds: 50n, timelockSeconds: 15n, maxOpenProposals: 6n, quorumShare: 200_000n },
    },
    spec: (spec) => ({
      ...spec,
      consensus: { ...spec.consensus, heartbeatMilliseconds: YEAR_MILLISECONDS },
      modules: {
        ...spec.modules,
        token: { ...spec.modules.token, emission: { initialPerBlock: 40n * OGPU + 7n, halvingBlocks: 60n } },
      },
      accounts: addresses.map((address) => ({ ...account, address })),
    }),
  });
}

export async function makeBeginning(): Promise<Beginning> {
  const people = Array.from({ length: PEOPLE }, (_, index) => addressOf(`person ${index}`));
  const later = Array.from({ length: LATER_VALIDATORS }, (_, index) => addressOf(`operator ${index}`));
  const genesisOperators = economySpec({ validators: GENESIS_VALIDATORS }).validators.map(({ operator }) => operator);
  const spec = historySpec([...people, ...later, ...genesisOperators]);
  const keys = new Map<Address, readonly [BlsPair, BlsPair]>();
  for (const [index, operator] of genesisOperators.entries()) {
    keys.set(operator, [pairOfSecret(developmentValidatorKey(index, bls)), pairOf(`genesis spare ${index}`)]);
  }
  for (const [index, operator] of later.entries()) {
    keys.set(operator, [pairOf(`key ${index}`), pairOf(`spare ${index}`)]);
  }
  const state = new MemoryState();
  state.apply(buildGenesisState(spec).changes);
  const operators = [...genesisOperators, ...later];
  const beginning = { spec, state, people, operators, keys, contracts: [] };
  const world = new EconomyWorld(beginning);
  const code = (await compileSolidity({ "Actor.sol": ACTOR })).get("Actor")?.code;
  assert(code !== undefined, "the contract compiles");
  const contracts: Address[] = [];
  world.begin({ seconds: 1, isSeal: false, signers: [], proposer: 0 });
  for (let index = 0; index < CONTRACTS; index++) {
    const sender = people[index] as Address;
    const { createdAddress } = world.transact({ sender, to: undefined, data: code, value: 0n });
    assert(createdAddress !== undefined, "the contract is created");
    world.transact({ sender, to: createdAddress, data: EMPTY_BYTES, value: BALANCE / 4n });
    contracts.push(createdAddress);
  }
  world.end();
  return { ...beginning, state: world.memory, contracts };
}

export interface Message {
  readonly sender: Address;
  readonly to: Address | undefined;
  readonly data: Uint8Array;
  readonly value: bigint;
}

export interface BlockPlan {
  readonly seconds: number;
  readonly isSeal: boolean;
  /** Positions in the set. */
  readonly signers: readonly number[];
  readonly proposer: number;
}

export class EconomyWorld {
  readonly beginning: Beginning;
  readonly rules: ExecutionRules;
  readonly memory: MemoryState = new MemoryState();
  number = 0n;
  epoch = 0;
  seconds: bigint;
  #isFirstOfEpoch = true;
  #context: ExecutionContext | undefined;
  #sent = 0;
  readonly #engine: EvmEngine;
  readonly #parameters;

  constructor(beginning: Beginning) {
    this.beginning = beginning;
    this.rules = rulesOfSpec(beginning.spec);
    installStubMarket({ rules: this.rules } as EconomyChain);
    this.#engine = createEvmEngine(this.rules);
    this.#parameters = [...this.rules.modules.values()].find(({ parameters }) => parameters !== undefined)?.parameters;
    copyState(beginning.state, this.memory);
    this.seconds = beginning.spec.genesisTime;
    // The block that made the contracts.
    if (beginning.contracts.length > 0) {
      this.number = 1n;
      this.seconds += 1n;
      this.#isFirstOfEpoch = false;
    }
  }

  /** The state as it is now, within a block too. */
  get state(): WorkingState {
    return this.#context?.state ?? new WorkingState(this.memory);
  }

  /** For functions of modules that only read. */
  reading(address: Address): ModuleCall {
    const module = { address, ...(this.#parameters && { parameters: this.#parameters }) };
    return ModuleCall.ofProtocol(module, this.state, this.#environment(undefined), true);
  }

  balance(address: Address): bigint {
    return this.state.balance(address);
  }

  #environment(plan: BlockPlan | undefined): BlockEnvironment {
    const parentSigners = this.#isFirstOfEpoch ? undefined : plan?.signers;
    return {
      number: this.number,
      timestamp: this.seconds,
      milliseconds: 0,
      consensus: plan && { epoch: this.epoch, isSeal: plan.isSeal, proposer: plan.proposer, parentSigners },
      coinbase: COINBASE,
      gasLimit: BLOCK_GAS,
      baseFeePerGas: BASE_FEE,
      prevRandao: keccak256(utf8(`beacon ${this.number}`)),
      blobBaseFee: 1n,
      blockHash: () => undefined,
    };
  }

  /** Opens a block; what its hooks say. */
  begin(plan: BlockPlan): readonly Log[] {
    assert(this.#context === undefined, "one block at a time");
    this.number++;
    this.seconds += BigInt(plan.seconds);
    const environment = this.#environment(plan);
    const state = new WorkingState(this.memory);
    const { rules } = this;
    this.#context = beginContext({ rules, environment, state, engine: this.#engine });
    return runHooks(rules, "beginBlock", state, environment);
  }

  transact(message: Message): Receipt {
    const context = this.#open();
    const receipt = applyTransaction(context, this.#transaction(message, context.state), message.sender);
    assert(context.violations.length === 0, "no transaction makes or destroys money");
    return receipt;
  }

  /** The same in a state of its own, which is thrown away: what it would change. */
  rehearse(message: Message): { readonly receipt: Receipt; readonly state: WorkingState } {
    const context = this.#open();
    const state = WorkingState.within(context.state, context.state.minted, context.state.burned);
    const scratch = { ...context, state, violations: [] };
    return { receipt: applyTransaction(scratch, this.#transaction(message, state), message.sender), state };
  }

  /** Runs the hooks of the end and puts the block away; what they say. `between` sees the state before them. */
  end(between: () => void = () => undefined): readonly Log[] {
    const { state, environment, gasUsed } = this.#open();
    between();
    const ending = { ...environment, gasUsed };
    const isSeal = environment.consensus?.isSeal === true;
    const logs = isSeal ? runHooks(this.rules, "endEpoch", state, ending) : [];
    logs.push(...runHooks(this.rules, "endBlock", state, ending));
    assert(state.balanceDelta === state.minted - state.burned, "hooks conserve the supply");
    this.memory.apply(state.changes());
    this.#context = undefined;
    this.#isFirstOfEpoch = isSeal;
    if (isSeal) this.epoch++;
    return logs;
  }

  get setSize(): number {
    return activeCount(this.reading(COINBASE));
  }

  #open(): ExecutionContext {
    assert(this.#context !== undefined, "a block is open");
    return this.#context;
  }

  #transaction({ sender, to, data, value }: Message, state: StateReader): Transaction {
    this.#sent++;
    return {
      type: 2,
      chainId: this.rules.chainId,
      nonce: state.account(sender)?.nonce ?? 0n,
      maxFeePerGas: 2n * BASE_FEE,
      maxPriorityFeePerGas: BigInt(this.#sent % 3),
      gasLimit: GAS,
      to,
      value,
      data,
      accessList: [],
      yParity: 0,
      r: EMPTY_BYTES,
      s: EMPTY_BYTES,
      raw: EMPTY_BYTES,
      hash: keccak256(utf8(`transaction ${this.#sent}`)),
    };
  }
}

function copyState(from: MemoryState, to: MemoryState): void {
  const code = new Map<Hex, Uint8Array>();
  for (const { codeHash } of from.accounts.values()) code.set(codeHash, from.code(codeHash));
  to.apply({ accounts: from.accounts, storage: from.slots, code });
}
