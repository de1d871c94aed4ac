/** The state after a block: what it changed, over its parent. Overlays stack until finality writes them down. */
import { EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "./account.ts";
import type { StateChanges, StateReader } from "./reader.ts";

export class OverlayState implements StateReader {
  private readonly changes: StateChanges;
  private readonly parent: StateReader;

  constructor(changes: StateChanges, parent: StateReader) {
    this.changes = changes;
    this.parent = parent;
  }

  account(address: Address): Account | undefined {
    const own = this.changes.accounts.get(address);
    if (own !== undefined || this.changes.accounts.has(address)) return own;
    return this.parent.account(address);
  }

  storage(address: Address, slot: Hex): Uint8Array {
    return this.changes.storage.get(address)?.get(slot) ?? this.parent.storage(address, slot);
  }

  /**
   * May say yes for an account whose parent slots this block has all zeroed. The question is asked for an
   * account without code and nonce alone, and such an account never had a slot to zero.
   */
  hasStorage(address: Address): boolean {
    for (const value of this.changes.storage.get(address)?.values() ?? []) if (value.length > 0) return true;
    return this.parent.hasStorage(address);
  }

  code(codeHash: Hex): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES;
    return this.changes.code.get(codeHash) ?? this.parent.code(codeHash);
  }
}
