/** The chain as agents see it, through a node's JSON-RPC. */
import { decodeEventLog, getAbiItem, toEventSelector } from "viem";
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { signHash } from "../../base/secp256k1.ts";
import {
  type ChainAction,
  type ChainNotice,
  type ChainPort,
  type ClockPort,
  JOB_STATUS,
  type JobView,
  type MembershipView,
  type RoundView,
  type SeatOpening,
  type SendOutcome,
  type SourceView,
} from "../../compute/agent/ports.ts";
import { ogpuModules } from "../../rpc/client/modules.ts";
import { codedCause } from "../failure.ts";
import { callQuantity, callRpc, quantity } from "../json-rpc-client.ts";
import { BlockSignal } from "./block-signal.ts";
import { useOf } from "./chain-calls.ts";
import { concernedBy, type LogJson, WATCHED_ADDRESSES } from "./chain-notices.ts";
import { jobView, roundView, sourceView } from "./chain-views.ts";
import { BLOCKS_AT_ONCE, COMMITMENT_BLOCKS, COMMITMENT_RANGES, MAX_PROGRAMS_KEPT } from "./limits.ts";
import { moduleErrorOf, sendUse } from "./module-sender.ts";
import { readOpening } from "./read-opening.ts";
import { connectRpc, type RpcLink } from "./rpc-link.ts";
import { systemClock } from "./system-clock.ts";
import { TransactionQueue } from "./transaction-queue.ts";

const COMMITTED = toEventSelector(getAbiItem({ abi: ogpuModules.market.abi, name: "Committed" }));
const DISPUTED = toEventSelector(getAbiItem({ abi: ogpuModules.verification.abi, name: "Disputed" }));

/** Entries of one answer. */
const PAGE = 100;

export class NodeChain implements ChainPort {
  readonly account: Hex;
  readonly link: RpcLink;
  readonly blocks: BlockSignal;
  readonly transactions: TransactionQueue;
  readonly #key: Uint8Array;
  /** Programs never change: those that were read last are kept. */
  readonly #programs = new Map<Hex, Uint8Array>();

  constructor(rpc: string, key: Uint8Array, clock: ClockPort = systemClock, blocks?: BlockSignal) {
    this.link = connectRpc(rpc);
    this.blocks = blocks ?? new BlockSignal(rpc);
    this.transactions = new TransactionQueue(rpc, key, this.blocks, clock);
    this.account = this.transactions.account;
    this.#key = key;
  }

  close(): void {
    this.blocks.close();
  }

  async *watch(from: bigint | undefined, signal: AbortSignal): AsyncIterable<ChainNotice> {
    let next = from;
    while (!signal.aborted) {
      const heard = this.blocks.heard;
      next ??= await this.#nextBlock().catch(unlessAway);
      const notice = next === undefined ? undefined : await this.#noticeFrom(next).catch(unlessAway);
      if (notice === undefined) await this.blocks.wait(heard, signal);
      else {
        next = notice.block + 1n;
        yield notice;
      }
    }
  }

  async #nextBlock(): Promise<bigint> {
    return (await callQuantity(this.link.url, "eth_blockNumber", [])) + 1n;
  }

  /** Of all blocks from `first` on, or of as many as are asked for at once; `undefined` when there is none. */
  async #noticeFrom(first: bigint): Promise<ChainNotice | undefined> {
    const { url } = this.link;
    const head = await callQuantity(url, "eth_blockNumber", []);
    if (head < first) return undefined;
    const last = head < first + BLOCKS_AT_ONCE ? head : first + BLOCKS_AT_ONCE - 1n;
    const range = { fromBlock: quantity(first), toBlock: quantity(last), address: WATCHED_ADDRESSES };
    const [logs, time] = await Promise.all([
      callRpc<readonly LogJson[]>(url, "eth_getLogs", [range]),
      this.#read(this.link.readModule({ module: "clock", functionName: "protocolTime" })),
    ]);
    return { block: last, time, ...concernedBy(logs) };
  }

  async job(id: bigint): Promise<JobView | undefined> {
    const { link, account } = this;
    const module = "market";
    const job = await this.#read(link.readModule({ module, functionName: "jobOf", args: [id] }));
    const isAuction = job.source === 0n;
    const [bids, demands, earlier] = await this.#read(
      Promise.all([
        isAuction ? link.readModule({ module, functionName: "bidsOf", args: [id] }) : [],
        link.readModule({ module, functionName: "openDemands", args: [id] }),
        isAuction && job.segment > 0 ? this.#earlierWorkers(id) : [],
      ]),
    );
    return jobView(job, bids, demands, earlier, account);
  }

  /** By the logs of their commitments, the last one first, each once. */
  async #earlierWorkers(id: bigint): Promise<readonly Hex[]> {
    const { url } = this.link;
    let last = await callQuantity(url, "eth_blockNumber", []);
    const found: Hex[] = [];
    for (let asked = 0; asked < COMMITMENT_RANGES && last >= 0n; asked++) {
      const first = last < COMMITMENT_BLOCKS ? 0n : last - COMMITMENT_BLOCKS + 1n;
      const range = { fromBlock: quantity(first), toBlock: quantity(last), address: ogpuModules.market.address };
      const topics = [COMMITTED, bytesToHex(bytes32(id))];
      const logs = await callRpc<readonly LogJson[]>(url, "eth_getLogs", [{ ...range, topics }]);
      found.push(...logs.map(({ topics: [, , worker = "0x"] }) => `0x${worker.slice(-40)}` as Hex).reverse());
      last = first - 1n;
    }
    return [...new Set(found)];
  }

  async source(id: bigint): Promise<SourceView | undefined> {
    return sourceView(
      await this.#read(this.link.readModule({ module: "market", functionName: "sourceOf", args: [id] })),
    );
  }

  async sources(limit: number): Promise<readonly SourceView[]> {
    const found = await this.#pages(limit, (start, size) =>
      this.link.readModule({ module: "market", functionName: "openSources", args: [start, size] }),
    );
    return found.flatMap((source) => sourceView(source) ?? []);
  }

  async memberships(limit: number): Promise<readonly MembershipView[]> {
    const found = await this.#pages(limit, (start, size) =>
      this.link.readModule({ module: "market", functionName: "membershipsOf", args: [this.account, start, size] }),
    );
    return found.map(({ source, device, job }) => ({ source, device, job }));
  }

  auctions(limit: number): Promise<readonly bigint[]> {
    return this.#pages(limit, (start, size) =>
      this.link.readModule({ module: "market", functionName: "jobsByStatus", args: [JOB_STATUS.open, start, size] }),
    );
  }

  ownJobs(limit: number): Promise<readonly bigint[]> {
    return this.#pages(limit, (start, size) =>
      this.link.readModule({ module: "market", functionName: "jobsOfWorker", args: [this.account, start, size] }),
    );
  }

  async #pages<Entry>(
    limit: number,
    page: (start: bigint, size: bigint) => Promise<readonly Entry[]>,
  ): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    while (found.length < limit) {
      const size = Math.min(PAGE, limit - found.length);
      const some = await this.#read(page(BigInt(found.length), BigInt(size)));
      found.push(...some);
      if (some.length < size) break;
    }
    return found;
  }

  async round(id: bigint): Promise<RoundView | undefined> {
    const { link } = this;
    const module = "verification";
    if (id === 0n || id > (await this.#read(link.readModule({ module, functionName: "roundCount" })))) return undefined;
    return roundView(
      ...(await this.#read(
        Promise.all([
          link.readModule({ module, functionName: "roundOf", args: [id] }),
          link.readModule({ module, functionName: "seatsOf", args: [id] }),
          link.readModule({ module, functionName: "disputeOf", args: [id, this.account] }),
          link.readModule({ module, functionName: "addressesOf", args: [id] }),
        ]),
      )),
    );
  }

  async disputed(round: bigint): Promise<{ readonly launch: number; readonly tile: number } | undefined> {
    const head = await callQuantity(this.link.url, "eth_blockNumber", []);
    const first = head < COMMITMENT_BLOCKS ? 0n : head - COMMITMENT_BLOCKS + 1n;
    const { address, abi } = ogpuModules.verification;
    const range = { fromBlock: quantity(first), toBlock: quantity(head), address };
    const topics = [DISPUTED, bytesToHex(bytes32(round))];
    const logs = await callRpc<readonly LogJson[]>(this.link.url, "eth_getLogs", [{ ...range, topics }]);
    const last = logs.at(-1);
    if (last === undefined) return undefined;
    const { args } = decodeEventLog({
      ...{ abi, eventName: "Disputed", data: last.data, topics: last.topics as [Hex, ...Hex[]] },
    });
    return { launch: args.launch, tile: args.tile };
  }

  opening(round: bigint, seat: number): Promise<SeatOpening | undefined> {
    return this.#read(readOpening(this.link, round, seat));
  }

  async program(address: Hex): Promise<Uint8Array | undefined> {
    const known = this.#programs.get(address);
    if (known !== undefined) return known;
    const module = "programs";
    const args = [address] as const;
    const isThere = await this.#read(this.link.readModule({ module, functionName: "isPublished", args }));
    if (!isThere) return undefined;
    const encoding = await this.#read(this.link.readModule({ module, functionName: "encodingOf", args }));
    const bytes = hexToBytes(encoding);
    const [oldest] = this.#programs.keys();
    if (oldest !== undefined && this.#programs.size >= MAX_PROGRAMS_KEPT) this.#programs.delete(oldest);
    this.#programs.set(address, bytes);
    return bytes;
  }

  async endpoint(provider: Hex): Promise<string | undefined> {
    const read = this.link.readModule({ module: "providers", functionName: "providerOf", args: [provider] });
    const { endpoint } = await this.#read(read);
    return endpoint === "" ? undefined : endpoint;
  }

  async send(action: ChainAction): Promise<SendOutcome> {
    const use = useOf(action, this.account);
    const outcome = await sendUse(this.transactions, use);
    if (outcome.kind === "done") return { kind: "done", block: BigInt(outcome.receipt.blockNumber) };
    return { kind: "refused", error: moduleErrorOf(outcome, use.module)?.name ?? outcome.message };
  }

  sign(digest: Uint8Array): Promise<Uint8Array> {
    const { r, s, yParity } = signHash(digest, this.#key);
    return Promise.resolve(concatBytes(bytes32(r), bytes32(s), Uint8Array.of(yParity)));
  }

  /** With this program's errors instead of the library's. */
  async #read<Answer>(reading: Promise<Answer>): Promise<Answer> {
    try {
      return await reading;
    } catch (error) {
      const cause = codedCause(error);
      if (cause instanceof CodedError) throw cause;
      const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
      throw new CodedError("RPC_REFUSED", `the node refuses: ${message}`);
    }
  }
}

/** A node that is away, or has too much to do, is asked again. */
function unlessAway(error: unknown): undefined {
  if (isCoded(codedCause(error), "RPC_UNREACHABLE", "RPC_BAD_ANSWER", "RPC_REFUSED")) return undefined;
  throw error;
}
