/** Shows the client's inputs when somebody demands them on chain: who does not answer in time loses its lock, and the job. */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CHUNK_BYTES, proveChunk } from "../../compute/program/merkle.ts";
import type { MarketJob } from "../../rpc/client/market-answers.ts";
import { fetchBlob } from "./bring-blobs.ts";
import type { MarketSession } from "./market-session.ts";

/** As the market numbers kinds of demands. */
const INPUT = 1;

export class InputAnswers {
  readonly #session: MarketSession;
  readonly #progress: (text: string) => void;
  #isLooking = false;

  constructor(session: MarketSession, progress: (text: string) => void) {
    this.#session = session;
    this.#progress = progress;
  }

  /** To be told of the job after every block. What cannot be done now is tried with the next one. */
  onJob(job: MarketJob): void {
    const { account } = this.#session;
    if (this.#isLooking || account?.toLowerCase() !== job.client.toLowerCase()) return;
    this.#isLooking = true;
    this.#answerAll(job)
      .catch((error: unknown) => this.#progress(`a demand for an input is not answered: ${String(error)}`))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #answerAll({ id, inputs }: MarketJob): Promise<void> {
    const read = { module: "market", functionName: "openDemands", args: [id] } as const;
    for (const { kind, item, chunk } of await this.#session.link.readModule(read)) {
      const address = inputs[item];
      if (kind === INPUT && address !== undefined) await this.#answer(id, item, chunk, address);
    }
  }

  async #answer(job: bigint, input: number, chunk: bigint, address: Hex): Promise<void> {
    const { link, web } = this.#session;
    const contents = await fetchBlob(address, [link.url], web);
    const { siblings } = proveChunk(contents, Number(chunk));
    const start = Number(chunk) * CHUNK_BYTES;
    const bytes = contents.subarray(start, start + CHUNK_BYTES);
    const args = [job, input, chunk, bytesToHex(bytes), siblings.map(bytesToHex)];
    await this.#session.send({ module: "market", name: "answerInput", args });
    this.#progress(`showed a part of input ${input + 1}, which somebody demanded`);
  }
}
