/** A state in memory: for genesis, for tests, and for suites that bring their own pre-state. */
import { EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "./account.ts";
import type { StateChanges, StateReader } from "./reader.ts";

export class MemoryState implements StateReader {
  readonly accounts: Map<Address, Account> = new Map();
  /** Only slots that are not zero. */
  readonly slots: Map<Address, Map<Hex, Uint8Array>> = new Map();
  private readonly codes = new Map<Hex, Uint8Array>();

  account(address: Address): Account | undefined {
    return this.accounts.get(address);
  }

  storage(address: Address, slot: Hex): Uint8Array {
    return this.slots.get(address)?.get(slot) ?? EMPTY_BYTES;
  }

  hasStorage(address: Address): boolean {
    return (this.slots.get(address)?.size ?? 0) > 0;
  }

  code(codeHash: Hex): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES;
    const code = this.codes.get(codeHash);
    assert(code !== undefined, `the state has the code ${codeHash}`);
    return code;
  }

  apply(changes: StateChanges): void {
    for (const [hash, code] of changes.code) this.codes.set(hash, code);
    for (const [address, account] of changes.accounts) {
      if (account === undefined) this.accounts.delete(address);
      else this.accounts.set(address, account);
    }
    for (const [address, slots] of changes.storage) {
      let own = this.slots.get(address);
      if (own === undefined) {
        own = new Map();
        this.slots.set(address, own);
      }
      for (const [slot, value] of slots) {
        if (value.length === 0) own.delete(slot);
        else own.set(slot, value);
      }
    }
  }
}
