/** The EVM on our state with our cryptography, beside bare @ethereumjs/evm with its own of both. */
import { createEVM, type EVM } from "@ethereumjs/evm";
import { createAddressFromString, Account as EvmAccount, Address as EvmAddress } from "@ethereumjs/util";
import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { bytesToHex, concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { createEvmEngine } from "../../vm/evm/ethereumjs-engine.ts";
import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { type Address, EMPTY_CODE_HASH } from "../../vm/state/account.ts";
import { MemoryState } from "../../vm/state/memory-state.ts";
import { WorkingState } from "../../vm/state/working-state.ts";
import type { BenchCase, BenchResult, Comparison, Measurement } from "../case.ts";
import { compileContracts } from "../contracts.ts";
import { interleave } from "../interleave.ts";

const CALLER: Address = "0x00000000000000000000000000000000000ca11e";
const OTHER: Address = "0x000000000000000000000000000000000000dead";
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
  coinbase: "0x00000000000000000000000000000000000000cb",
  gasLimit: GAS,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
  blockHash: () => undefined,
};

/** A machine that runs messages and keeps their effects. */
interface Machine {
  create(from: Address, code: Uint8Array): Promise<Address>;
  call(to: Address, data: Uint8Array): Promise<Uint8Array>;
}

function ours(): Machine {
  const engine = createEvmEngine(RULES);
  const state = new WorkingState(new MemoryState());
  for (const address of [CALLER, OTHER]) {
    state.setAccount(address, { nonce: 1n, balance: 10n ** 20n, codeHash: EMPTY_CODE_HASH });
  }
  const run = async (from: Address, to: Address | undefined, data: Uint8Array) => {
    const message = { from, to, value: 0n, data, gasLimit: GAS, gasPrice: 0n, accessList: [] };
    const outcome = await engine.execute(message, state, ENVIRONMENT);
    assert(outcome.succeeded, "our EVM runs the message");
    state.endTransaction();
    return outcome;
  };
  return {
    create: async (from, code) => (await run(from, undefined, code)).createdAddress as Address,
    call: async (to, data) => (await run(CALLER, to, data)).output,
  };
}

async function bare(): Promise<Machine> {
  const evm: EVM = await createEVM();
  for (const address of [CALLER, OTHER]) {
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
    create: async (from, code) => (await run(from, undefined, code)).createdAddress?.toString() as Address,
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
  const token = await machine.create(CALLER, concatBytes(code.get("Erc20") as Uint8Array, hexToBytes(holder)));
  // Messages do not raise nonces: a second contract of the same creator would get the same address.
  return { token, loops: await machine.create(OTHER, code.get("Loops") as Uint8Array) };
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
