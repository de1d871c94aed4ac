/**
 * A node's disk: a log that is appended to and a store of final blocks. Writes take time, become durable in order, and
 * a crash may lose any part of those that are not durable yet: the log keeps some first records of them, the store
 * takes a commit as a whole or not at all.
 */
import type { Hex } from "../../base/bytes.ts";
import type { Prng } from "../../base/prng.ts";
import { MAX_FINALS_SENT } from "../../chain/consensus/limits.ts";
import { type Epoch, type FinalBase, makeEpoch } from "../../chain/consensus/state.ts";
import type { Block, Certificate, FinalSegment, LogRecord } from "../../chain/consensus/types.ts";
import { chance } from "./chance.ts";

type LogWrite =
  | { readonly type: "append"; readonly records: readonly LogRecord[]; readonly position: number }
  | { readonly type: "replace"; readonly records: readonly LogRecord[] };

interface Commit {
  readonly blocks: readonly Block[];
  readonly certificate: Certificate;
}

export class Disk {
  #log: LogRecord[] = [];
  #logWrites: LogWrite[] = [];
  #commits: Commit[] = [];
  readonly #blocks: Block[];
  readonly #byHash = new Map<Hex, Block>();
  readonly #certificates = new Map<number, Certificate>();
  readonly #epochs: Epoch[];
  readonly #capDivisor: bigint;

  constructor(genesis: Epoch, capDivisor: bigint) {
    this.#blocks = [genesis.root];
    this.#byHash.set(genesis.root.hash, genesis.root);
    this.#epochs = [genesis];
    this.#capDivisor = capDivisor;
  }

  get log(): readonly LogRecord[] {
    return this.#log;
  }

  get height(): number {
    return this.#blocks.length - 1;
  }

  get epochs(): readonly Epoch[] {
    return this.#epochs;
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

  append(records: readonly LogRecord[], position: number): void {
    this.#logWrites.push({ type: "append", records, position });
  }

  replace(records: readonly LogRecord[]): void {
    this.#logWrites.push({ type: "replace", records });
  }

  submit(commit: Commit): void {
    this.#commits.push(commit);
  }

  /** The oldest write to the log becomes durable; its position, if it has one. */
  finishLogWrite(): number | undefined {
    const write = this.#logWrites.shift();
    if (write === undefined) return undefined;
    if (write.type === "replace") {
      this.#log = [...write.records];
      return undefined;
    }
    this.#log.push(...write.records);
    return write.position;
  }

  finishCommit(): Commit | undefined {
    const commit = this.#commits.shift();
    if (commit !== undefined) this.#apply(commit);
    return commit;
  }

  /** Power fails: of what was under way, the disk kept some beginning. */
  crash(prng: Prng): void {
    for (let write = this.#logWrites.shift(); write !== undefined; write = this.#logWrites.shift()) {
      if (write.type === "replace") {
        if (chance(prng, 0.5)) break;
        this.#log = [...write.records];
        continue;
      }
      const kept = prng.below(write.records.length + 1);
      this.#log.push(...write.records.slice(0, kept));
      if (kept < write.records.length) break;
    }
    this.#logWrites = [];
    for (const commit of this.#commits) {
      if (chance(prng, 0.5)) break;
      this.#apply(commit);
    }
    this.#commits = [];
  }

  #apply({ blocks, certificate }: Commit): void {
    for (const block of blocks) {
      this.#blocks.push(block);
      this.#byHash.set(block.hash, block);
    }
    const last = this.#blocks.at(-1) as Block;
    this.#certificates.set(last.height, certificate);
    if (last.next !== undefined) {
      const number = (this.#epochs.at(-1) as Epoch).number + 1;
      this.#epochs.push(makeEpoch(number, last.next, last, { capDivisor: this.#capDivisor }));
    }
  }

  /** A new disk. */
  wipe(): void {
    this.#log = [];
    this.#logWrites = [];
    this.#commits = [];
    this.#blocks.length = 1;
    this.#epochs.length = 1;
    this.#certificates.clear();
    this.#byHash.clear();
    for (const block of this.#blocks) this.#byHash.set(block.hash, block);
  }

  /** Final blocks above a height, up to the end of their epoch. */
  segmentsAbove(height: number): FinalSegment[] {
    const segments: FinalSegment[] = [];
    let first = height + 1;
    let count = 0;
    let epoch: number | undefined;
    for (let last = first; last <= this.height; last++) {
      const certificate = this.#certificates.get(last);
      if (certificate === undefined) continue;
      epoch ??= certificate.epoch;
      const blocks = this.#blocks.slice(first, last + 1);
      if (certificate.epoch !== epoch || (segments.length > 0 && count + blocks.length > MAX_FINALS_SENT)) break;
      segments.push({ blocks: blocks.slice(-MAX_FINALS_SENT), certificate });
      count += blocks.length;
      first = last + 1;
    }
    return segments;
  }
}
