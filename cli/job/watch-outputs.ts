/**
 * The client's own look at what it is given, while it can still be challenged: each tile that a seat had and that is part of
 * an output is computed here too, and the output held to it. It needs a key, for the chain has to be told.
 */
import { eitherSignal } from "../../base/either-signal.ts";
import { isCoded } from "../../base/errors.ts";
import { getBlob } from "../../compute/agent/blobs/get-blob.ts";
import { askTile } from "../../compute/agent/tiles/ask-tile.ts";
import { checkOutputs, type OutputCheckPorts } from "../../compute/agent/verifier/check-outputs.ts";
import { TileThread } from "../../compute/agent/verifier/tile-thread.ts";
import { type MarketJob, statusName } from "../../rpc/client/market-answers.ts";
import type { MarketSession } from "./market-session.ts";

/** Milliseconds that one question may take. */
const PATIENCE = 60_000;

export class OutputWatch {
  readonly #session: MarketSession;
  readonly #progress: (text: string) => void;
  readonly #thread = new TileThread();
  readonly #rounds = new Set<bigint>();
  readonly #stop = new AbortController();
  #turn: Promise<void> = Promise.resolve();

  constructor(session: MarketSession, progress: (text: string) => void) {
    this.#session = session;
    this.#progress = progress;
  }

  /** To be told of every change. */
  onJob({ status, round, segment, segments, traps }: MarketJob): void {
    const isLast = segment + 1 >= segments && !traps;
    if (statusName(status) !== "accepted" || !isLast || this.#session.chain === undefined || this.#rounds.has(round)) {
      return;
    }
    this.#rounds.add(round);
    this.#turn = this.#turn.then(() => this.#look(round));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#thread.close();
    await this.#turn;
  }

  async #look(id: bigint): Promise<void> {
    const { chain } = this.#session;
    if (chain === undefined) return;
    try {
      const round = await chain.round(id);
      const opened = round?.seats.filter(({ digest }) => digest !== undefined) ?? [];
      for (const seat of opened) {
        const found = round === undefined ? "right" : await checkOutputs(this.#ports(chain), round, seat);
        if (found !== "false-output") continue;
        this.#progress("an output is not what the worker computed: the chain has the proof, and rejects it");
        return;
      }
    } catch (error) {
      // Verifiers do the same: what cannot be had here does not end the client's command.
      if (this.#stop.signal.aborted) return;
      if (!isCoded(error) && !(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
      this.#progress(`the outputs are not checked here: ${error.message}`);
    }
  }

  #ports(chain: NonNullable<MarketSession["chain"]>): OutputCheckPorts {
    const { link, web } = this.#session;
    return {
      ...{ chain, thread: this.#thread },
      inputs: async (round, place) => {
        const endpoint = (await chain.endpoint(round.worker)) ?? "";
        const sign = (digest: Uint8Array): Promise<Uint8Array> => chain.sign(digest);
        return await askTile(endpoint, round.id, place, sign, web, this.#patience());
      },
      output: (address, most, places) => getBlob(address, most, [...places, link.url], web, this.#patience()),
    };
  }

  #patience(): AbortSignal {
    return eitherSignal(this.#stop.signal, AbortSignal.timeout(PATIENCE));
  }
}
