/**
 * Holds what has come of unfinished messages, of all peers together, within its bound. Whoever has the most goes, not
 * whoever comes next: else a few that begin long messages and stop would have all others cut off.
 */
import { type NetworkError, networkError } from "./errors.ts";
import { MAX_PARTIAL_BYTES } from "./limits.ts";

export interface PartialSession {
  readonly peer: string;
  /** Bytes that have come of messages that are not complete. */
  readonly partial: number;
  cutOff(reason: NetworkError): void;
}

export interface PartialHost {
  readonly maxBytes: number | undefined;
  sessions(): readonly PartialSession[];
  /** Persistent peers and validators. */
  isTrusted(peer: string): boolean;
}

export class PartialBound {
  /** Counted by the sessions. */
  bytes = 0;
  readonly #host: PartialHost;
  readonly #maxBytes: number;

  constructor(host: PartialHost) {
    this.#host = host;
    this.#maxBytes = host.maxBytes ?? MAX_PARTIAL_BYTES;
  }

  /** More has come than before, in one of the sessions. */
  check(): void {
    while (this.bytes > this.#maxBytes) {
      const most = this.#most();
      if (most === undefined) return;
      const text = "of all unfinished messages, the most has come from this peer";
      most.cutOff(networkError("NETWORK_SILENT", text, { bytes: most.partial }));
    }
  }

  /**
   * Of strangers when they have more than half, and otherwise of those that are trusted: so neither takes the room of the
   * other, however many strangers there are, and however little each of them has begun.
   */
  #most(): PartialSession | undefined {
    const begun = this.#host.sessions().filter(({ partial }) => partial > 0);
    const trusted = new Set(begun.filter(({ peer }) => this.#host.isTrusted(peer)));
    const strangers = begun.filter((session) => !trusted.has(session));
    const bytes = strangers.reduce((sum, { partial }) => sum + partial, 0);
    const [most] = (2 * bytes > this.#maxBytes ? strangers : [...trusted]).sort((a, b) => b.partial - a.partial);
    return most;
  }
}
