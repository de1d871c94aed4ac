/**
 * A chain in memory on which one provider's devices race for pool tasks, each task settled by its real transactions: from the
 * submission through the seats' seals and openings to the payment. Everybody is honest. What a validator does is timed: recovering
 * senders, and executing blocks with their hooks and state roots.
 */
import { type Abi, type ContractFunctionArgs, type ContractFunctionName, encodeFunctionData } from "viem";
import { bytesToHex, type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { sha256 } from "../../base/sha256.ts";
import { OGPU } from "../../base/units.ts";
import { encodeProgram } from "../../compute/program/codec.ts";
import { stepProgram } from "../../test/vm/modules/support/step-program.ts";
import { TracedWork } from "../../test/vm/modules/support/traced-work.ts";
import { accountKey, type SendOptions, type Target } from "../../test/vm/support/economy-chain.ts";
import { MARKET, NO_CALLBACK, NONCE, PROVIDERS, regionOf, word } from "../../test/vm/support/market-chain.ts";
import type { TestKey } from "../../test/vm/support/test-chain.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { programsAbi } from "../../vm/interfaces/abi/programs.ts";
import { verificationAbi } from "../../vm/interfaces/abi/verification.ts";
import { verifiersAbi } from "../../vm/interfaces/abi/verifiers.ts";
import { PROGRAMS_ADDRESS, VERIFICATION_ADDRESS, VERIFIERS_ADDRESS } from "../../vm/modules/addresses.ts";
import { type Commitment, sealOf as commitmentSeal } from "../../vm/modules/market/commitment.ts";
import { sealOf } from "../../vm/modules/verification/seals.ts";
import { SYSTEM_RECEIPT_TYPE } from "../../vm/receipt/receipt.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { SettledChain } from "./settled-chain.ts";

const PROGRAMS: Target<typeof programsAbi> = { address: PROGRAMS_ADDRESS, abi: programsAbi };
const VERIFICATION: Target<typeof verificationAbi> = { address: VERIFICATION_ADDRESS, abi: verificationAbi };
const VERIFIERS: Target<typeof verifiersAbi> = { address: VERIFIERS_ADDRESS, abi: verifiersAbi };
const CLIENT = accountKey(0);
const WORKER = accountKey(1);
const VERIFIER_KEYS: readonly TestKey[] = Array.from({ length: 18 }, (_, index) => accountKey(2 + index));
export const SEATS = 3;
const STAKE = 100n * OGPU;
const COLLATERAL = 100n * OGPU;
const RESERVED = OGPU;
/** Of every transaction: more than the dearest of them takes. */
const GAS = 4_000_000n;
const SETTLED = 6;
/** Blocks that a wait may take: far more than any does. */
const PATIENCE = 1_000;

/** What tasks have cost a validator, all of them together. */
export interface Costs {
  tasks: number;
  blocks: number;
  transactions: number;
  gas: number;
  /** Processor time in milliseconds. */
  recovering: number;
  executing: number;
}

interface Answer {
  readonly seat: number;
  readonly digest: Hex;
  readonly nonce: Hex;
}

function processorMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export class PoolChain {
  readonly chain: SettledChain = new SettledChain();
  readonly costs: Costs = { tasks: 0, blocks: 0, transactions: 0, gas: 0, recovering: 0, executing: 0 };
  readonly #devices: number;
  readonly #work: TracedWork;
  readonly #commitment: Commitment;
  readonly #source: bigint;
  /** Transactions of each key that wait for the next block. */
  #waiting: RecoveredTransaction[] = [];
  readonly #offsets = new Map<Hex, number>();

  /** As many tasks as devices are settled side by side. */
  constructor(devices: number) {
    this.#devices = devices;
    const program = stepProgram(8, 3);
    this.#work = new TracedWork(program);
    const { segmentRoot, checkpointRoot, outputs } = this.#work.commitment;
    this.#commitment = { segmentRoot, checkpointRoot, outputs, traps: false, trapLaunch: 0, trapTile: 0 };
    const address = this.chain.send(PROGRAMS, "publish", [bytesToHex(encodeProgram(program))], { key: CLIENT }).result;
    for (const key of VERIFIER_KEYS) this.#add(VERIFIERS, "register", [], { key, value: STAKE });
    this.#run();
    const value = COLLATERAL * BigInt(devices);
    this.chain.send(PROVIDERS, "register", ["worker", ""], { key: WORKER, value });
    for (let device = 0; device < devices; device++) {
      this.#add(PROVIDERS, "addDevice", [1, 1n << 30n, 0, regionOf("eu"), 0n, word(1)], { key: WORKER });
    }
    this.#run();
    // Verifiers are drawn from the snapshot of the epoch before.
    this.chain.endEpoch();
    this.chain.block();
    const terms = [address, 0, 1, RESERVED, SEATS, 0, 0n, 60n] as const;
    this.#source = this.chain.send(MARKET, "createSource", terms, { key: CLIENT }).result;
    for (let device = 1; device <= devices; device++) {
      this.#add(MARKET, "joinSource", [this.#source, BigInt(device)], { key: WORKER, value: OGPU });
    }
    this.#run();
    this.forget();
  }

  /** Costs are counted from here on. */
  forget(): void {
    Object.assign(this.costs, { tasks: 0, blocks: 0, transactions: 0, gas: 0, recovering: 0, executing: 0 });
  }

  /** A task for each device, to its payment. Throws if one is not settled. */
  settle(): void {
    const { chain } = this;
    const inputs = [bytesToHex(sha256(utf8("input")))];
    const first = chain.view(MARKET, "jobCount", []) + 1n;
    const jobs = Array.from({ length: this.#devices }, (_, index) => first + BigInt(index));
    for (const _ of jobs) {
      this.#add(MARKET, "submitTask", [this.#source, inputs, NO_CALLBACK], { key: CLIENT, value: OGPU });
    }
    this.#run();
    this.#blocksUntil(() => jobs.every((job) => this.#job(job).status === 3));
    for (const job of jobs) {
      const seal = commitmentSeal(job, WORKER.address, this.#commitment, NONCE);
      this.#add(MARKET, "commitSealed", [job, 1n, seal], { key: WORKER });
    }
    this.#run();
    for (const job of jobs) this.#add(MARKET, "reveal", [job, this.#commitment, NONCE], { key: WORKER });
    this.#run();
    this.#verify(jobs.map((job) => this.#job(job).round));
    this.#blocksUntil(() => jobs.every((job) => this.#job(job).status >= SETTLED));
    assert(
      jobs.every((job) => this.#job(job).status === SETTLED),
      "every task is paid",
    );
    this.costs.tasks += jobs.length;
  }

  /** Rounds from their draw to the end of their challenge windows. */
  #verify(rounds: readonly bigint[]): void {
    this.#blocksUntil(() => rounds.every((round) => this.#round(round).by !== 0n), 0);
    const seated = rounds.map((round) => ({ round, seats: this.#seats(round) }));
    for (const { round, seats } of seated) {
      for (const [verifier, answers] of seats) {
        const seals = answers.map((answer) => ({ seat: answer.seat, hash: sealOf(verifier, round, answer) }));
        this.#add(VERIFICATION, "seal", [round, seals], { key: keyOf(verifier) });
      }
    }
    this.#run();
    for (const round of rounds) {
      const openings = this.chain
        .view(VERIFICATION, "seatsOf", [round])
        .map(({ seat, launch, tile }) => this.#work.open(seat, launch, tile));
      this.#add(VERIFICATION, "open", [round, openings as never], { key: WORKER });
    }
    this.#run();
    for (const { round, seats } of seated) {
      for (const [verifier, answers] of seats) {
        this.#add(VERIFICATION, "reveal", [round, answers], { key: keyOf(verifier) });
      }
    }
    this.#run();
    const seed = bytesToHex(this.#work.seed);
    for (const round of rounds) this.#add(VERIFICATION, "publishSeed", [round, seed], { key: WORKER });
    this.#run();
    const last = rounds.map((round) => this.#round(round).by).reduce((a, b) => (a > b ? a : b));
    this.#run(Number(last - this.chain.now));
  }

  /** What each verifier of a round answers. */
  #seats(round: bigint): ReadonlyMap<Hex, readonly Answer[]> {
    const found = new Map<Hex, Answer[]>();
    for (const { seat, verifier, launch, tile } of this.chain.view(VERIFICATION, "seatsOf", [round])) {
      const key = verifier.toLowerCase() as Hex;
      const nonce = bytesToHex(sha256(utf8(`nonce ${round} ${seat}`)));
      found.set(key, [...(found.get(key) ?? []), { seat, digest: this.#work.truth(launch, tile), nonce }]);
    }
    return found;
  }

  #job(job: bigint) {
    return this.chain.view(MARKET, "jobOf", [job]);
  }

  #round(round: bigint) {
    return this.chain.view(VERIFICATION, "roundOf", [round]);
  }

  #add<const A extends Abi, Name extends ContractFunctionName<A>>(
    { address, abi }: Target<A>,
    functionName: Name,
    args: ContractFunctionArgs<A, "pure" | "view" | "nonpayable" | "payable", Name>,
    options: SendOptions & { readonly key: TestKey },
  ): void {
    const data = hexToBytes(encodeFunctionData({ abi: abi as Abi, functionName, args } as never));
    const offset = this.#offsets.get(options.key.address) ?? 0;
    this.#waiting.push(this.chain.transaction(address, data, { gasLimit: GAS, ...options }, offset));
    this.#offsets.set(options.key.address, offset + 1);
  }

  #blocksUntil(isSo: () => boolean, seconds = 1): void {
    for (let blocks = 0; !isSo(); blocks++) {
      assert(blocks < PATIENCE, "what is awaited comes");
      this.#run(seconds);
    }
  }

  /** A block of all that waits. */
  #run(seconds = 1): void {
    const transactions = this.#waiting;
    this.#waiting = [];
    this.#offsets.clear();
    const start = processorMilliseconds();
    for (const { transaction, sender } of transactions) {
      assert(recoverSender(transaction) === sender, "senders are who signed");
    }
    const recovered = processorMilliseconds();
    const { receipts } = this.chain.block(transactions, { seconds });
    this.costs.executing += processorMilliseconds() - recovered;
    this.costs.recovering += recovered - start;
    this.costs.blocks++;
    this.costs.transactions += transactions.length;
    for (const { type, succeeded, gasUsed, output } of receipts) {
      if (type === SYSTEM_RECEIPT_TYPE) continue;
      assert(succeeded, `every transaction succeeds: ${bytesToHex(output).slice(0, 10)}`);
      this.costs.gas += Number(gasUsed);
    }
  }
}

function keyOf(verifier: Hex): TestKey {
  const key = VERIFIER_KEYS.find(({ address }) => address === verifier);
  assert(key !== undefined, "seats are of the chain's verifiers");
  return key;
}
