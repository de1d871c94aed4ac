/** Says what becomes of the chain: final blocks, and how far behind the node is while it catches up. */

import { bytesToHex } from "../../base/bytes.ts";
import { headerTime } from "../../chain/blocks/header.ts";
import type { Logger } from "../../chain/observe/logger.ts";
import type { ChainHead } from "../../chain/store/chain-store.ts";
import type { CommandContext } from "../command.ts";
import { type BlockProgress, blocksText } from "./progress-text.ts";
import type { StatusLine } from "./status-line.ts";

/** Further behind than this, single blocks are not worth a line. Milliseconds. */
const OLD = 10_000;
const LOOK_INTERVAL = 1_000;
/** Looks between two lines of the log, where nobody watches. */
const LOOKS_PER_LINE = 5;
/** Blocks behind the peers that are worth telling. */
const FAR = 20;

export interface BlockWatchOptions {
  readonly log: Logger;
  readonly status: StatusLine | undefined;
  readonly context: CommandContext;
  readonly height: () => number;
  /** The highest that most of the peers have. */
  readonly target: () => number;
}

export class BlockWatch {
  readonly #options: BlockWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #lastHeight: number;
  #looks = 0;

  constructor(options: BlockWatchOptions) {
    this.#options = options;
    this.#lastHeight = options.height();
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL);
  }

  onBlock({ number, hash, header }: ChainHead, transactions: number): void {
    const { context, log } = this.#options;
    const gasUsed = Number(header.gasUsed);
    if (Date.now() - headerTime(header) < OLD) {
      log.info({ height: number, hash, transactions, gasUsed }, "block is final");
    }
    context.event({ event: "block", number, hash: bytesToHex(hash), transactions, gasUsed });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#options.status?.show("");
  }

  #look(): void {
    const { height, target, status, log } = this.#options;
    const progress: BlockProgress = {
      height: height(),
      target: target(),
      blocksPerSecond: ((height() - this.#lastHeight) * 1000) / LOOK_INTERVAL,
    };
    this.#lastHeight = progress.height;
    const isBehind = progress.target - progress.height > FAR;
    status?.show(isBehind ? blocksText(progress) : "");
    if (status === undefined && isBehind && this.#looks++ % LOOKS_PER_LINE === 0) {
      log.info({ ...progress }, "catching up");
    }
  }
}
