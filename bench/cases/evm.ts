/** Our EVM on our state with our cryptography, beside bare @ethereumjs/evm with its own of all three. */
import { createEVM, type EVM } from "@ethereumjs/evm";
import { createAddressFromString, Account as EvmAccount, Address as EvmAddress } from "@ethereumjs/util";
import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { createEvmEngine } from "../../vm/evm/create-engine.ts";
import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { type Address, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { MemoryState } from "../../vm/state/memory-state.ts";
import { WorkingState } from "../../vm/state/working-state.ts";
import type { BenchCase, BenchResult, Comparison, Measurement } from "../case.ts";
import { compileContracts } from "../contracts.ts";
import { interleave } from "../interleave.ts";

const CALLER: Address = "0x00000000000000000000000000000000000ca11e";
/** One per contract: messages do not raise nonces, so a creator's second contract would get the address of its first. */
const CREATORS: readonly Address[] = [1, 2, 3, 4].map((n): Address => `0x${n.toString(16).padStart(40, "c")}`);
const GAS = 1_000_000_000n;
const ABI = parseAbi([
  "function transfer(address to, uint256 value) returns (bool)",
  "function arithmetic(uint256 rounds) returns (uint256)",
  "function store(uint256 rounds) returns (uint256)",
  "function hash(uint256 rounds) returns (bytes32)",
]);

const RULES: ExecutionRules = {
  chainId: 1n,
  fork: "cancun",
  allowUnprotected: true,
  maxTransactionBytes: 131_072,
  modules: new Map(),
};

const ENVIRONMENT: BlockEnvironment = {
  number: 1n,
  timestamp: 1n,
  milliseconds: 0,
  consensus: undefined,
  coinbase: "0x00000000000000000000000000000000000000cb",
  gasLimit: GAS,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
  blockHash: () => undefined,
};

/** A machine that runs messages and keeps their effects. */
interface Machine {
  create(from: Address, initCode: Uint8Array): Promise<Address>;
  call(to: Address, data: Uint8Array): Promise<Uint8Array>;
}

function ours(): Machine {
  const engine = createEvmEngine(RULES);
  const state = new WorkingState(new MemoryState());
  for (const address of [CALLER, ...CREATORS]) {
    state.setAccount(address, { nonce: 1n, balance: 10n ** 20n, codeHash: EMPTY_CODE_HASH });
  }
  const run = (from: Address, to: Address | undefined, data: Uint8Array) => {
    const message = { from, to, value: 0n, data, gasLimit: GAS, gasPrice: 0n, accessList: [] };
    const outcome = engine.execute(message, state, ENVIRONMENT);
    assert(outcome.succeeded, "our EVM runs the message");
    state.endTransaction();
    return outcome;
  };
  return {
    create: async (from, initCode) => run(from, undefined, initCode).createdAddress as Address,
    call: async (to, data) => run(CALLER, to, data).output,
  };
}

async function bare(): Promise<Machine> {
  const evm: EVM = await createEVM();
  for (const address of [CALLER, ...CREATORS]) {
    await evm.stateManager.putAccount(createAddressFromString(address), new EvmAccount(1n, 10n ** 20n));
  }
  const run = async (from: Address, to: Address | undefined, data: Uint8Array) => {
    evm.journal.cleanJournal();
    const caller = new EvmAddress(hexToBytes(from));
    const target = to === undefined ? {} : { to: new EvmAddress(hexToBytes(to)) };
    const result = await evm.runCall({ caller, data, gasLimit: GAS, skipNonceIncrement: true, ...target });
    assert(result.execResult.exceptionError === undefined, "the bare EVM runs the message");
    evm.stateManager.originalStorageCache.clear();
    return result;
  };
  return {
    create: async (from, initCode) => (await run(from, undefined, initCode)).createdAddress?.toString() as Address,
    call: async (to, data) => (await run(CALLER, to, data)).execResult.returnValue,
  };
}

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly transfers: number;
  readonly loops: number;
}

interface Work {
  readonly name: string;
  readonly unit: string;
  readonly atLeast: number;
  readonly operations: number;
  run(machine: Machine, contracts: Contracts): Promise<Uint8Array>;
}

interface Contracts {
  readonly token: Address;
  readonly loops: Address;
  /** Sends as many STATICCALLs as its call data say to a contract that only stops. */
  readonly calls: Address;
}

function workOf({ transfers, loops }: Params): Work[] {
  const loop = (name: "arithmetic" | "store" | "hash", atLeast: number): Work => ({
    name,
    unit: "rounds/s",
    atLeast,
    operations: loops,
    run: (machine, contracts) => machine.call(contracts.loops, call(name, BigInt(loops))),
  });
  return [
    {
      name: "erc20",
      unit: "transfers/s",
      atLeast: 1.3,
      operations: transfers,
      run: (m, c) => transferAll(m, c, transfers),
    },
    loop("store", 1.3),
    loop("hash", 1.3),
    loop("arithmetic", 1),
    {
      name: "calls",
      unit: "calls/s",
      atLeast: 10,
      operations: loops,
      run: (machine, contracts) => machine.call(contracts.calls, bytes32(BigInt(loops))),
    },
  ];
}

function call(functionName: "arithmetic" | "store" | "hash", rounds: bigint): Uint8Array {
  return hexToBytes(encodeFunctionData({ abi: ABI, functionName, args: [rounds] }));
}

async function transferAll(machine: Machine, { token }: Contracts, transfers: number): Promise<Uint8Array> {
  let output = new Uint8Array(0);
  for (let i = 0; i < transfers; i++) {
    const to = `0x${(0x1000 + (i % 256)).toString(16).padStart(40, "0")}` as Hex;
    const data = hexToBytes(encodeFunctionData({ abi: ABI, functionName: "transfer", args: [to, 1n] }));
    output = Uint8Array.from(await machine.call(token, data));
  }
  return output;
}

async function deploy(machine: Machine): Promise<Contracts> {
  const code = await compileContracts();
  const holder = encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [CALLER, 10n ** 24n]);
  const [first, second, third, fourth] = CREATORS as readonly [Address, Address, Address, Address];
  const stops = await machine.create(third, initCodeOf(Uint8Array.of(0)));
  return {
    token: await machine.create(first, concatBytes(code.get("Erc20") as Uint8Array, hexToBytes(holder))),
    loops: await machine.create(second, code.get("Loops") as Uint8Array),
    calls: await machine.create(fourth, initCodeOf(callsOf(stops))),
  };
}

/** n := the call data; do { STATICCALL(gas, target, 0, 0, 0, 0); n := n - 1 } while n != 0. */
function callsOf(target: Address): Uint8Array {
  return hexToBytes(`0x5f355b5f5f5f5f73${target.slice(2)}5afa506001900380600257`);
}

/** Code that creates a contract with the code that follows it. */
function initCodeOf(code: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0x60, code.length, 0x80, 0x60, 0x09, 0x5f, 0x39, 0x5f, 0xf3), code);
}

export const benchCase: BenchCase<Params> = {
  name: "evm",
  description: "EVM messages on our state, beside bare @ethereumjs/evm",
  sizes: { smoke: { rounds: 1, transfers: 20, loops: 50 }, full: { rounds: 7, transfers: 1_000, loops: 5_000 } },
  run,
};

async function run(params: Params): Promise<BenchResult> {
  const machines = { ours: ours(), bare: await bare() };
  const contracts = { ours: await deploy(machines.ours), bare: await deploy(machines.bare) };
  const measurements: Measurement[] = [];
  const comparisons: Comparison[] = [];
  let agreed = true;
  for (const work of workOf(params)) {
    const outputs = { ours: "", bare: "" };
    const contestant = (name: "ours" | "bare") => ({
      name,
      run: async () => {
        outputs[name] = bytesToHex(await work.run(machines[name], contracts[name]));
        return work.operations;
      },
    });
    const rates = await interleave(params.rounds, [contestant("ours"), contestant("bare")]);
    agreed &&= outputs.ours === outputs.bare;
    measurements.push({ name: `${work.name}, ours`, value: rates.rate("ours"), unit: work.unit });
    measurements.push({ name: `${work.name}, @ethereumjs/evm`, value: rates.rate("bare"), unit: work.unit });
    const ratio = rates.ratio("ours", "bare");
    comparisons.push({ name: `${work.name} beside @ethereumjs/evm`, ratio, target: { atLeast: work.atLeast } });
  }
  return { measurements, comparisons, agreed };
}
