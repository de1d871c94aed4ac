/**
 * Whom to dial, and when. Fixed peers are dialled for ever; others while places are free, those first that lasted
 * before, and forgotten when they fail too often. No clock and no randomness here: both are arguments.
 */
import type { PeerAddress } from "./address.ts";
import { MAX_ADDRESSES_PER_PEER, MAX_DIAL_FAILURES, MAX_KNOWN_PEERS, type Timing } from "./limits.ts";
import type { SavedPeer } from "./peers-file.ts";

export type Known =
  /** Always connected, if it can be. */
  | "persistent"
  /** From the configuration: never forgotten, dialled when places are free. */
  | "bootstrap"
  /** Heard of from others. */
  | "learned";

interface Entry {
  readonly peer: string;
  kind: Known;
  readonly addresses: string[];
  failures: number;
  /** Not to be dialled before. */
  due: number;
  /** Milliseconds that connections with it have lasted, those of long ago counted less. */
  lasted: number;
}

export interface Dial {
  readonly peer: string;
  readonly addresses: readonly string[];
}

export class AddressBook {
  readonly #entries = new Map<string, Entry>();
  readonly #timing: Pick<Timing, "firstRedial" | "longestRedial">;

  constructor(timing: Pick<Timing, "firstRedial" | "longestRedial">) {
    this.#timing = timing;
  }

  get size(): number {
    return this.#entries.size;
  }

  isPersistent(peer: string): boolean {
    return this.#entries.get(peer)?.kind === "persistent";
  }

  has(peer: string): boolean {
    return this.#entries.has(peer);
  }

  add({ peer, address }: PeerAddress, kind: Known): void {
    const known = this.#entries.get(peer);
    if (known === undefined) {
      if (this.#entries.size >= MAX_KNOWN_PEERS && !this.#forgetOne()) return;
      this.#entries.set(peer, { peer, kind, addresses: [address], failures: 0, due: 0, lasted: 0 });
      return;
    }
    if (kind === "persistent" || (kind === "bootstrap" && known.kind === "learned")) known.kind = kind;
    if (known.addresses.includes(address)) return;
    // What others say never pushes out what the configuration says.
    if (known.kind !== "learned" && kind === "learned" && known.addresses.length >= MAX_ADDRESSES_PER_PEER) return;
    known.addresses.push(address);
    if (known.addresses.length > MAX_ADDRESSES_PER_PEER) known.addresses.shift();
  }

  /** What was known at the last stop: half of it counts, so that new peers can become as good. */
  restore({ peer, addresses, lasted }: SavedPeer): void {
    for (const address of addresses) this.add({ peer, address }, "learned");
    const entry = this.#entries.get(peer);
    if (entry !== undefined) entry.lasted = Math.max(entry.lasted, lasted / 2);
  }

  /** How long each has lasted; `connected` has those that are here now, with the milliseconds so far. */
  saved(connected: ReadonlyMap<string, number>): SavedPeer[] {
    return [...this.#entries.values()].map(({ peer, addresses, lasted }) => {
      return { peer, addresses: [...addresses], lasted: lasted + (connected.get(peer) ?? 0) };
    });
  }

  /** Peers to dial now: all persistent ones that are due, and up to `places` of the others. */
  due(now: number, places: number, isExcluded: (peer: string) => boolean): Dial[] {
    const dials: Dial[] = [];
    let left = places;
    const entries = [...this.#entries.values()].sort((a, b) => a.failures - b.failures || b.lasted - a.lasted);
    for (const { peer, kind, addresses, due } of entries) {
      if (due > now || isExcluded(peer)) continue;
      if (kind !== "persistent" && left-- <= 0) continue;
      dials.push({ peer, addresses: [...addresses] });
    }
    return dials;
  }

  /** When the next persistent peer that is not excluded may be dialled. */
  nextDue(isExcluded: (peer: string) => boolean): number | undefined {
    let next: number | undefined;
    for (const { peer, kind, due } of this.#entries.values()) {
      if (kind === "persistent" && !isExcluded(peer) && (next === undefined || due < next)) next = due;
    }
    return next;
  }

  /** The dial failed, or the connection did not last. `random` from 0 to 1 spreads the nodes of a network. */
  failed(peer: string, now: number, random: number): void {
    const entry = this.#entries.get(peer);
    if (entry === undefined) return;
    const { firstRedial, longestRedial } = this.#timing;
    const wait = Math.min(longestRedial, firstRedial * 2 ** Math.min(entry.failures, 30));
    entry.failures++;
    entry.due = now + wait * (1 - random / 2);
    if (entry.kind === "learned" && entry.failures >= MAX_DIAL_FAILURES) this.#entries.delete(peer);
  }

  /** The connection lasted for so many milliseconds: the next redial is a first one. */
  lasted(peer: string, duration: number): void {
    const entry = this.#entries.get(peer);
    if (entry === undefined) return;
    entry.failures = 0;
    entry.lasted += duration;
  }

  /** It is of no use: another chain, or banned. Those of the configuration stay. */
  forget(peer: string): void {
    if (this.#entries.get(peer)?.kind === "learned") this.#entries.delete(peer);
  }

  /** The learned peer that failed most, of those that never lasted: what others tell pushes out no more. */
  #forgetOne(): boolean {
    let worst: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.kind !== "learned" || entry.lasted > 0) continue;
      if (worst === undefined || entry.failures > worst.failures) worst = entry;
    }
    return worst !== undefined && this.#entries.delete(worst.peer);
  }
}
