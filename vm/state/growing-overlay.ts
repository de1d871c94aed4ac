/** What several runs have changed, one after the other, over one state: for replays and simulations. */
import { EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "./account.ts";
import type { StateChanges, StateReader } from "./reader.ts";

export class GrowingOverlay implements StateReader {
  private readonly parent: StateReader;
  private readonly accounts = new Map<Address, Account | undefined>();
  private readonly slots = new Map<Address, Map<Hex, Uint8Array>>();
  /** Accounts of whose storage nothing of the parent counts. */
  private readonly cleared = new Set<Address>();
  private readonly codes = new Map<Hex, Uint8Array>();

  constructor(parent: StateReader) {
    this.parent = parent;
  }

  account(address: Address): Account | undefined {
    const own = this.accounts.get(address);
    if (own !== undefined || this.accounts.has(address)) return own;
    return this.parent.account(address);
  }

  storage(address: Address, slot: Hex): Uint8Array {
    const own = this.slots.get(address)?.get(slot);
    if (own !== undefined) return own;
    return this.cleared.has(address) ? EMPTY_BYTES : this.parent.storage(address, slot);
  }

  /** May say yes for an account whose slots were all zeroed here, as OverlayState does. */
  hasStorage(address: Address): boolean {
    for (const value of this.slots.get(address)?.values() ?? []) if (value.length > 0) return true;
    return !this.cleared.has(address) && this.parent.hasStorage(address);
  }

  code(codeHash: Hex): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES;
    return this.codes.get(codeHash) ?? this.parent.code(codeHash);
  }

  apply({ accounts, storage, code }: StateChanges): void {
    for (const [hash, bytes] of code) this.codes.set(hash, bytes);
    for (const [address, account] of accounts) this.accounts.set(address, account);
    for (const [address, slots] of storage) for (const [slot, value] of slots) this.setSlot(address, slot, value);
  }

  setAccount(address: Address, account: Account): void {
    this.accounts.set(address, account);
  }

  setCode(codeHash: Hex, code: Uint8Array): void {
    this.codes.set(codeHash, code);
  }

  setSlot(address: Address, slot: Hex, value: Uint8Array): void {
    let own = this.slots.get(address);
    if (own === undefined) {
      own = new Map();
      this.slots.set(address, own);
    }
    own.set(slot, value);
  }

  /** Forgets all of the account's slots. */
  clearStorage(address: Address): void {
    this.slots.delete(address);
    this.cleared.add(address);
  }
}
