/** Keeps the peers that lasted from one run to the next. */
import type { Dialer } from "./dialer.ts";
import { SAVE_INTERVAL } from "./limits.ts";
import type { NetworkLog } from "./log.ts";
import { usableAddresses } from "./peer-exchange.ts";
import type { PeerSession } from "./peer-session.ts";
import { readPeers, writePeers } from "./peers-file.ts";

export interface MemoryHost {
  /** Without one, nothing is kept. */
  readonly file: string | undefined;
  readonly dialer: Pick<Dialer, "restore" | "saved">;
  readonly log: NetworkLog;
  now(): number;
  ready(): readonly PeerSession[];
}

export class PeerMemory {
  readonly #host: MemoryHost;
  #savedAt: number;
  #saving: Promise<void> = Promise.resolve();

  constructor(host: MemoryHost) {
    this.#host = host;
    this.#savedAt = host.now();
  }

  async recall(own: { readonly peer: string; readonly addresses: readonly string[] }): Promise<void> {
    const { file, dialer, log } = this.#host;
    if (file === undefined) return;
    try {
      const known = (await readPeers(file)).map(({ peer, addresses, lasted }) => {
        return { peer, addresses: usableAddresses(addresses, own).map(({ address }) => address), lasted };
      });
      dialer.restore(known);
      if (known.length > 0) log.debug({ peers: known.length }, "peers of the last time are known");
    } catch (error) {
      log.warn({ error: String(error), file }, "cannot read the peers of the last time");
    }
  }

  saveIfDue(): void {
    if (this.#host.now() - this.#savedAt >= SAVE_INTERVAL) void this.save();
  }

  /** A node whose disk has no room for hints goes on without them. */
  async save(): Promise<void> {
    const { file, dialer, log, now, ready } = this.#host;
    if (file === undefined) return;
    const time = now();
    this.#savedAt = time;
    const connected = new Map(ready().map(({ peer, readyAt }) => [peer, time - (readyAt ?? time)]));
    this.#saving = this.#saving
      .then(() => writePeers(file, dialer.saved(connected)))
      .catch((error: unknown) => log.warn({ error: String(error), file }, "cannot keep the peers"));
    await this.#saving;
  }
}
