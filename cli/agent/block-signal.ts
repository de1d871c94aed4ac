/** Says when there may be a new block: by WebSocket where that works, and now and then in any case. */
import { POLL_MILLISECONDS, SILENCE_MILLISECONDS } from "./limits.ts";
import { NodeSubscription } from "./node-subscription.ts";

export class BlockSignal {
  readonly #poll: number;
  readonly #waiting = new Set<() => void>();
  readonly #heads: NodeSubscription;
  /** Blocks that were heard of: who begins to wait after one has come must not miss it. */
  #heard = 0;
  #isClosed = false;

  /** `url` is of HTTP; the same port takes WebSockets. */
  constructor(url: string, poll: number = POLL_MILLISECONDS) {
    this.#poll = poll;
    this.#heads = new NodeSubscription(url, {
      ...{ method: "eth_subscribe", params: ["newHeads"], silence: SILENCE_MILLISECONDS },
      onMessage: () => this.#wake(),
    });
  }

  get heard(): number {
    return this.#heard;
  }

  /** Until a block came after `heard` was that, or for as long as a look at the chain may wait. */
  async wait(heard: number, signal?: AbortSignal): Promise<void> {
    if (this.#heard !== heard || this.#isClosed || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, this.#poll);
      signal?.addEventListener("abort", done, { once: true });
      this.#waiting.add(done);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#heads.close();
    this.#wake();
  }

  #wake(): void {
    this.#heard++;
    for (const done of [...this.#waiting]) done();
  }
}
