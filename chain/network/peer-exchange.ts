/** How nodes find each other: they ask their peers for the addresses of other peers. Addresses are hints, not facts. */
import { MAX_PEER_ADDRESSES } from "../wire/limits.ts";
import { type PeerAddress, readPeerAddress, type Scope, scopeOf } from "./address.ts";
import { MAX_ADDRESSES_PER_PEER } from "./limits.ts";
import type { PeerSession } from "./peer-session.ts";

/** A private address means something only to those who have such addresses themselves. */
export function usableScopes(ownAddresses: readonly string[]): ReadonlySet<Scope> {
  const scopes = new Set<Scope>(["public"]);
  for (const address of ownAddresses) {
    const scope = scopeOf(address);
    if (scope !== undefined) scopes.add(scope);
  }
  return scopes;
}

/** What `asker` is told: where our other peers say they can be reached, as far as that can help it. */
export function addressesFor(asker: PeerSession, peers: readonly PeerSession[]): string[] {
  const isNear = scopeOf(asker.connection.remoteAddr.toString()) !== "public";
  const addresses: string[] = [];
  for (const { peer, hello } of peers) {
    if (peer === asker.peer) continue;
    for (const address of hello?.addresses.slice(0, MAX_ADDRESSES_PER_PEER) ?? []) {
      const read = readPeerAddress(address);
      if (read?.peer !== peer || (read.scope !== "public" && !isNear)) continue;
      addresses.push(address);
      if (addresses.length === MAX_PEER_ADDRESSES) return addresses;
    }
  }
  return addresses;
}

/** What we take of a peer's answer. */
export function learned(
  addresses: readonly string[],
  own: { readonly peer: string; readonly scopes: ReadonlySet<Scope> },
): PeerAddress[] {
  return addresses.flatMap((address) => {
    const read = readPeerAddress(address);
    const isUsable = read !== undefined && read.peer !== own.peer && own.scopes.has(read.scope);
    return isUsable ? [{ peer: read.peer, address: read.address }] : [];
  });
}
