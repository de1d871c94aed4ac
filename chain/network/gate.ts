/** Who may connect at all: asked by libp2p before it spends anything on a connection. */
import type { Connection, ConnectionGater, MultiaddrConnection, PeerId } from "@libp2p/interface";
import { ipOf, scopeOf } from "./address.ts";
import { MAX_CONNECTIONS_PER_IP, MAX_CONNECTIONS_PER_PEER } from "./limits.ts";

export interface GateHost {
  connections(peer?: PeerId): readonly Connection[];
  /** `peer` is a peer's id, or an IP address. */
  isBanned(peer: string): boolean;
  /** No place for another peer that dials us, unless it is one that we want. */
  isFullFor(peer: string): boolean;
}

/** The key under which an address is scored; none for private ones, which many nodes of a test network share. */
export function scoredIp(address: string): string | undefined {
  return scopeOf(address) === "public" ? ipOf(address) : undefined;
}

export function connectionGater(host: GateHost): ConnectionGater {
  return {
    denyInboundConnection(connection: MultiaddrConnection) {
      const ip = scoredIp(connection.remoteAddr.toString());
      if (ip === undefined) return false;
      if (host.isBanned(ip)) return true;
      const same = host.connections().filter(({ remoteAddr }) => ipOf(remoteAddr.toString()) === ip);
      return same.length >= MAX_CONNECTIONS_PER_IP;
    },
    denyInboundEncryptedConnection(peer: PeerId) {
      const id = peer.toString();
      return host.isBanned(id) || host.isFullFor(id) || host.connections(peer).length >= MAX_CONNECTIONS_PER_PEER;
    },
    denyDialPeer: (peer: PeerId) => host.isBanned(peer.toString()),
    // libp2p's default refuses private addresses in browsers only; ours come checked from the address book.
    denyDialMultiaddr: () => false,
  };
}
