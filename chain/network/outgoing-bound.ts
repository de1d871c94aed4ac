/** Holds what waits for all peers together within its bound, gossip included, which gossipsub keeps in its streams. */
import { networkError } from "./errors.ts";
import { MAX_OUTGOING_BYTES } from "./limits.ts";
import type { OutgoingBytes } from "./outgoing-bytes.ts";
import type { PeerSession } from "./peer-session.ts";

export interface OutgoingHost {
  readonly outgoing: OutgoingBytes;
  readonly maxBytes: number | undefined;
  sessions(): readonly PeerSession[];
  /** Bytes of gossip that wait for the peer. */
  gossipOf(session: PeerSession): number;
}

export class OutgoingBound {
  readonly #host: OutgoingHost;
  readonly #maxBytes: number;
  /** At the last look. */
  #gossip = 0;

  constructor(host: OutgoingHost) {
    this.#host = host;
    this.#maxBytes = host.maxBytes ?? MAX_OUTGOING_BYTES;
  }

  /** Now and then: gossip is not counted as it comes. */
  look(): void {
    this.#gossip = this.#host.sessions().reduce((sum, session) => sum + this.#host.gossipOf(session), 0);
    this.check();
  }

  /** Whoever has the most waiting goes, until there is room: who takes what it is sent is never first. */
  check(): void {
    const { outgoing, sessions, gossipOf } = this.#host;
    while (outgoing.bytes + this.#gossip > this.#maxBytes) {
      const waiting = sessions().map((session) => {
        const gossip = gossipOf(session);
        return { session, gossip, bytes: session.queued + gossip };
      });
      this.#gossip = waiting.reduce((sum, { gossip }) => sum + gossip, 0);
      const [most] = waiting.sort((a, b) => b.bytes - a.bytes);
      if (most === undefined || outgoing.bytes + this.#gossip <= this.#maxBytes) return;
      const { session, gossip, bytes } = most;
      this.#gossip -= gossip;
      const text = "of all that waits for peers, the most waits for this one";
      session.cutOff(networkError("NETWORK_NOT_DRAINING", text, { bytes }));
    }
  }
}
