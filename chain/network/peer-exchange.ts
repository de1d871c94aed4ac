/** How nodes find each other: they ask their peers for the addresses of other peers. Addresses are hints, not facts. */
import { MAX_PEER_ADDRESSES } from "../wire/limits.ts";
import type { DataMessage } from "../wire/node-message.ts";
import { type PeerAddress, readPeerAddress, type Scope, scopeOf } from "./address.ts";
import { MAX_ADDRESSES_PER_PEER } from "./limits.ts";
import type { PeerSession } from "./peer-session.ts";

export type ExchangeMessage = Extract<DataMessage, { readonly type: "get-peers" | "peers" }>;

export interface ExchangeHost {
  readonly interval: number;
  ready(): readonly PeerSession[];
  send(session: PeerSession, message: ExchangeMessage): void;
  learn(addresses: readonly string[]): void;
  /** The peer told addresses that nobody asked for. */
  onUnasked(session: PeerSession): void;
}

export class PeerExchange {
  readonly #host: ExchangeHost;
  /** Peers whose answer we wait for. */
  readonly #asked = new Set<string>();
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(host: ExchangeHost) {
    this.#host = host;
  }

  /** Asks one peer, unless one was asked a moment ago. */
  ask(now: number, random: number): void {
    const ready = this.#host.ready();
    const session = ready[Math.floor(random * ready.length)];
    if (session === undefined || now - this.#askedAt < this.#host.interval) return;
    this.#askedAt = now;
    this.#asked.add(session.peer);
    this.#host.send(session, { type: "get-peers" });
  }

  onMessage(session: PeerSession, message: ExchangeMessage): void {
    if (message.type === "get-peers") {
      this.#host.send(session, { type: "peers", addresses: addressesFor(session, this.#host.ready()) });
    } else if (this.#asked.delete(session.peer)) {
      this.#host.learn(message.addresses);
    } else {
      this.#host.onUnasked(session);
    }
  }

  onClosed(peer: string): void {
    this.#asked.delete(peer);
  }
}

/** A private address means something only to those who have such addresses themselves. */
function usableScopes(ownAddresses: readonly string[]): ReadonlySet<Scope> {
  const scopes = new Set<Scope>(["public"]);
  for (const address of ownAddresses) {
    const scope = scopeOf(address);
    if (scope !== undefined) scopes.add(scope);
  }
  return scopes;
}

/** What `asker` is told: where our other peers say they can be reached, as far as that can help it. */
function addressesFor(asker: PeerSession, peers: readonly PeerSession[]): string[] {
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

/** What a node with these addresses of its own can use of others'. */
export function usableAddresses(
  addresses: readonly string[],
  own: { readonly peer: string; readonly addresses: readonly string[] },
): PeerAddress[] {
  const scopes = usableScopes(own.addresses);
  return addresses.flatMap((address) => {
    const read = readPeerAddress(address);
    const isUsable = read !== undefined && read.peer !== own.peer && scopes.has(read.scope);
    return isUsable ? [{ peer: read.peer, address: read.address }] : [];
  });
}
