/**
 * A provider that is stopped pauses on chain, so that it gets no work that it would be late with, and resumes when it is
 * started again. What its operator has paused stays so: a file beside the journal says whose pause it is.
 */
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CodedError, systemCodeOf } from "../../base/errors.ts";
import { readModule } from "../modules/module-commands.ts";
import { sendAction, waitForReceipt } from "../transaction-sender.ts";
import { callOf } from "./chain-calls.ts";
import type { NodeChain } from "./node-chain.ts";

const ACTIVE = 1;

export class StopPause {
  readonly #path: string;
  /** Milliseconds. */
  readonly #patience: number;

  constructor(dataDir: string, patience: number) {
    this.#path = join(dataDir, "paused-by-stop");
    this.#patience = patience;
  }

  /** Whether the last stop has paused the provider, or tried to. */
  async isOwn(): Promise<boolean> {
    return stat(this.#path).then(
      () => true,
      (error: unknown) => {
        if (systemCodeOf(error) === "ENOENT") return false;
        throw error;
      },
    );
  }

  /** Before it pauses, so that a stop which is broken off leaves nobody paused for good. */
  async note(): Promise<void> {
    await writeFile(this.#path, "");
  }

  /** It is active again, whatever was. */
  async forget(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /**
   * Whether the chain has paused it, or `undefined` if there was nothing to pause. Rejects when a node that is away or slow
   * does not say so in a few seconds: whoever stops a program must not wait for that.
   */
  async pause({ account, link }: NodeChain, key: Uint8Array): Promise<true | undefined> {
    const ended = new AbortController();
    const tooLong = delay(this.#patience, undefined, { signal: ended.signal }).then(() => {
      throw new CodedError("STOP_UNPAUSED", "the node did not say in time that the pause is on the chain");
    });
    tooLong.catch(() => undefined);
    try {
      return await Promise.race([this.#pause(account, link.url, key), tooLong]);
    } finally {
      ended.abort();
    }
  }

  /** Not through the queue of the agent, which waits for a node that is away as long as it takes. */
  async #pause(account: NodeChain["account"], rpc: string, key: Uint8Array): Promise<true | undefined> {
    const { status } = await readModule(rpc, "providers", "providerOf", [account]);
    if (status !== ACTIVE) return undefined;
    await this.note();
    const hash = await sendAction(rpc, key, callOf({ module: "providers", name: "pause", args: [] }, 0n));
    const { status: outcome } = await waitForReceipt(rpc, hash);
    if (outcome === "0x1") return true;
    throw new CodedError("STOP_UNPAUSED", "the pause failed in its block", { hash });
  }
}
