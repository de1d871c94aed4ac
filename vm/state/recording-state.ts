/**
 * A state that remembers what was read of it: what a transaction touched, with the values from before it. What it writes
 * it reads first. Afterwards the state below may have gone on, so the values are in `accounts` and `slots` alone.
 */
import type { Hex } from "../../base/bytes.ts";
import type { Account, Address } from "./account.ts";
import type { StateReader } from "./reader.ts";

export class RecordingState implements StateReader {
  readonly accounts: Map<Address, Account | undefined> = new Map();
  readonly slots: Map<Address, Map<Hex, Uint8Array>> = new Map();
  private readonly parent: StateReader;

  constructor(parent: StateReader) {
    this.parent = parent;
  }

  account(address: Address): Account | undefined {
    const account = this.parent.account(address);
    this.accounts.set(address, account);
    return account;
  }

  storage(address: Address, slot: Hex): Uint8Array {
    const value = this.parent.storage(address, slot);
    let own = this.slots.get(address);
    if (own === undefined) {
      own = new Map();
      this.slots.set(address, own);
    }
    own.set(slot, value);
    return value;
  }

  hasStorage(address: Address): boolean {
    return this.parent.hasStorage(address);
  }

  code(codeHash: Hex): Uint8Array {
    return this.parent.code(codeHash);
  }
}
