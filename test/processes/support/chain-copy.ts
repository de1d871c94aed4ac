/** What a node says its chain is, block by block, and what the nodes of a network agree on. */
import type { Hex } from "../../../base/bytes.ts";
import { call, callAll } from "./json-rpc.ts";

export interface CopiedBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly stateRoot: Hex;
  readonly receiptsRoot: Hex;
  readonly transactions: readonly Hex[];
}

export async function heightOf(url: string): Promise<number> {
  return Number(await call<Hex>(url, "eth_blockNumber"));
}

/** Of a live node: only the new blocks are fetched each time. */
export class ChainCopy {
  readonly first: number;
  readonly blocks: CopiedBlock[] = [];
  readonly transactions: Set<Hex> = new Set();

  /** From that height on. */
  constructor(first = 0) {
    this.first = first;
  }

  get height(): number {
    return this.first + this.blocks.length - 1;
  }

  async update(url: string): Promise<void> {
    const height = await heightOf(url);
    const numbers = Array.from({ length: Math.max(0, height - this.height) }, (_, index) => this.height + 1 + index);
    const params = numbers.map((number) => [`0x${number.toString(16)}`, false]);
    for (const block of await callAll<CopiedBlock | null>(url, "eth_getBlockByNumber", params)) {
      if (block === null) throw new Error(`a block below the head of ${url} is missing`);
      const last = this.blocks.at(-1);
      if (last !== undefined && last.hash !== block.parentHash) throw new Error(`block ${block.number} has no parent`);
      this.blocks.push(block);
      for (const hash of block.transactions) this.transactions.add(hash);
    }
  }

  /** The part that the other one has too. */
  sharedWith(other: ChainCopy): readonly CopiedBlock[] {
    const from = Math.max(this.first, other.first);
    const to = Math.min(this.height, other.height);
    return this.blocks.slice(from - this.first, to + 1 - this.first);
  }
}

/** A node's metric, all labels together that have these. */
export async function metric(url: string, name: string, ...labels: readonly string[]): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  const wanted = lines.filter((line) => labels.every((label) => line.includes(label)));
  return wanted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
