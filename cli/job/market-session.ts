/** The compute market as the job commands use it: one node, and one account where something is sent. */
import {
  type Abi,
  type AbiEvent,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  decodeEventLog,
  keccak256,
  toEventSelector,
} from "viem";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { Web } from "../../compute/agent/web.ts";
import { isOver, type MarketJob, type MarketReceipt, type MarketSource } from "../../rpc/client/market-answers.ts";
import { ogpuModules } from "../../rpc/client/modules.ts";
import { agentWeb } from "../agent/agent-web.ts";
import { BlockSignal } from "../agent/block-signal.ts";
import { chainRefusal, requireDone } from "../agent/module-sender.ts";
import { NodeChain } from "../agent/node-chain.ts";
import { connectRpc, type RpcLink } from "../agent/rpc-link.ts";
import { systemClock } from "../agent/system-clock.ts";
import { codedCause } from "../failure.ts";
import type { Receipt } from "../transaction-sender.ts";
import type { Work } from "./work.ts";

export interface SourceWords {
  readonly tier: number;
  readonly racers: number;
  readonly seats: number;
  readonly assurance: number;
  readonly taskSeconds: number;
}

export interface AuctionWords {
  readonly budget: bigint;
  readonly segments: number;
  readonly tier: number;
  readonly seats: number;
  readonly assurance: number;
  readonly bidSeconds: number;
  readonly jobSeconds: number;
}

export interface Terms extends Omit<AuctionWords, "bidSeconds" | "jobSeconds"> {
  readonly program: Hex;
  readonly bidSeconds: bigint;
  readonly jobSeconds: bigint;
  readonly region: Hex;
}

/** Bytes of a program that go into one transaction. */
const PIECE_BYTES = 24_000;
const NO_CALLBACK = { target: "0x0000000000000000000000000000000000000000", gas: 0n, tip: 0n };
const ANYWHERE: Hex = "0x00000000000000000000000000000000";
const PAGE = 100n;
/** Sources that are looked through for one with the same program. */
const MAX_SOURCES = 1_000n;

export interface Reach {
  readonly allowInternal?: boolean;
  /** That the user has named. */
  readonly places?: readonly string[];
}

export class MarketSession {
  readonly link: RpcLink;
  /** As agents see it, where there is a key. */
  readonly chain: NodeChain | undefined;
  /** Reaches whom others have registered. */
  readonly web: Web;
  readonly #blocks: BlockSignal;

  /** Without a key it only looks. */
  constructor(rpc: string, key?: Uint8Array, reach: Reach = {}) {
    this.link = connectRpc(rpc);
    this.web = agentWeb(this.link, reach.allowInternal ?? false, reach.places);
    this.#blocks = new BlockSignal(rpc, 500);
    this.chain = key === undefined ? undefined : new NodeChain(rpc, key, systemClock, this.#blocks);
  }

  get account(): Hex | undefined {
    return this.chain?.account;
  }

  close(): void {
    this.#blocks.close();
  }

  /** Throws JOB_UNKNOWN. */
  async job(id: bigint): Promise<MarketJob> {
    const job = await this.#read(this.link.readModule({ module: "market", functionName: "jobOf", args: [id] }));
    if (job.status !== 0) return job;
    throw new CodedError("JOB_UNKNOWN", `there is no job ${id}`, { hint: "ogpu job list shows the jobs." });
  }

  receipt(id: bigint): Promise<MarketReceipt> {
    return this.#read(this.link.readModule({ module: "market", functionName: "receiptOf", args: [id] }));
  }

  /** The job now, and again after each block in which it may have changed, until it is over. */
  async *watch(id: bigint, signal: AbortSignal): AsyncGenerator<MarketJob> {
    while (!signal.aborted) {
      const { heard } = this.#blocks;
      const job = await this.job(id);
      yield job;
      if (isOver(job.status)) return;
      await this.#blocks.wait(heard, signal);
    }
  }

  async protocolTime(): Promise<bigint> {
    return await this.#read(this.link.readModule({ module: "clock", functionName: "protocolTime" }));
  }

  async sources(onlyOpen: boolean, limit: bigint = MAX_SOURCES): Promise<readonly MarketSource[]> {
    const found: MarketSource[] = [];
    while (BigInt(found.length) < limit) {
      const functionName = onlyOpen ? "openSources" : "sources";
      const args = [BigInt(found.length), PAGE] as const;
      const page = await this.#read(this.link.readModule({ module: "market", functionName, args }));
      found.push(...page);
      if (BigInt(page.length) < PAGE) break;
    }
    return found;
  }

  /** Puts the program on the chain unless it is there; `progress` hears of each piece. */
  async publish({ address, encoding }: Work, progress: (text: string) => void): Promise<void> {
    const module = "programs";
    const isThere = await this.#read(this.link.readModule({ module, functionName: "isPublished", args: [address] }));
    if (isThere) return;
    if (encoding.length <= PIECE_BYTES) {
      progress(`publishing the program, ${encoding.length} bytes`);
      await this.send({ module, name: "publish", args: [bytesToHex(encoding)] });
      return;
    }
    const count = Math.ceil(encoding.length / PIECE_BYTES);
    const pieces: Hex[] = [];
    for (let at = 0; at < count; at++) {
      const data = bytesToHex(encoding.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES));
      const piece = keccak256(data);
      pieces.push(piece);
      progress(`publishing the program, piece ${at + 1} of ${count}`);
      const isStored = await this.#read(this.link.readModule({ module, functionName: "isStored", args: [piece] }));
      if (!isStored) await this.send({ module, name: "storePiece", args: [data] });
    }
    await this.send({ module, name: "publishPieces", args: [pieces] });
  }

  /** Its id is 0 when there is none. */
  source(id: bigint): Promise<MarketSource> {
    return this.#read(this.link.readModule({ module: "market", functionName: "sourceOf", args: [id] }));
  }

  async createSource(program: Hex, words: SourceWords): Promise<bigint> {
    const { tier, racers, seats, assurance, taskSeconds } = words;
    const args = [program, tier, racers, 0n, seats, assurance, 0n, BigInt(taskSeconds)];
    const receipt = await this.send({ module: "market", name: "createSource", args });
    return argumentOf(receipt, "SourceChanged", "source");
  }

  async submitTask(source: bigint, inputs: readonly Hex[]): Promise<bigint> {
    const module = "market";
    const quoted = await this.#read(this.link.readModule({ module, functionName: "quoteTask", args: [source] }));
    const [, , total, lock] = quoted;
    // Prices move by an eighth at most until the block; what is not needed comes back.
    const value = (total * 9n) / 8n + lock;
    return argumentOf(
      await this.send({ module, name: "submitTask", args: [source, inputs, NO_CALLBACK] }, value),
      ...(["JobChanged", "job"] as const),
    );
  }

  termsOf(program: Hex, words: AuctionWords): Terms {
    const { budget, segments, tier, seats, assurance } = words;
    const times = { bidSeconds: BigInt(words.bidSeconds), jobSeconds: BigInt(words.jobSeconds) };
    return { program, budget, segments, tier, seats, assurance, ...times, region: ANYWHERE };
  }

  async postJob(program: Hex, inputs: readonly Hex[], words: AuctionWords): Promise<bigint> {
    const module = "market";
    const terms = this.termsOf(program, words);
    const quoted = await this.#read(this.link.readModule({ module, functionName: "quoteJob", args: [terms] }));
    const [, , total, lock] = quoted;
    const args = [terms, inputs, NO_CALLBACK];
    return argumentOf(await this.send({ module, name: "postJob", args }, total + lock), "JobChanged", "job");
  }

  /** Throws CHAIN_REFUSED. */
  send(use: Parameters<typeof requireDone>[1], value = 0n): Promise<Receipt> {
    if (this.chain === undefined) throw new CodedError("NO_KEY", "nobody signs here");
    return requireDone(this.chain.transactions, use, value);
  }

  async #read<Answer>(reading: Promise<Answer>): Promise<Answer> {
    return await reading.catch((error: unknown) => {
      throw revertOf(error) ?? codedCause(error);
    });
  }
}

/** What viem tells of a call that a module reverted, as this program's error. */
function revertOf(error: unknown): CodedError | undefined {
  if (!(error instanceof ContractFunctionExecutionError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError) || reverted.data === undefined) return undefined;
  const { errorName, args = [] } = reverted.data;
  return chainRefusal({ module: "market", name: error.functionName }, { name: errorName, args }, reverted.shortMessage);
}

/** An argument of the first such event of the market in a receipt. */
function argumentOf({ logs }: Receipt, event: string, name: string): bigint {
  const { address, abi } = ogpuModules.market;
  const item = (abi as Abi).find((each): each is AbiEvent => each.type === "event" && each.name === event);
  const topic = item && toEventSelector(item);
  const log = logs.find((each) => each.address.toLowerCase() === address && each.topics[0] === topic);
  if (log === undefined) throw new CodedError("CHAIN_UNEXPECTED", `the transaction has no ${event}`);
  const { args } = decodeEventLog({ abi: abi as Abi, data: log.data, topics: log.topics as [Hex, ...Hex[]] });
  return (args as unknown as Readonly<Record<string, bigint>>)[name] ?? 0n;
}
