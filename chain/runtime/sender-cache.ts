/**
 * Recovers each transaction's sender once, although it comes by gossip, in a proposed block and again from others. What
 * is being recovered is waited for; what was recovered lately is known.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { RecoveryResult } from "../senders/sender-pool.ts";
import { MAX_RECOVERED_KEPT } from "./limits.ts";

type Recover = (raws: readonly Uint8Array[]) => Promise<readonly RecoveryResult[]>;

export class SenderCache {
  readonly #recover: Recover;
  /** Done or under way, the oldest first. */
  readonly #known = new Map<Hex, Promise<RecoveryResult>>();

  constructor(recover: Recover) {
    this.#recover = recover;
  }

  /** In the order of the transactions given. */
  recover(raws: readonly Uint8Array[]): Promise<readonly RecoveryResult[]> {
    const hashes = raws.map((raw) => bytesToHex(keccak256(raw)));
    const unknown = new Map<Hex, Uint8Array>();
    for (const [index, hash] of hashes.entries()) {
      if (!this.#known.has(hash)) unknown.set(hash, raws[index] as Uint8Array);
    }
    if (unknown.size > 0) this.#begin(unknown);
    return Promise.all(
      hashes.map((hash) => {
        const result = this.#known.get(hash);
        assert(result !== undefined, "every transaction is known or under way");
        return result;
      }),
    ).finally(() => this.#trim());
  }

  #begin(unknown: ReadonlyMap<Hex, Uint8Array>): void {
    const batch = this.#recover([...unknown.values()]);
    let index = 0;
    for (const hash of unknown.keys()) {
      const at = index++;
      const result = batch.then((results) => results[at] as RecoveryResult);
      // A failure is our own, and may pass: it is not kept.
      result.catch(() => this.#known.delete(hash));
      this.#known.set(hash, result);
    }
  }

  #trim(): void {
    for (const hash of this.#known.keys()) {
      if (this.#known.size <= MAX_RECOVERED_KEPT) return;
      this.#known.delete(hash);
    }
  }
}
