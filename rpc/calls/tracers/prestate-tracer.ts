/** What a transaction found, and in diff mode what it left, in the form of geth's prestateTracer. */
import { bytesToHex, EMPTY_BYTES, type Hex, padLeft } from "../../../base/bytes.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "../../../vm/state/account.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { quantityText } from "../../format.ts";
import type { TraceOptions } from "../../trace-options.ts";
import type { Traced, TraceRoom, Tracer } from "./tracer.ts";

interface AccountJson {
  balance?: Hex;
  nonce?: number;
  code?: Hex;
  storage?: Record<Hex, Hex>;
}

type StateJson = Record<Address, AccountJson>;

const ACCOUNT_BYTES = 150;
const SLOT_BYTES = 140;

export class PrestateTracer implements Tracer {
  private readonly options: TraceOptions;
  private readonly room: TraceRoom;

  constructor(options: TraceOptions, room: TraceRoom) {
    this.options = options;
    this.room = room;
  }

  result(traced: Traced): object {
    return this.options.diffMode ? this.difference(traced) : this.found(traced);
  }

  private found({ before }: Traced): StateJson {
    const state: StateJson = {};
    for (const [address, account] of before.accounts) state[address] = this.accountJson(account, before);
    for (const [address, slots] of this.options.disableStorage ? [] : before.slots) {
      const own = state[address] ?? this.accountJson(before.accounts.get(address), before);
      state[address] = { ...own, storage: this.slotsJson(slots, true) };
    }
    return state;
  }

  /** Only what is different afterwards. */
  private difference({ before, changes }: Traced): { readonly pre: StateJson; readonly post: StateJson } {
    const pre: StateJson = {};
    const post: StateJson = {};
    const changed = new Set([...changes.accounts.keys(), ...changes.storage.keys()]);
    for (const address of changed) {
      const old = before.accounts.get(address);
      const now = changes.accounts.has(address) ? changes.accounts.get(address) : old;
      const [oldSlots, newSlots] = changedSlots(before.slots.get(address), changes.storage.get(address));
      if (isSame(old, now) && oldSlots.size === 0) continue;
      if (old !== undefined) pre[address] = this.withSlots(this.accountJson(old, before), oldSlots);
      if (now === undefined) continue;
      const code = (hash: Hex): Uint8Array => changes.code.get(hash) ?? before.code(hash);
      post[address] = this.withSlots(this.changeJson(old, now, code), newSlots);
    }
    return { pre, post };
  }

  private accountJson(account: Account | undefined, state: StateReader): AccountJson {
    this.room.take(ACCOUNT_BYTES);
    if (account === undefined) return { balance: "0x0" };
    const { balance, nonce, codeHash } = account;
    const hasCode = codeHash !== EMPTY_CODE_HASH && !this.options.disableCode;
    return {
      balance: quantityText(balance),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(hasCode && { code: this.codeJson(state.code(codeHash)) }),
    };
  }

  private changeJson(old: Account | undefined, now: Account, codeOf: (hash: Hex) => Uint8Array): AccountJson {
    this.room.take(ACCOUNT_BYTES);
    const hasNewCode = now.codeHash !== (old?.codeHash ?? EMPTY_CODE_HASH) && !this.options.disableCode;
    return {
      ...(now.balance !== (old?.balance ?? 0n) && { balance: quantityText(now.balance) }),
      ...(now.nonce !== (old?.nonce ?? 0n) && { nonce: Number(now.nonce) }),
      ...(hasNewCode && { code: this.codeJson(codeOf(now.codeHash)) }),
    };
  }

  private codeJson(code: Uint8Array): Hex {
    this.room.take(2 * code.length);
    return bytesToHex(code);
  }

  private withSlots(account: AccountJson, slots: ReadonlyMap<Hex, Uint8Array>): AccountJson {
    if (this.options.disableStorage) return account;
    const storage = this.slotsJson(slots, false);
    return Object.keys(storage).length === 0 ? account : { ...account, storage };
  }

  private slotsJson(slots: ReadonlyMap<Hex, Uint8Array>, withZeros: boolean): Record<Hex, Hex> {
    this.room.take(SLOT_BYTES * slots.size);
    const entries = [...slots].filter(([, value]) => withZeros || value.length > 0);
    return Object.fromEntries(entries.map(([slot, value]) => [slot, bytesToHex(padLeft(value, 32))]));
  }
}

function isSame(old: Account | undefined, now: Account | undefined): boolean {
  if (old === undefined || now === undefined) return old === now;
  return old.balance === now.balance && old.nonce === now.nonce && old.codeHash === now.codeHash;
}

function changedSlots(
  read: ReadonlyMap<Hex, Uint8Array> = new Map(),
  written: ReadonlyMap<Hex, Uint8Array> = new Map(),
): readonly [Map<Hex, Uint8Array>, Map<Hex, Uint8Array>] {
  const old = new Map<Hex, Uint8Array>();
  const now = new Map<Hex, Uint8Array>();
  for (const [slot, value] of written) {
    const found = read.get(slot) ?? EMPTY_BYTES;
    if (bytesToHex(found) === bytesToHex(value)) continue;
    old.set(slot, found);
    now.set(slot, value);
  }
  return [old, now];
}
