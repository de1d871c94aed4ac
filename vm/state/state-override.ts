/** A state that somebody makes up for a call: some accounts are other than they are. */
import { bytesToHex, EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { type Address, EMPTY_ACCOUNT } from "./account.ts";
import { GrowingOverlay } from "./growing-overlay.ts";
import type { StateReader } from "./reader.ts";

export interface AccountOverride {
  readonly balance?: bigint | undefined;
  readonly nonce?: bigint | undefined;
  readonly code?: Uint8Array | undefined;
  /** All of the account's storage. Values in shortest form. */
  readonly state?: ReadonlyMap<Hex, Uint8Array> | undefined;
  /** Slots of it that are other than they are. */
  readonly stateDiff?: ReadonlyMap<Hex, Uint8Array> | undefined;
  /** Of a precompile: where it is instead. */
  readonly movePrecompileTo?: Address | undefined;
}

export type StateOverrides = ReadonlyMap<Address, AccountOverride>;

export function overriddenState(parent: StateReader, overrides: StateOverrides): StateReader {
  if (overrides.size === 0) return parent;
  const state = new GrowingOverlay(parent);
  applyOverrides(state, overrides);
  return state;
}

export function applyOverrides(overlay: GrowingOverlay, overrides: StateOverrides): void {
  for (const [address, override] of overrides) applyOverride(overlay, address, override);
}

function applyOverride(overlay: GrowingOverlay, address: Address, override: AccountOverride): void {
  const { balance, nonce, code, state, stateDiff } = override;
  if (balance !== undefined || nonce !== undefined || code !== undefined) {
    const before = overlay.account(address) ?? EMPTY_ACCOUNT;
    const codeHash = code === undefined ? before.codeHash : bytesToHex(keccak256(code));
    if (code !== undefined) overlay.setCode(codeHash, code);
    overlay.setAccount(address, { balance: balance ?? before.balance, nonce: nonce ?? before.nonce, codeHash });
  }
  if (state !== undefined) overlay.clearStorage(address);
  for (const [slot, value] of state ?? stateDiff ?? []) overlay.setSlot(address, slot, value);
}

/** Where the precompiles are then; one that is overridden in any other way is none any more. */
export function movedByOverrides(overrides: StateOverrides): ReadonlyMap<Address, Address | undefined> | undefined {
  const moved = new Map([...overrides].map(([address, { movePrecompileTo }]) => [address, movePrecompileTo]));
  return moved.size === 0 ? undefined : moved;
}

/** A slot's value as the state keeps it. */
export function slotValue(word: Uint8Array): Uint8Array {
  const first = word.findIndex((byte) => byte !== 0);
  return first < 0 ? EMPTY_BYTES : word.slice(first);
}
