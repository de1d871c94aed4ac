/** Who may connect at all: asked by libp2p before it spends anything on a connection. */
import type { Connection, ConnectionGater, MultiaddrConnection, PeerId } from "@libp2p/interface";
import { ipNetwork } from "../../base/ip-network.ts";
import { ipOf, scopeOf } from "./address.ts";
import { MAX_CONNECTIONS_PER_IP, MAX_CONNECTIONS_PER_PEER, MAX_PENDING_PER_IP } from "./limits.ts";
import { PendingAddresses } from "./pending-addresses.ts";

export interface GateHost {
  connections(peer?: PeerId): readonly Connection[];
  /** `peer` is a peer's id, or an IP address. */
  isBanned(peer: string): boolean;
  /** No place for another peer that dials us, unless it is one that we want. */
  isFullFor(peer: string, address: string): boolean;
}

/** The key under which an address is scored; none for private ones, which many nodes of a test network share. */
export function scoredIp(address: string): string | undefined {
  const ip = scopeOf(address) === "public" ? ipOf(address) : undefined;
  return ip && ipNetwork(ip);
}

export function connectionGater(host: GateHost): ConnectionGater {
  const pending = new PendingAddresses(MAX_PENDING_PER_IP);
  return {
    denyInboundConnection(connection: MultiaddrConnection) {
      const ip = scoredIp(connection.remoteAddr.toString());
      if (ip === undefined) return false;
      if (host.isBanned(ip)) return true;
      const same = host.connections().filter(({ remoteAddr }) => scoredIp(remoteAddr.toString()) === ip);
      return same.length >= MAX_CONNECTIONS_PER_IP || !pending.begin(connection, ip);
    },
    denyInboundEncryptedConnection(peer: PeerId, connection: MultiaddrConnection) {
      const id = peer.toString();
      if (host.isBanned(id) || host.isFullFor(id, connection.remoteAddr.toString())) return true;
      return host.connections(peer).length >= MAX_CONNECTIONS_PER_PEER;
    },
    denyInboundUpgradedConnection(_: PeerId, connection: MultiaddrConnection) {
      pending.end(connection);
      return false;
    },
    denyDialPeer: (peer: PeerId) => host.isBanned(peer.toString()),
    // libp2p's default refuses private addresses in browsers only; ours come checked from the address book.
    denyDialMultiaddr: () => false,
  };
}
