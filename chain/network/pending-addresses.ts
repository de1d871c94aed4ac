/**
 * Connections from each address that have not finished their handshake. All together have a bound of libp2p's; without
 * one of their own, a single machine that begins handshakes and never ends them would keep everybody else out.
 */
interface Pending {
  addEventListener(type: "close", listener: () => void): void;
}

export class PendingAddresses {
  readonly #max: number;
  readonly #counts = new Map<string, number>();
  readonly #addresses = new WeakMap<object, string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** False when the address has too many already. */
  begin(connection: Pending, address: string): boolean {
    const count = this.#counts.get(address) ?? 0;
    if (count >= this.#max) return false;
    this.#counts.set(address, count + 1);
    this.#addresses.set(connection, address);
    connection.addEventListener("close", () => this.end(connection));
    return true;
  }

  /** The handshake is done, or the connection is gone. */
  end(connection: object): void {
    const address = this.#addresses.get(connection);
    if (address === undefined) return;
    this.#addresses.delete(connection);
    const count = (this.#counts.get(address) ?? 1) - 1;
    if (count > 0) this.#counts.set(address, count);
    else this.#counts.delete(address);
  }
}
