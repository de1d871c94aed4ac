/**
 * How many clients wait for their transactions to be final. Each looks at the chain again and again, and may have sent what
 * can never be in a block: without a bound, a few thousand of them would take all of the RPC's time for a minute.
 */
import { CodedError } from "../base/errors.ts";
import { isLoopback } from "./addresses.ts";

export interface SyncWaitLimits {
  readonly waits: number;
  /** Of these, what one address may have; loopback may have all. */
  readonly share: number;
}

export class SyncWaits {
  readonly #limits: SyncWaitLimits;
  readonly #byAddress = new Map<string, number>();
  #waits = 0;

  constructor(limits: SyncWaitLimits) {
    this.#limits = limits;
  }

  /** Throws RPC_BUSY before the work begins. */
  async during<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const { waits, share } = this.#limits;
    const own = this.#byAddress.get(address) ?? 0;
    if (this.#waits >= waits || (!isLoopback(address) && own >= share * waits)) {
      throw new CodedError("RPC_BUSY", "too many wait for receipts: use eth_sendRawTransaction, or try again later");
    }
    this.#change(address, 1);
    try {
      return await work();
    } finally {
      this.#change(address, -1);
    }
  }

  #change(address: string, change: 1 | -1): void {
    this.#waits += change;
    const own = (this.#byAddress.get(address) ?? 0) + change;
    if (own === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, own);
  }
}
