/** The streams that gossipsub has with a peer, which may be on any of the peer's connections. */
import type { PeerId, Stream } from "@libp2p/interface";
import type { Host } from "./host.ts";

export class GossipStreams {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Whether gossip is open in both directions on one of a peer's connections, or on two of them. */
  isOpen(peer: PeerId): boolean {
    const open = this.#of(peer).filter(({ status }) => status === "open");
    return open.some((s) => s.direction === "inbound") && open.some((s) => s.direction === "outbound");
  }

  /** Bytes of gossip that wait for a peer: gossipsub's own queue, which is the stream's. */
  waiting(peer: PeerId): number {
    return this.#of(peer).reduce((sum, { writeBufferLength }) => sum + writeBufferLength, 0);
  }

  #of(peer: PeerId): Stream[] {
    const { protocols } = this.#host.services.gossip;
    const streams = this.#host.getConnections(peer).flatMap((connection) => connection.streams);
    return streams.filter(({ protocol }) => protocols.includes(protocol));
  }
}
