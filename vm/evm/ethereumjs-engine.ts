/** The EVM engine over @ethereumjs/evm: standard opcodes and precompiles on our state, our modules, our crypto. */
import { type Common, createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import {
  EVM,
  EVMError,
  type EVMMockBlockchainInterface,
  type EVMOpts,
  type EVMResult,
  type ExecResult,
} from "@ethereumjs/evm";
import { Address as EvmAddress } from "@ethereumjs/util";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { BlockEnvironment } from "../execution/environment.ts";
import type { ExecutionRules, Fork } from "../execution/rules.ts";
import { hasModulePrefix } from "../modules/addresses.ts";
import type { NativeModule } from "../modules/module.ts";
import { encodeRevert, runModule } from "../modules/run-module.ts";
import type { Log } from "../receipt/log.ts";
import type { Address } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";
import { BLAKE2F_ADDRESS, blake2fPrecompile } from "./blake2f-precompile.ts";
import { bls, bn254, evmCrypto } from "./evm-crypto.ts";
import type { EvmEngine, EvmMessage, EvmOutcome } from "./evm-engine.ts";
import { installRunAhead } from "./run-ahead.ts";
import { EvmStateManager } from "./state-manager.ts";
import { WarmJournal } from "./warm-journal.ts";

type CallMessage = Parameters<EVM["_executeCall"]>[0];

const HARDFORK_OF: Readonly<Record<Fork, Hardfork>> = {
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
};

/** EVM whose message calls reach the native modules. */
class ModuleAwareEvm extends EVM {
  private readonly modules: ReadonlyMap<Address, NativeModule>;
  environment: BlockEnvironment | undefined;
  state: WorkingState | undefined;

  constructor(options: EVMOpts, modules: ReadonlyMap<Address, NativeModule>) {
    super(options);
    this.modules = modules;
    installRunAhead(this._opcodeMap, () => this.events.listenerCount("step") > 0);
  }

  /** The caller (runCall) has taken a checkpoint and reverts to it when the result is an error. */
  protected override async _executeCall(message: CallMessage): Promise<EVMResult> {
    if (!hasModulePrefix(message.codeAddress.bytes)) return super._executeCall(message);
    const module = this.modules.get(message.codeAddress.toString());
    if (module === undefined) return super._executeCall(message);
    return { execResult: await this.callModule(module, message) };
  }

  private async callModule(module: NativeModule, message: CallMessage): Promise<ExecResult> {
    assert(this.state !== undefined && this.environment !== undefined, "the engine is bound to a block");
    // A module acts on its own account: code of ours never runs in the name of another.
    if (message.delegatecall || message.to.toString() !== module.address) {
      return revertResult(encodeRevert(`${module.name}: no DELEGATECALL or CALLCODE`), 0n, message);
    }
    const caller = message.caller.toString();
    // CALL has checked the balance before it made the message.
    this.state.transfer(caller, module.address, message.value);
    const outcome = runModule(
      module,
      {
        caller,
        value: message.value,
        data: message.data,
        gasLimit: message.gasLimit,
        isStatic: message.isStatic,
      },
      this.state,
      this.environment,
    );
    if (!outcome.succeeded) {
      if (!outcome.outOfGas) return revertResult(outcome.output, outcome.gasUsed, message);
      return {
        returnValue: new Uint8Array(0),
        executionGasUsed: message.gasLimit,
        exceptionError: new EVMError(EVMError.errorMessages.OUT_OF_GAS),
      };
    }
    return {
      returnValue: outcome.output,
      executionGasUsed: outcome.gasUsed,
      gasRefund: message.gasRefund,
      logs: outcome.logs.map(({ address, topics, data }) => [hexToBytes(address), topics.map(hexToBytes), data]),
    };
  }
}

function revertResult(output: Uint8Array, gasUsed: bigint, message: CallMessage): ExecResult {
  return {
    returnValue: output,
    executionGasUsed: gasUsed,
    gasRefund: message.gasRefund,
    exceptionError: new EVMError(EVMError.errorMessages.REVERT),
  };
}

/** BLOCKHASH's source. */
class BlockHashes implements EVMMockBlockchainInterface {
  environment: BlockEnvironment | undefined;

  getBlock(number: number): ReturnType<EVMMockBlockchainInterface["getBlock"]> {
    const hash = this.environment?.blockHash(BigInt(number)) ?? new Uint8Array(32);
    return Promise.resolve({ hash: () => hash });
  }

  putBlock(): Promise<void> {
    return Promise.resolve();
  }

  shallowCopy(): EVMMockBlockchainInterface {
    return new BlockHashes();
  }
}

export function createEvmEngine(rules: ExecutionRules): EvmEngine {
  return new EthereumJsEngine(rules);
}

class EthereumJsEngine implements EvmEngine {
  private readonly evm: ModuleAwareEvm;
  private readonly stateManager = new EvmStateManager();
  private readonly blockHashes = new BlockHashes();
  private readonly journal: WarmJournal;

  constructor(rules: ExecutionRules) {
    const common: Common = createCustomCommon({ chainId: Number(rules.chainId), name: "opengpu" }, Mainnet, {
      hardfork: HARDFORK_OF[rules.fork],
      customCrypto: evmCrypto,
    });
    this.evm = new ModuleAwareEvm(
      {
        common,
        stateManager: this.stateManager,
        blockchain: this.blockHashes,
        bn254,
        bls,
        customPrecompiles: [{ address: BLAKE2F_ADDRESS, function: blake2fPrecompile }],
      },
      rules.modules,
    );
    const precompiles = [...this.evm.precompiles.keys()].map((address) => `0x${address}`);
    this.journal = new WarmJournal(this.stateManager, new Set([...precompiles, ...rules.modules.keys()]));
    this.evm.journal = this.journal.asEvmJournal();
  }

  isPrecompile(address: Address): boolean {
    return this.evm.precompiles.has(address.slice(2));
  }

  async execute(message: EvmMessage, state: WorkingState, environment: BlockEnvironment): Promise<EvmOutcome> {
    const { evm } = this;
    this.stateManager.bind(state);
    // The library clears it after a message, but not after one that threw.
    evm.transientStorage.clear();
    evm.state = state;
    evm.environment = environment;
    this.blockHashes.environment = environment;
    this.warm(message, environment);
    const result = await evm.runCall({
      block: blockOf(environment),
      caller: new EvmAddress(hexToBytes(message.from)),
      gasPrice: message.gasPrice,
      gasLimit: message.gasLimit,
      ...(message.to === undefined ? {} : { to: new EvmAddress(hexToBytes(message.to)) }),
      value: message.value,
      data: message.data,
      skipNonceIncrement: true,
    });
    return outcomeOf(result);
  }

  private warm({ from, to, accessList }: EvmMessage, { coinbase }: BlockEnvironment): void {
    const addresses = accessList.map(({ address }) => address);
    this.journal.begin([from, coinbase, ...(to === undefined ? [] : [to]), ...addresses]);
    for (const { address, slots } of accessList) {
      for (const slot of slots) this.journal.addWarmSlot(address, slot);
    }
  }
}

type EvmBlock = NonNullable<Parameters<EVM["runCall"]>[0]["block"]>;

function blockOf(environment: BlockEnvironment): EvmBlock {
  return {
    header: {
      number: environment.number,
      coinbase: new EvmAddress(hexToBytes(environment.coinbase)),
      timestamp: environment.timestamp,
      difficulty: 0n,
      prevRandao: environment.prevRandao,
      gasLimit: environment.gasLimit,
      baseFeePerGas: environment.baseFeePerGas,
      getBlobGasPrice: () => environment.blobBaseFee,
    },
  };
}

function outcomeOf({ execResult, createdAddress }: EVMResult): EvmOutcome {
  const succeeded = execResult.exceptionError === undefined;
  const created = execResult.createdAddresses;
  const logs: Log[] = (execResult.logs ?? []).map(([address, topics, data]) => ({
    address: bytesToHex(address),
    topics: topics.map(bytesToHex),
    data,
  }));
  return {
    succeeded,
    gasUsed: execResult.executionGasUsed,
    gasRefund: execResult.gasRefund ?? 0n,
    output: execResult.returnValue,
    logs: succeeded ? logs : [],
    createdAddress: succeeded && createdAddress !== undefined ? (createdAddress.toString() as Hex) : undefined,
    destroyed: [...(execResult.selfdestruct?.keys() ?? [])].filter((address) => created?.has(address) === true),
  };
}
