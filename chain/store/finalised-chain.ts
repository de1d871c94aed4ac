/**
 * The end of the chain while the disk catches up: blocks are appended as they become final, written one after the
 * other, and the next block executes at once on the state that is still on its way to the disk.
 *
 * That state is a stack of overlays, one per block in flight, over the last durable version. Each call of `state`
 * builds the stack anew, so it never grows beyond the blocks in flight; versions handed out earlier stay right.
 */
import type { ExecutedBlock } from "../../vm/execution/execute-block.ts";
import { OverlayState } from "../../vm/state/overlay.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import { OverlayPages } from "../../vm/tree/page-sources.ts";
import type { ChainHead, ChainStore, CommitOptions } from "./chain-store.ts";
import { storeError } from "./errors.ts";
import { isNext } from "./next-block.ts";
import type { FinalBlock } from "./write-block.ts";

interface InFlight {
  readonly block: FinalBlock;
  readonly options: CommitOptions;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class FinalisedChain {
  readonly store: ChainStore;
  readonly #queue: InFlight[] = [];
  #waiting: (() => void)[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(store: ChainStore) {
    this.store = store;
  }

  /** The last block appended, durable or not; `undefined` before genesis. */
  get head(): ChainHead | undefined {
    const last = this.#queue.at(-1)?.block;
    if (last === undefined) return this.store.head;
    return { number: Number(last.header.number), header: last.header, hash: last.hash };
  }

  /** The state after `head`. What readers outside the node may see is `store.state()`. */
  state(): StateVersion {
    return this.#over(this.store.state());
  }

  /** The same, readable until it is released, whatever is committed meanwhile. */
  holdState(): { readonly state: StateVersion; release(): void } {
    const { state, release } = this.store.holdState();
    return { state: this.#over(state), release };
  }

  #over(durable: StateVersion): StateVersion {
    return this.#queue.reduce<StateVersion>((below, { block }) => stackedState(below, block.executed), durable);
  }

  /** The hash of a block up to `head`, for BLOCKHASH. */
  blockHash(number: bigint): Uint8Array | undefined {
    const inFlight = this.#queue.find(({ block }) => block.header.number === number);
    return inFlight?.block.hash ?? this.store.blockHash(number);
  }

  /** Resolves when another block may be appended. */
  async room(): Promise<void> {
    while (this.#failure === undefined && this.#queue.length >= this.store.limits.blocksInFlight) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /**
   * Takes the block into the chain; resolves when it is durable, in order. Rejects with STORE_NOT_NEXT, and when a
   * write fails, for that block and for all after it. The caller has awaited `room`.
   */
  async append(block: FinalBlock, options: CommitOptions = {}): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#checkNext(block);
    const durable = new Promise<void>((resolve, reject) => {
      this.#queue.push({ block, options, resolve, reject });
    });
    this.#writing ??= this.#write();
    await durable;
  }

  /** Resolves when nothing is on its way to the disk, whether or not it arrived. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #checkNext({ header }: FinalBlock): void {
    const head = this.head;
    const follows = isNext(header, head);
    if (follows && this.#queue.length < this.store.limits.blocksInFlight) return;
    const reason = follows ? "too many blocks wait for the disk" : `it does not follow block ${head?.number}`;
    throw storeError("STORE_NOT_NEXT", `block ${header.number} cannot be appended: ${reason}`, {
      number: header.number,
    });
  }

  async #write(): Promise<void> {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      try {
        await this.store.commit(next.block, next.options);
        this.#queue.shift();
        next.resolve();
      } catch (error) {
        this.#failure = error;
        for (const lost of this.#queue.splice(0)) lost.reject(error);
      }
      for (const resume of this.#waiting.splice(0)) resume();
    }
    this.#writing = undefined;
  }
}

/** The state after a block, over any version of the state before it. */
export function stackedState(
  below: StateVersion,
  { changes, treeUpdate }: Pick<ExecutedBlock, "changes" | "treeUpdate">,
): StateVersion {
  return {
    reader: new OverlayState(changes, below.reader),
    head: treeUpdate.head,
    pages: new OverlayPages(below.pages, treeUpdate),
  };
}
