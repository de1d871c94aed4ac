/** Dials whom the address book says is due, a few at a time. */
import { multiaddr } from "@multiformats/multiaddr";
import { eitherSignal } from "../../base/either-signal.ts";
import type { PeerAddress } from "./address.ts";
import { AddressBook, type Dial, type Known } from "./address-book.ts";
import type { Host } from "./host.ts";
import { DIAL_TIMEOUT, MAX_DIALS, type Timing } from "./limits.ts";
import type { NetworkLog } from "./log.ts";
import type { SavedPeer } from "./peers-file.ts";

/** A connection that lasted so long was not a failure. Milliseconds. */
const LASTING = 10_000;

export interface DialerHost {
  readonly libp2p: Pick<Host, "dial">;
  readonly log: NetworkLog;
  readonly timing: Timing;
  now(): number;
  /** Connected already, banned, or this node itself. */
  isExcluded(peer: string): boolean;
  /** An address is known that may be dialled sooner than the next upkeep. */
  onDue(): void;
}

export class Dialer {
  readonly #host: DialerHost;
  readonly #book: AddressBook;
  readonly #dialing = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(host: DialerHost) {
    this.#host = host;
    this.#book = new AddressBook(host.timing);
  }

  isPersistent(peer: string): boolean {
    return this.#book.isPersistent(peer);
  }

  isKnown(peer: string): boolean {
    return this.#book.has(peer);
  }

  add(addresses: readonly PeerAddress[], kind: Known): void {
    for (const address of addresses) this.#book.add(address, kind);
  }

  restore(peers: readonly SavedPeer[]): void {
    for (const peer of peers) this.#book.restore(peer);
  }

  /** The peers that lasted, `connected` those that are here now with the milliseconds so far. */
  saved(connected: ReadonlyMap<string, number>): SavedPeer[] {
    return this.#book.saved(connected).filter(({ lasted }) => lasted >= LASTING);
  }

  forget(peer: string): void {
    this.#book.forget(peer);
  }

  /** The connection ended after so many milliseconds. */
  ended(peer: string, duration: number): void {
    if (duration >= LASTING) this.#book.lasted(peer, duration);
    this.#book.failed(peer, this.#host.now(), Math.random());
  }

  /** `places` counts what may be dialled besides persistent peers. */
  dialDue(places: number): void {
    const free = MAX_DIALS - this.#dialing.size;
    const due = this.#book.due(this.#host.now(), places - this.#dialing.size, (peer) => this.#isBusy(peer));
    for (const dial of due.slice(0, Math.max(0, free))) void this.#dial(dial);
  }

  /** In how many milliseconds a persistent peer is due, if one is not connected. */
  wait(): number | undefined {
    const due = this.#book.nextDue((peer) => this.#isBusy(peer));
    return due === undefined ? undefined : Math.max(0, due - this.#host.now());
  }

  stop(): void {
    this.#stopping.abort();
  }

  #isBusy(peer: string): boolean {
    return this.#dialing.has(peer) || this.#host.isExcluded(peer);
  }

  async #dial({ peer, addresses }: Dial): Promise<void> {
    const { libp2p, log, now } = this.#host;
    this.#dialing.add(peer);
    try {
      const signal = eitherSignal(this.#stopping.signal, AbortSignal.timeout(DIAL_TIMEOUT));
      await libp2p.dial(
        addresses.map((address) => multiaddr(address)),
        { signal },
      );
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.debug({ peer, error: String(error) }, "cannot reach a peer");
      this.#book.failed(peer, now(), Math.random());
    } finally {
      this.#dialing.delete(peer);
      if (!this.#stopping.signal.aborted) this.#host.onDue();
    }
  }
}
