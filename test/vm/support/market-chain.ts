/**
 * A chain with a published program and providers, whose verification is a puppet: it takes the seats' fees, and decides
 * what the test says, when it says so. Everything else is real.
 */
import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  encodeFunctionData,
} from "viem";
import { bytes32, bytesToHex, type Hex, hexToBytes, utf8 } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { OGPU } from "../../../base/units.ts";
import { nBodyProgram } from "../../../compute/examples/n-body.ts";
import { encodeProgram } from "../../../compute/program/codec.ts";
import type { Program } from "../../../compute/program/types.ts";
import type { RecoveredTransaction } from "../../../vm/execution/execute-block.ts";
import { marketAbi } from "../../../vm/interfaces/abi/market.ts";
import { programsAbi } from "../../../vm/interfaces/abi/programs.ts";
import { providersAbi } from "../../../vm/interfaces/abi/providers.ts";
import { trustLockAbi } from "../../../vm/interfaces/abi/trust-lock.ts";
import {
  AGENDA_ADDRESS,
  MARKET_ADDRESS,
  PROGRAMS_ADDRESS,
  PROVIDERS_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFICATION_ADDRESS,
} from "../../../vm/modules/addresses.ts";
import { createAgendaModule } from "../../../vm/modules/agenda/agenda.ts";
import { type Commitment, sealOf } from "../../../vm/modules/market/commitment.ts";
import { marketAgenda } from "../../../vm/modules/market/decided.ts";
import { createMarketModule } from "../../../vm/modules/market/market.ts";
import type { MarketPorts } from "../../../vm/modules/market/ports.ts";
import type { NativeModule } from "../../../vm/modules/module.ts";
import type { DecidedRound, RoundRequest } from "../../../vm/modules/verification/round-types.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, EconomyChain, type EconomyOptions, type SendOptions, type Target } from "./economy-chain.ts";
import type { TestKey } from "./test-chain.ts";

export const MARKET: Target<typeof marketAbi> = { address: MARKET_ADDRESS, abi: marketAbi };
export const PROVIDERS: Target<typeof providersAbi> = { address: PROVIDERS_ADDRESS, abi: providersAbi };
export const TRUST_LOCK: Target<typeof trustLockAbi> = { address: TRUST_LOCK_ADDRESS, abi: trustLockAbi };
const PROGRAMS = { address: PROGRAMS_ADDRESS, abi: programsAbi } as const;

export const NO_CALLBACK = { target: "0x0000000000000000000000000000000000000000", gas: 0n, tip: 0n } as const;
export const NO_REGION: Hex = `0x${"00".repeat(16)}`;

export const CLIENT: TestKey = accountKey(0);
export const OWNER: TestKey = accountKey(1);
/** Providers with one device each, of tier 2. */
export const WORKERS: readonly TestKey[] = [2, 3, 4, 5].map(accountKey);
export const TIER = 2;
export const COLLATERAL: bigint = 100n * OGPU;

/** Decides nothing by itself. */
export class PuppetVerification {
  readonly requests: Map<bigint, RoundRequest> = new Map();
  readonly #outbox: DecidedRound[] = [];

  readonly port: MarketPorts["verification"] = {
    beginRound: (call, request) => {
      call.pay(VERIFICATION_ADDRESS, BigInt(request.seats) * request.seatFee);
      const round = BigInt(this.requests.size + 1);
      this.requests.set(round, request);
      return round;
    },
    takeDecided: (_call, most) => this.#outbox.splice(0, most),
    assuranceOf: (_call, round) => ({
      seats: this.requests.get(round)?.seats ?? 0,
      tier: 0,
      stakeAtRisk: 7n,
      adversaryShare: 200_000n,
      corruptibleShare: 900_000n,
      passChance: 1_000n,
      voteError: 0n,
    }),
  };

  /** The market hears it when the next block ends. */
  decide(round: bigint, verdict: Partial<DecidedRound> = {}): void {
    const request = this.requests.get(round);
    assert(request !== undefined, "the round was begun");
    const trapped = request.commitment.trap !== undefined;
    const usual = {
      accepted: true,
      final: true,
      reason: 1,
      programTrapped: trapped,
      guilty: "none" as const,
      catcher: undefined,
    };
    this.#outbox.push({ round, job: request.job, ...usual, ...verdict });
  }
}

export type JobView = ContractFunctionReturnType<typeof marketAbi, "view", "jobOf">;
export type ReceiptView = ContractFunctionReturnType<typeof marketAbi, "view", "receiptOf">;

export interface MarketChainOptions extends EconomyOptions {
  /** What is published; six launches otherwise. */
  readonly program?: Program;
}

export class MarketChain extends EconomyChain {
  readonly verification: PuppetVerification = new PuppetVerification();
  readonly program: Hex;
  readonly plan: Program;

  constructor(options: MarketChainOptions = {}) {
    super(options);
    const modules = this.rules.modules as Map<Address, NativeModule>;
    const parameters = modules.get(PROVIDERS_ADDRESS)?.parameters;
    assert(parameters !== undefined, "the providers module has parameters");
    const ports = { verification: this.verification.port, token: this.spec.modules.token };
    modules.set(MARKET_ADDRESS, createMarketModule(parameters, ports));
    modules.set(AGENDA_ADDRESS, createAgendaModule(parameters, marketAgenda(ports)));
    this.plan = options.program ?? nBodyProgram({ bodies: 64, steps: 6, dt: 0.01, softening: 0.1 });
    this.program = this.send(PROGRAMS, "publish", [bytesToHex(encodeProgram(this.plan))]).result;
  }

  /** Registers the workers, each with a device of the tier. */
  addWorkers(workers: readonly TestKey[] = WORKERS, tier: number = TIER): void {
    for (const key of workers) {
      this.send(PROVIDERS, "register", ["worker", "http://worker.example"], { key, value: COLLATERAL });
      this.addDevice(key, tier);
    }
  }

  addDevice(key: TestKey, tier: number = TIER, region: Hex = regionOf("eu")): bigint {
    return this.send(PROVIDERS, "addDevice", [1, 1n << 30n, tier, region, 0n, word(1)], { key }).result;
  }

  createSource(change: Partial<SourceOptions> = {}): bigint {
    const { racers, collateral, seats, assurance, maxPrice, taskSeconds } = { ...SOURCE, ...change };
    const args = [this.program, TIER, racers, collateral, seats, assurance, maxPrice, taskSeconds] as const;
    return this.send(MARKET, "createSource", args, { key: OWNER }).result;
  }

  join(source: bigint, key: TestKey, device = 1n): void {
    this.send(MARKET, "joinSource", [source, device], { key, value: OGPU });
  }

  inputs(): readonly Hex[] {
    return this.plan.buffers.filter(({ kind }) => kind === "input").map((_, index) => word(1_000 + index));
  }

  submit(source: bigint, key: TestKey = CLIENT, callback: Callback = NO_CALLBACK): bigint {
    return this.send(MARKET, "submitTask", [source, [...this.inputs()], callback], { key, value: 10n * OGPU }).result;
  }

  /** Blocks until racers are drawn. */
  draw(): void {
    this.blocks(Number(this.spec.modules.market.drawBlocks));
  }

  job(id: bigint): JobView {
    return this.view(MARKET, "jobOf", [id]);
  }

  receipt(id: bigint): ReceiptView {
    return this.view(MARKET, "receiptOf", [id]);
  }

  /** What a worker commits to, different for each `salt`. */
  commitment(salt: number, outputs = true): Commitment {
    return {
      segmentRoot: word(10 * salt + 1),
      checkpointRoot: word(10 * salt + 2),
      outputs: outputs ? this.plan.outputs.map((buffer) => word(10 * salt + 3 + buffer)) : [],
      traps: false,
      trapLaunch: 0,
      trapTile: 0,
    };
  }

  sealFor(job: bigint, key: TestKey, commitment: Commitment): Hex {
    return sealOf(job, key.address, commitment, NONCE);
  }

  seal(job: bigint, key: TestKey, commitment: Commitment): void {
    this.send(MARKET, "commitSealed", [job, this.job(job).attempt, this.sealFor(job, key, commitment)], { key });
  }

  /** A transaction for a block with others. */
  call<const A extends Abi, Name extends ContractFunctionName<A>>(
    { address, abi }: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, "nonpayable" | "payable", Name>,
    options: SendOptions = {},
    offset = 0,
  ): RecoveredTransaction {
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args } as never);
    return this.transaction(address, hexToBytes(data), options, offset);
  }

  reveal(job: bigint, key: TestKey, commitment: Commitment): void {
    this.send(MARKET, "reveal", [job, commitment, NONCE], { key });
  }

  /** Decides the job's present round, and ends a block. */
  decide(job: bigint, verdict: Partial<DecidedRound> = {}): void {
    const { round } = this.job(job);
    this.verification.decide(round, verdict);
    this.block();
  }

  /** [free, reserved] collateral of a provider. */
  collateral({ address }: TestKey): readonly [bigint, bigint] {
    const { free, reserved } = this.view(PROVIDERS, "providerOf", [address]);
    return [free, reserved];
  }

  /** [free, allocated] of a trust lock. */
  lock({ address }: TestKey): readonly [bigint, bigint] {
    const [, free, allocated] = this.view(TRUST_LOCK, "accountOf", [address]);
    return [free, allocated];
  }
}

interface Callback {
  readonly target: Hex;
  readonly gas: bigint;
  readonly tip: bigint;
}

export interface SourceOptions {
  readonly racers: number;
  readonly collateral: bigint;
  readonly seats: number;
  readonly assurance: number;
  readonly maxPrice: bigint;
  readonly taskSeconds: bigint;
}

export const SOURCE: SourceOptions = {
  racers: 3,
  collateral: 5n * OGPU,
  seats: 3,
  assurance: 0,
  maxPrice: 0n,
  taskSeconds: 20n,
};

export const NONCE: Hex = bytesToHex(keccak256(utf8("nonce")));

export function word(value: number): Hex {
  return bytesToHex(bytes32(BigInt(value)));
}

export function regionOf(name: string): Hex {
  const bytes = new Uint8Array(16);
  bytes.set(utf8(name));
  return bytesToHex(bytes);
}

/** Keys of the racers, in the order of their places. */
export function racersOf(chain: MarketChain, job: bigint): readonly TestKey[] {
  return chain.job(job).racers.map(({ worker }) => {
    const key = WORKERS.find(({ address }) => address === worker.toLowerCase());
    assert(key !== undefined, "a racer is one of the workers");
    return key;
  });
}
