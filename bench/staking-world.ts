/**
 * The staking module without transactions around it: calls as anybody, blocks as hooks, straight on a state. For long
 * random histories and for benchmarks, where signatures and state roots would be all that is measured.
 */
import { type Abi, decodeErrorResult, decodeFunctionResult, encodeFunctionData } from "viem";
import { bytesToHex, hexToBytes } from "../base/bytes.ts";
import { assert } from "../base/errors.ts";
import { allocatedSupply, type ChainSpec } from "../genesis/chain-spec.ts";
import type { BlockConsensus, BlockEnvironment } from "../vm/execution/environment.ts";
import type { ExecutionRules } from "../vm/execution/rules.ts";
import { runHooks } from "../vm/execution/run-hooks.ts";
import { stakingAbi } from "../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../vm/modules/addresses.ts";
import { createClockModule } from "../vm/modules/clock/clock.ts";
import type { NativeModule } from "../vm/modules/module.ts";
import { ModuleCall } from "../vm/modules/module-call.ts";
import { ParameterStore } from "../vm/modules/parameter-store.ts";
import { runModule } from "../vm/modules/run-module.ts";
import { distributeSlash } from "../vm/modules/slashing/distribute-slash.ts";
import { jail, slashValidator, tombstone } from "../vm/modules/staking/slash.ts";
import { createStakingModule } from "../vm/modules/staking/staking.ts";
import { createTokenModule, writeGenesisSupply } from "../vm/modules/token/token.ts";
import type { Log } from "../vm/receipt/log.ts";
import type { Address } from "../vm/state/account.ts";
import { MemoryState } from "../vm/state/memory-state.ts";
import type { StateReader } from "../vm/state/reader.ts";
import { WorkingState } from "../vm/state/working-state.ts";

export type StakingOutcome =
  | { readonly succeeded: true; readonly result: unknown; readonly gasUsed: bigint; readonly logs: readonly Log[] }
  | { readonly succeeded: false; readonly error: string };

const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const GAS = 1n << 40n;

export class StakingWorld {
  readonly spec: ChainSpec;
  readonly staking: NativeModule;
  readonly state: WorkingState;
  epoch = 0;
  number = 0n;
  seconds: bigint;
  #isFirstOfEpoch = true;
  readonly #rules: ExecutionRules;

  /** `parent`: a state in which a history has gone before, which this one goes on from. */
  constructor(spec: ChainSpec, parent?: StateReader) {
    this.spec = spec;
    this.seconds = spec.genesisTime;
    const parameters = new ParameterStore(spec.modules);
    const { token } = spec.modules;
    this.staking = createStakingModule({
      parameters,
      token,
      validators: spec.validators,
      capDivisor: spec.consensus.weightCapDivisor,
    });
    const modules = [createClockModule(spec.consensus.heartbeatMilliseconds), this.staking, createTokenModule(token)];
    this.#rules = {
      chainId: spec.chainId,
      fork: spec.fork,
      allowUnprotected: false,
      maxTransactionBytes: 131_072,
      modules: new Map(modules.map((module) => [module.address, module])),
    };
    this.state = new WorkingState(parent ?? this.genesis());
  }

  /** The state before the first block. */
  genesis(): MemoryState {
    const genesis = new MemoryState();
    const state = new WorkingState(genesis);
    for (const { address, balance } of this.spec.accounts) state.setBalance(address, balance);
    runHooks(this.#rules, "genesis", state, this.#environment(undefined));
    writeGenesisSupply(state, allocatedSupply(this.spec));
    genesis.apply(state.changes());
    return genesis;
  }

  #environment(consensus: BlockConsensus | undefined): BlockEnvironment {
    return {
      number: this.number,
      timestamp: this.seconds,
      milliseconds: 0,
      consensus,
      coinbase: NOBODY,
      gasLimit: GAS,
      baseFeePerGas: 0n,
      prevRandao: new Uint8Array(32),
      blobBaseFee: 1n,
      blockHash: () => undefined,
    };
  }

  /** An empty block: its hooks, and those of the end of the epoch if it is a seal. Its logs. */
  block(options: { seconds?: number; signers?: readonly number[]; proposer?: number; isSeal?: boolean }): Log[] {
    const { seconds = 1, signers = [], proposer = 0, isSeal = false } = options;
    this.number++;
    this.seconds += BigInt(seconds);
    const parentSigners = this.#isFirstOfEpoch ? undefined : signers;
    const environment = this.#environment({ epoch: this.epoch, isSeal, proposer, parentSigners });
    const logs = runHooks(this.#rules, "beginBlock", this.state, environment);
    if (isSeal) logs.push(...runHooks(this.#rules, "endEpoch", this.state, environment));
    // The totals of the token module are left alone: here all blocks are one, and it counts per block.
    this.#isFirstOfEpoch = isSeal;
    if (isSeal) this.epoch++;
    return logs;
  }

  call(caller: Address, functionName: string, args: readonly unknown[], value = 0n): StakingOutcome {
    const mark = this.state.checkpoint();
    const data = hexToBytes(encodeFunctionData({ abi: stakingAbi as Abi, functionName, args }));
    if (this.state.balance(caller) < value) return { succeeded: false, error: "no money" };
    this.state.transfer(caller, STAKING_ADDRESS, value);
    const message = { caller, value, data, gasLimit: GAS, isStatic: false };
    const outcome = runModule(this.staking, message, this.state, this.#environment(undefined));
    if (!outcome.succeeded) {
      this.state.revert(mark);
      return {
        succeeded: false,
        error: decodeErrorResult({ abi: stakingAbi, data: bytesToHex(outcome.output) }).errorName,
      };
    }
    const result = decodeFunctionResult({ abi: stakingAbi as Abi, functionName, data: bytesToHex(outcome.output) });
    this.state.endTransaction();
    return { succeeded: true, result, gasUsed: outcome.gasUsed, logs: outcome.logs };
  }

  /** Throws if it reverts. */
  view<Result>(functionName: string, args: readonly unknown[]): Result {
    const outcome = this.call(NOBODY, functionName, args);
    assert(outcome.succeeded, `${functionName} does not revert`);
    return outcome.result as Result;
  }

  /** For the module's own functions. */
  protocol(): ModuleCall {
    return ModuleCall.ofProtocol(this.staking, this.state, this.#environment(undefined));
  }

  /** What evidence does. */
  convict(operator: Address, since: bigint): bigint {
    const call = this.protocol();
    const taken = slashValidator(call, operator, this.spec.modules.slashing.doubleSignShare, since, true);
    tombstone(call, operator);
    distributeSlash(call, taken, undefined);
    return taken;
  }

  /** What an absence does. */
  punishAbsence(operator: Address, share: bigint, until: bigint): bigint {
    const call = this.protocol();
    const taken = slashValidator(call, operator, share, this.seconds, false);
    jail(call, operator, until);
    distributeSlash(call, taken, undefined);
    return taken;
  }
}
