/** A small chain in memory for tests: funded keys, the token module, blocks executed one after the other. */
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { OGPU } from "../../../base/units.ts";
import { type EmissionSchedule, emissionOfBlock } from "../../../genesis/emission.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import { BlockExecutor, type ExecutedBlock, type RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { nextBaseFee } from "../../../vm/execution/fees.ts";
import type { ExecutionRules } from "../../../vm/execution/rules.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { defineModule, MODULE_CODE, type NativeModule } from "../../../vm/modules/module.ts";
import {
  createTokenModule,
  mintEmission,
  type TokenParameters,
  writeGenesisSupply,
} from "../../../vm/modules/token/token.ts";
import { type Address, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { advanceState, type StateVersion } from "../../../vm/state/state-version.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { recoverSender, signTransaction } from "../../../vm/transaction/sign.ts";
import { decodeTransaction, type UnsignedTransaction } from "../../../vm/transaction/transaction.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";

export const TEST_CHAIN_ID = 31_337n;
export const TEST_CAP: bigint = 21_000_000n * OGPU;
export const TEST_EMISSION: EmissionSchedule = { initialPerBlock: 2n * OGPU, halvingBlocks: 3n };
export const TEST_COINBASE: Address = "0xc0ffee0000000000000000000000000000000001";
export const TEST_GAS_LIMIT = 1_000_000n;

const TEST_TOKEN: TokenParameters = { cap: TEST_CAP, emission: TEST_EMISSION };

/** Gives the whole emission of every block to its proposer: the shortest way to have minted money in a test. */
export const MINTER_ADDRESS: Address = "0x6f4750554d6f64756c6500000000000000ffffff";
const MINTER: NativeModule = defineModule({
  name: "minter",
  address: MINTER_ADDRESS,
  abi: [],
  handlers: {},
  endBlock: (call) => {
    const { number, coinbase } = call.environment;
    const reward = emissionOfBlock(TEST_EMISSION, number);
    mintEmission(call, TEST_TOKEN, reward);
    if (reward > 0n) call.pay(coinbase, reward);
  },
});

export interface TestKey {
  readonly privateKey: Uint8Array;
  readonly address: Address;
}

export function testKey(number: number): TestKey {
  const privateKey = keccak256(new Uint8Array([number]));
  return { privateKey, address: bytesToHex(privateKeyToAddress(privateKey)) };
}

export function testRules(overrides: Partial<ExecutionRules> = {}): ExecutionRules {
  const token = createTokenModule(TEST_TOKEN);
  return {
    chainId: TEST_CHAIN_ID,
    fork: "osaka",
    allowUnprotected: false,
    maxTransactionBytes: 131_072,
    modules: new Map<Address, NativeModule>([
      [MINTER_ADDRESS, MINTER],
      [TOKEN_ADDRESS, token],
    ]),
    ...overrides,
  };
}

/** Accounts with balances; modules of `rules` in their places. */
export function testGenesis(
  balances: ReadonlyMap<Address, bigint>,
  rules: ExecutionRules = testRules(),
  codes: ReadonlyMap<Address, Uint8Array> = new Map(),
): StateVersion {
  const state = new WorkingState(new MemoryState());
  let supply = 0n;
  for (const [address, balance] of balances) {
    state.setAccount(address, { nonce: 0n, balance, codeHash: EMPTY_CODE_HASH });
    supply += balance;
  }
  const put = (address: Address, code: Uint8Array): void => {
    const codeHash = bytesToHex(keccak256(code));
    state.putCode(codeHash, code);
    state.setAccount(address, { nonce: 1n, balance: state.balance(address), codeHash });
  };
  for (const address of rules.modules.keys()) put(address, MODULE_CODE);
  for (const [address, code] of codes) put(address, code);
  if (rules.modules.has(TOKEN_ADDRESS)) writeGenesisSupply(state, supply);
  const empty = { reader: new MemoryState(), head: EMPTY_HEAD, pages: new MemoryPages() };
  return advanceState(empty, state.changes()).version;
}

export class TestChain {
  readonly rules: ExecutionRules;
  state: StateVersion;
  baseFee: bigint;
  number = 0n;
  private readonly executor: BlockExecutor;

  constructor(genesis: StateVersion, rules: ExecutionRules = testRules(), baseFee = 7n) {
    this.state = genesis;
    this.rules = rules;
    this.baseFee = baseFee;
    this.executor = new BlockExecutor(rules);
  }

  environment(overrides: Partial<BlockEnvironment> = {}): BlockEnvironment {
    return {
      number: this.number + 1n,
      timestamp: 1_700_000_000n + this.number,
      milliseconds: 0,
      consensus: undefined,
      coinbase: TEST_COINBASE,
      gasLimit: TEST_GAS_LIMIT,
      baseFeePerGas: this.baseFee,
      prevRandao: new Uint8Array(32),
      blobBaseFee: 1n,
      blockHash: () => undefined,
      ...overrides,
    };
  }

  /** Executes the next block and stands on it. */
  async block(transactions: readonly RecoveredTransaction[]): Promise<ExecutedBlock> {
    const environment = this.environment();
    const executed = this.executor.execute(this.state, environment, transactions);
    this.state = executed.state;
    this.number = environment.number;
    const { gasLimit, baseFeePerGas } = environment;
    this.baseFee = nextBaseFee({ gasLimit, baseFeePerGas, gasUsed: executed.gasUsed - executed.reservedGasUsed });
    return executed;
  }

  balance(address: Address): bigint {
    return this.state.reader.account(address)?.balance ?? 0n;
  }
}

export function unsigned(overrides: Partial<UnsignedTransaction> = {}): UnsignedTransaction {
  return {
    type: 2,
    chainId: TEST_CHAIN_ID,
    nonce: 0n,
    maxFeePerGas: 100n,
    maxPriorityFeePerGas: 1n,
    gasLimit: 21_000n,
    to: "0x00000000000000000000000000000000000000aa",
    value: 1n,
    data: new Uint8Array(0),
    accessList: [],
    ...overrides,
  };
}

export function signed(overrides: Partial<UnsignedTransaction>, key: TestKey): RecoveredTransaction {
  const transaction = decodeTransaction(signTransaction(unsigned(overrides), key.privateKey));
  return { transaction, sender: recoverSender(transaction) };
}

export function hex(text: string): Uint8Array {
  return hexToBytes(text as Hex);
}
