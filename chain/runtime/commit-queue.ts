/**
 * Takes final blocks to the disk, commit after commit. Each block is one atomic batch with the certificate that made it
 * final, so a kill between the blocks of one commit leaves a chain that knows how it goes on.
 */
import { assert } from "../../base/errors.ts";
import type { Run } from "../../base/work.ts";
import type { Block, Certificate } from "../consensus/types.ts";
import type { FinalisedChain } from "../store/finalised-chain.ts";
import type { FinalBlock } from "../store/write-block.ts";
import type { Ledger } from "./ledger.ts";

export interface CommitListener {
  /** The block is durable. */
  onBlock(block: FinalBlock): void;
  /** All blocks up to the certified one are. */
  onCommit(blocks: readonly Block[], certificate: Certificate): void;
}

export class CommitQueue {
  readonly #chain: FinalisedChain;
  readonly #ledger: Ledger;
  readonly #run: Run;
  readonly #listener: CommitListener;
  #last: Promise<void> = Promise.resolve();

  constructor(chain: FinalisedChain, ledger: Ledger, run: Run, listener: CommitListener) {
    this.#chain = chain;
    this.#ledger = ledger;
    this.#run = run;
    this.#listener = listener;
  }

  commit(blocks: readonly Block[], certificate: Certificate): Promise<void> {
    const last = blocks.at(-1);
    assert(last?.hash === certificate.hash, "a commit ends with the block that its certificate names");
    // Looked up now: the ledger forgets them once they are in the chain.
    const finals = this.#ledger.finalBlocks(blocks, certificate);
    const done = this.#last.then(() => this.#write(finals)).then(() => this.#listener.onCommit(blocks, certificate));
    // The caller hears of a failure; here it only must not start the next commit, which fails by itself.
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when nothing is on its way to the disk. */
  async settled(): Promise<void> {
    await this.#last;
    await this.#chain.settled();
  }

  async #write(finals: readonly FinalBlock[]): Promise<void> {
    const writes: Promise<void>[] = [];
    for (const block of finals) {
      await this.#chain.room();
      const write = this.#chain.append(block, { run: this.#run }).then(() => this.#listener.onBlock(block));
      // Heard of below, once all are on their way: one that fails before then must not count as unheard.
      write.catch(() => undefined);
      writes.push(write);
      this.#ledger.prune();
    }
    await Promise.all(writes);
  }
}
