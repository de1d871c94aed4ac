/** A state test's pre-state as one of our states: values in memory and a tree over them. */
import { bytesToHex, type Hex, hexToBytes, padLeft, stripLeadingZeros } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import type { Account, Address } from "../../../vm/state/account.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { leafChanges, type StateVersion } from "../../../vm/state/state-version.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";
import { updateTree } from "../../../vm/tree/update.ts";

export interface PreAccount {
  readonly balance: Hex;
  readonly nonce: Hex;
  readonly code: Hex;
  readonly storage: Readonly<Record<string, Hex>>;
}

/** 32 bytes of hex of a slot written in any length. */
function slotName(text: string): Hex {
  const digits = text.slice(2);
  return bytesToHex(padLeft(hexToBytes(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`), 32));
}

export function loadPreState(pre: Readonly<Record<string, PreAccount>>): {
  readonly memory: MemoryState;
  readonly version: StateVersion;
} {
  const accounts = new Map<Address, Account>();
  const storage = new Map<Address, Map<Hex, Uint8Array>>();
  const codes = new Map<Hex, Uint8Array>();
  for (const [name, { balance, nonce, code, storage: slots }] of Object.entries(pre)) {
    const address = name.toLowerCase() as Address;
    const bytes = hexToBytes(code);
    const codeHash = bytesToHex(keccak256(bytes));
    if (bytes.length > 0) codes.set(codeHash, bytes);
    accounts.set(address, { nonce: BigInt(nonce), balance: BigInt(balance), codeHash });
    const values = Object.entries(slots).map(
      ([slot, value]) => [slotName(slot), stripLeadingZeros(hexToBytes(slotName(value)))] as const,
    );
    storage.set(address, new Map(values.filter(([, value]) => value.length > 0)));
  }
  const changes = { accounts, storage, code: codes };
  const memory = new MemoryState();
  memory.apply(changes);
  const pages = new MemoryPages();
  const update = updateTree(EMPTY_HEAD, pages, leafChanges(changes));
  pages.apply(update);
  return { memory, version: { reader: memory, head: update.head, pages } };
}
