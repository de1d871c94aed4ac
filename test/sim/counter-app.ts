/**
 * The application under consensus: blocks carry transaction numbers, the state is a chain of hashes over them. Small
 * enough to be obviously right, and any difference in what was executed shows in the root.
 */
import { bytesToHex, concatBytes, equalBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";
import { nextBeacon } from "../../chain/consensus/beacon.ts";
import { encodeCertificate } from "../../chain/consensus/certificate.ts";
import type { Effect } from "../../chain/consensus/events.ts";
import type { Block } from "../../chain/consensus/types.ts";
import type { ValidatorStake } from "../../chain/consensus/validator-set.ts";

const ZERO_HASH: Hex = bytesToHex(new Uint8Array(32));

/** Of all simulated networks. */
export const WEIGHT_CAP_DIVISOR = 4n;

/** Which validators an epoch has, and how many blocks it lasts. */
export interface EpochPlan {
  readonly blocksPerEpoch: number;
  stakesOf(epoch: number): readonly ValidatorStake[];
}

export interface Body {
  readonly transactions: readonly number[];
  readonly root: Uint8Array;
}

export function encodeBody({ transactions, root }: Body): Uint8Array {
  return encodeRlp([transactions.map((id) => rlpOfInteger(BigInt(id))), root]);
}

export function decodeBody(bytes: Uint8Array): Body {
  const fields = rlpList(decodeRlp(bytes), 2);
  const transactions = rlpList(fields[0] as RlpItem).map((item) => Number(rlpInteger(item, 6)));
  return { transactions, root: rlpBytes(fields[1] as RlpItem, 32) };
}

export function nextRoot(parentRoot: Uint8Array, transactions: readonly number[]): Uint8Array {
  return sha256(concatBytes(parentRoot, encodeRlp(transactions.map((id) => rlpOfInteger(BigInt(id))))));
}

export function hashBlock(block: Omit<Block, "hash">): Hex {
  const number = (value: number): Uint8Array => rlpOfInteger(BigInt(Math.floor(value)));
  const next = (block.next ?? []).map(({ id, stake }) => [hexToBytes(id), rlpOfInteger(stake)]);
  return bytesToHex(
    sha256(
      encodeRlp([
        hexToBytes(block.parent),
        number(block.height),
        number(block.epoch),
        number(block.view),
        number(block.proposer),
        number(block.time),
        number(block.empty ? 1 : 0),
        block.reveal,
        hexToBytes(block.beacon),
        block.parentCertificate === undefined ? new Uint8Array() : encodeCertificate(block.parentCertificate),
        block.next === undefined ? [] : [next],
        block.body,
      ]),
    ),
  );
}

export function sealBlock(block: Omit<Block, "hash">): Block {
  return { ...block, hash: hashBlock(block) };
}

export function genesisBlock(): Block {
  return sealBlock({
    parent: ZERO_HASH,
    height: 0,
    epoch: 0,
    view: 0,
    proposer: 0,
    time: 0,
    empty: true,
    reveal: new Uint8Array(),
    beacon: ZERO_HASH,
    parentCertificate: undefined,
    body: encodeBody({ transactions: [], root: new Uint8Array(32) }),
  });
}

/** One node's application: executed blocks above the final one, and the transactions that wait. */
export class CounterApp {
  readonly #plan: EpochPlan;
  /** Height of the root of each executed block's epoch. */
  readonly #epochStarts = new Map<Hex, number>();
  readonly #executed = new Map<Hex, Block>();
  readonly #waiting = new Set<number>();
  #final: Block;

  constructor(plan: EpochPlan, final: Block, epochStart: number) {
    this.#plan = plan;
    this.#final = final;
    this.#epochStarts.set(final.hash, final.next === undefined ? epochStart : final.height);
  }

  get hasWork(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether it is the final block or has executed above it. */
  has(hash: Hex): boolean {
    return hash === this.#final.hash || this.#executed.has(hash);
  }

  addTransaction(id: number): void {
    this.#waiting.add(id);
  }

  build(effect: Extract<Effect, { type: "build" }>): Block {
    const { epoch, view, parent, time, emptyOnly, proposer, reveal, parentCertificate } = effect;
    const transactions = emptyOnly ? [] : this.#fresh(parent);
    const body = encodeBody({ transactions, root: nextRoot(decodeBody(parent.body).root, transactions) });
    const draft: Omit<Block, "hash"> = {
      parent: parent.hash,
      height: parent.height + 1,
      epoch,
      view,
      proposer,
      time: Math.floor(time),
      empty: transactions.length === 0,
      reveal,
      beacon: nextBeacon(parent.beacon, reveal),
      parentCertificate,
      body,
    };
    const next = this.#nextStakes(parent, epoch);
    const block = sealBlock(next === undefined ? draft : { ...draft, next });
    this.#remember(block, parent);
    return block;
  }

  /** True when the block gives what it claims. */
  execute(block: Block): boolean {
    const parent = block.parent === this.#final.hash ? this.#final : this.#executed.get(block.parent);
    if (parent === undefined) return false;
    const { transactions, root } = decodeBody(block.body);
    const next = this.#nextStakes(parent, block.epoch);
    const isRight =
      equalBytes(root, nextRoot(decodeBody(parent.body).root, transactions)) &&
      block.empty === (transactions.length === 0) &&
      JSON.stringify(next, text) === JSON.stringify(block.next, text);
    if (isRight) this.#remember(block, parent);
    return isRight;
  }

  commit(blocks: readonly Block[]): void {
    for (const block of blocks) {
      for (const id of decodeBody(block.body).transactions) this.#waiting.delete(id);
      this.#final = block;
    }
    for (const [hash, block] of this.#executed) {
      if (block.height > this.#final.height) continue;
      this.#executed.delete(hash);
      if (hash !== this.#final.hash) this.#epochStarts.delete(hash);
    }
  }

  #remember(block: Block, parent: Block): void {
    this.#executed.set(block.hash, block);
    const start = this.#epochStarts.get(parent.hash) ?? 0;
    this.#epochStarts.set(block.hash, block.next === undefined ? start : block.height);
  }

  #nextStakes(parent: Block, epoch: number): readonly ValidatorStake[] | undefined {
    const start = this.#epochStarts.get(parent.hash) ?? 0;
    return parent.height + 1 - start >= this.#plan.blocksPerEpoch ? this.#plan.stakesOf(epoch + 1) : undefined;
  }

  /** Waiting transactions that no block between the final one and the parent has. */
  #fresh(parent: Block): number[] {
    const included = new Set<number>();
    for (let block: Block | undefined = parent; block !== undefined && block.hash !== this.#final.hash; ) {
      for (const id of decodeBody(block.body).transactions) included.add(id);
      block = this.#executed.get(block.parent);
    }
    return [...this.#waiting].filter((id) => !included.has(id)).sort((a, b) => a - b);
  }
}

function text(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
