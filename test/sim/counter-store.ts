/**
 * The final blocks of a node that runs the counter. Each block becomes durable on its own, with the certificate that
 * made it final, as in the real store: a crash may fall between the blocks of one commit.
 */
import type { Hex } from "../../base/bytes.ts";
import type { Prng } from "../../base/prng.ts";
import { MAX_FINALS_SENT } from "../../chain/consensus/limits.ts";
import { type Epoch, type FinalBase, makeEpoch } from "../../chain/consensus/state.ts";
import type { Block, Certificate, FinalSegment, Message, Request } from "../../chain/consensus/types.ts";
import { chance } from "./chance.ts";
import type { Device } from "./device.ts";
import type { Lifetime } from "./lifetime.ts";
import type { FinalView } from "./sim-node.ts";

interface FinalBlock {
  readonly block: Block;
  readonly certificate: Certificate;
}

export class CounterStore implements FinalView {
  readonly #device: Device;
  readonly #blocks: Block[];
  readonly #byHash = new Map<Hex, Block>();
  /** The certificate that made each block final: its own, or that of a later one. */
  readonly #certificates = new Map<number, Certificate>();
  readonly #epochs: Epoch[];
  #writes: FinalBlock[] = [];

  constructor(genesis: Epoch, device: Device) {
    this.#device = device;
    this.#blocks = [genesis.root];
    this.#byHash.set(genesis.root.hash, genesis.root);
    this.#epochs = [genesis];
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  epoch(number: number): Epoch | undefined {
    return this.#epochs[number];
  }

  get lastEpoch(): number {
    return this.#epochs.length - 1;
  }

  block(height: number): Block | undefined {
    return this.#blocks[height];
  }

  blockOf(hash: Hex): Block | undefined {
    return this.#byHash.get(hash);
  }

  base(): FinalBase {
    const final = this.#blocks.at(-1) as Block;
    return { epoch: this.#epochs.at(-1) as Epoch, final, certificate: this.#certificates.get(final.height) };
  }

  /** Resolves when all are durable; `onBlock` is told of each. */
  commit(
    life: Lifetime,
    blocks: readonly Block[],
    certificate: Certificate,
    onBlock: (block: Block) => void,
  ): Promise<void> {
    return new Promise((resolve) => {
      for (const block of blocks) {
        if (life.isOver) return;
        this.#writes.push({ block, certificate });
        this.#device.write(
          life,
          () => this.#finish(),
          () => {
            onBlock(block);
            if (block.hash === certificate.hash) life.settle(resolve);
          },
        );
      }
    });
  }

  crash(prng: Prng): void {
    for (const write of this.#writes) {
      if (chance(prng, 0.5)) break;
      this.#apply(write);
    }
    this.#writes = [];
  }

  /** A new disk. */
  wipe(): void {
    this.#writes = [];
    this.#blocks.length = 1;
    this.#epochs.length = 1;
    this.#certificates.clear();
    this.#byHash.clear();
    for (const block of this.#blocks) this.#byHash.set(block.hash, block);
  }

  serve(request: Request): Message | undefined {
    if (request.type === "fetch-block") {
      const block = this.blockOf(request.hash);
      return block && { type: "block", block };
    }
    if (request.type !== "fetch-finals") return undefined;
    const segments = this.#segmentsAbove(request.height);
    return segments.length === 0 ? undefined : { type: "finals", segments };
  }

  #finish(): void {
    const write = this.#writes.shift();
    if (write !== undefined) this.#apply(write);
  }

  #apply({ block, certificate }: FinalBlock): void {
    this.#blocks.push(block);
    this.#byHash.set(block.hash, block);
    this.#certificates.set(block.height, certificate);
    if (block.next === undefined) return;
    this.#epochs.push(makeEpoch(this.#epochs.length, block.next, block));
  }

  /** Whole segments above a height, as many as one answer may have. */
  #segmentsAbove(height: number): FinalSegment[] {
    const segments: FinalSegment[] = [];
    let count = 0;
    for (let from = height + 1; from <= this.height; ) {
      const certificate = this.#certificates.get(from);
      const last = certificate && this.#byHash.get(certificate.hash)?.height;
      if (certificate === undefined || last === undefined) break;
      const blocks = this.#blocks.slice(from, last + 1).slice(-MAX_FINALS_SENT);
      count += blocks.length;
      if (segments.length > 0 && count > MAX_FINALS_SENT) break;
      segments.push({ blocks, certificate });
      from = last + 1;
    }
    return segments;
  }
}
