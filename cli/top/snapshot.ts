/** What `ogpu top` shows: one look at a node, over RPC and its metrics. */
import type { Hex } from "../../base/bytes.ts";
import { callRpc } from "../json-rpc-client.ts";

export interface ShownBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly milliseconds: number;
  readonly transactions: number;
  /** 0 to 1 of the gas limit. */
  readonly fullness: number;
  readonly proposer: Hex;
}

export interface ShownValidator {
  readonly operator: Hex;
  readonly weight: bigint;
  readonly signed: number;
}

export interface Snapshot {
  readonly network: string;
  readonly role: string;
  readonly height: number;
  readonly epoch: number;
  readonly view: number;
  readonly peers: number;
  readonly headMilliseconds: number;
  readonly waiting: number;
  readonly baseFee: bigint;
  readonly supply: { readonly total: bigint; readonly cap: bigint; readonly staked: bigint; readonly burned: bigint };
  /** The newest first. */
  readonly blocks: readonly ShownBlock[];
  readonly counted: number;
  readonly validators: readonly ShownValidator[];
  /** Of the node's process; undefined where the metrics say nothing. */
  readonly finality: { readonly p50: number; readonly p95: number } | undefined;
  readonly memoryBytes: number | undefined;
  readonly loopUse: number | undefined;
}

export const BLOCKS_SHOWN = 64;

interface StatusJson {
  readonly network: string;
  readonly role: string;
  readonly epoch: number;
  readonly view: number;
  readonly peers: number;
  readonly head: { readonly number: Hex; readonly milliseconds: number };
}

interface BlockJson {
  readonly number: Hex;
  readonly hash: Hex;
  readonly timestamp: Hex;
  readonly miner: Hex;
  readonly gasUsed: Hex;
  readonly gasLimit: Hex;
  readonly baseFeePerGas: Hex;
  readonly transactions: readonly Hex[];
}

interface SupplyJson {
  readonly total: Hex;
  readonly cap: Hex;
  readonly burned: Hex;
  readonly locked: { readonly staked: Hex };
}

/** Keeps blocks that it has seen: they never change. */
export class SnapshotSource {
  readonly #rpc: string;
  readonly #blocks = new Map<number, ShownBlock>();
  #baseFee = 0n;

  constructor(rpc: string) {
    this.#rpc = rpc;
  }

  async take(validatorsOf: (rpc: string) => Promise<Pick<Snapshot, "counted" | "validators">>): Promise<Snapshot> {
    const rpc = this.#rpc;
    const [status, pool, supply, metrics, set] = await Promise.all([
      callRpc<StatusJson>(rpc, "ogpu_status", []),
      callRpc<{ readonly pending: Hex; readonly queued: Hex }>(rpc, "txpool_status", []),
      callRpc<SupplyJson>(rpc, "ogpu_getSupply", []),
      metricsOf(rpc),
      validatorsOf(rpc),
    ]);
    const { network, role, epoch, view, peers } = status;
    const height = Number(status.head.number);
    await this.#fetchBlocks(height);
    return {
      ...{ network, role, epoch, view, peers, height },
      headMilliseconds: status.head.milliseconds,
      waiting: Number(pool.pending) + Number(pool.queued),
      baseFee: this.#baseFee,
      supply: {
        ...{ total: BigInt(supply.total), cap: BigInt(supply.cap), burned: BigInt(supply.burned) },
        staked: BigInt(supply.locked.staked),
      },
      blocks: [...this.#blocks.values()].sort((a, b) => b.number - a.number),
      ...set,
      ...figuresOf(metrics),
    };
  }

  async #fetchBlocks(height: number): Promise<void> {
    const first = Math.max(0, height - BLOCKS_SHOWN + 1);
    const missing = Array.from({ length: height - first + 1 }, (_, i) => first + i).filter((n) => !this.#blocks.has(n));
    const found = await Promise.all(
      missing.map((number) =>
        callRpc<BlockJson | null>(this.#rpc, "eth_getBlockByNumber", [`0x${number.toString(16)}`, false]),
      ),
    );
    for (const block of found) {
      if (block === null) continue;
      this.#blocks.set(Number(block.number), shownBlock(block));
      if (Number(block.number) === height) this.#baseFee = BigInt(block.baseFeePerGas);
    }
    for (const number of this.#blocks.keys()) if (number < first) this.#blocks.delete(number);
  }
}

function shownBlock({ number, hash, timestamp, miner, gasUsed, gasLimit, transactions }: BlockJson): ShownBlock {
  return {
    ...{ number: Number(number), hash, milliseconds: Number(timestamp) * 1000, proposer: miner },
    transactions: transactions.length,
    fullness: Number(gasUsed) / Number(gasLimit),
  };
}

/** A node may serve them elsewhere, or not at all. */
async function metricsOf(rpc: string): Promise<string> {
  try {
    const response = await fetch(new URL("/metrics", rpc), { signal: AbortSignal.timeout(2_000) });
    return response.ok ? await response.text() : "";
  } catch {
    return "";
  }
}

function figuresOf(metrics: string): Pick<Snapshot, "finality" | "memoryBytes" | "loopUse"> {
  const value = (name: string): number | undefined => {
    const [, text] = new RegExp(`^${name} ([0-9.e+-]+)$`, "m").exec(metrics) ?? [];
    return text === undefined ? undefined : Number(text);
  };
  return {
    finality: quantilesOf(metrics, "ogpu_finality_seconds"),
    memoryBytes: value("process_resident_memory_bytes"),
    loopUse: value("ogpu_event_loop_utilization"),
  };
}

/** The upper edges of the buckets that the quantiles are in, in seconds. */
export function quantilesOf(metrics: string, name: string): { readonly p50: number; readonly p95: number } | undefined {
  const buckets = [...metrics.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, "gm"))].map(
    ([, edge = "", count = ""]) => ({ edge: Number(edge.replace("+Inf", "Infinity")), count: Number(count) }),
  );
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return undefined;
  const quantile = (share: number): number =>
    buckets.find(({ count }) => count >= share * total)?.edge ?? Number.POSITIVE_INFINITY;
  return { p50: quantile(0.5), p95: quantile(0.95) };
}
