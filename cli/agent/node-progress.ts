/** Signs how far a worker is and gives it to a node, which tells everybody. */
import { bytesToHex } from "../../base/bytes.ts";
import { progressDigest, type UnsignedProgress } from "../../base/progress.ts";
import type { ChainPort, ProgressPort } from "../../compute/agent/ports.ts";
import { callQuantity, callRpc } from "../json-rpc-client.ts";

export class NodeProgress implements ProgressPort {
  readonly #rpc: string;
  readonly #sign: ChainPort["sign"];
  #chainId: bigint | undefined;
  /** While one is on its way, the newest of each job waits. */
  #isSending = false;
  readonly #waiting = new Map<bigint, UnsignedProgress>();

  constructor(rpc: string, sign: ChainPort["sign"]) {
    this.#rpc = rpc;
    this.#sign = sign;
  }

  report(progress: UnsignedProgress): void {
    this.#waiting.set(progress.job, progress);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (const [job, progress] of this.#waiting) {
      this.#waiting.delete(job);
      // Progress is a courtesy: a node that is away or refuses shows where it matters.
      await this.#send(progress).catch(() => undefined);
    }
    this.#isSending = false;
  }

  async #send(progress: UnsignedProgress): Promise<void> {
    this.#chainId ??= await callQuantity(this.#rpc, "eth_chainId", []);
    const signature = bytesToHex(await this.#sign(progressDigest(this.#chainId, progress)));
    const { job, segment, done, total, sequence } = progress;
    const numbers = Object.entries({ job, segment, done, total, sequence });
    const texts = Object.fromEntries(numbers.map(([name, value]) => [name, `0x${value.toString(16)}`]));
    await callRpc(this.#rpc, "ogpu_reportProgress", [{ ...texts, signature }]);
  }
}
