/** The state in the plainest form: maps. And changes to it, for property tests. */
import fc from "fast-check";
import { expect } from "vitest";
import { bigintToBytes, bytes32, bytesToHex, compareBytes, EMPTY_BYTES, type Hex } from "../../../../base/bytes.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { addLeaves, type StateLeaf } from "../../../../chain/store/state-leaves.ts";
import { type Account, type Address, EMPTY_CODE_HASH, isEmptyAccount } from "../../../../vm/state/account.ts";
import { keyOfAccount, keyOfSlot } from "../../../../vm/state/keys.ts";
import type { StateChanges, StateReader } from "../../../../vm/state/reader.ts";
import { TreeBuilder } from "../../../../vm/tree/bulk.ts";

/** Few names, so that random changes meet each other. */
export const ADDRESSES: readonly Address[] = Array.from(
  { length: 12 },
  (_, i) => `0x${(i * 7919 + 1).toString(16).padStart(40, "a")}` as Address,
);
export const SLOTS: readonly Hex[] = Array.from({ length: 5 }, (_, i) => bytesToHex(bytes32(BigInt(i))));

export class NaiveState {
  readonly accounts: Map<Address, Account> = new Map();
  readonly slots: Map<string, Uint8Array> = new Map();

  copy(): NaiveState {
    const copy = new NaiveState();
    for (const [address, account] of this.accounts) copy.accounts.set(address, account);
    for (const [name, value] of this.slots) copy.slots.set(name, value);
    return copy;
  }

  apply(changes: StateChanges): void {
    for (const [address, account] of changes.accounts) {
      if (account === undefined) this.accounts.delete(address);
      else this.accounts.set(address, account);
    }
    for (const [address, slots] of changes.storage) {
      for (const [slot, value] of slots) {
        if (value.length === 0) this.slots.delete(`${address} ${slot}`);
        else this.slots.set(`${address} ${slot}`, value);
      }
    }
  }

  hasStorage(address: Address): boolean {
    return [...this.slots.keys()].some((name) => name.startsWith(address));
  }

  /** The root of the tree built bottom-up from everything. */
  root(): Uint8Array {
    const leaves: StateLeaf[] = [...this.accounts].map(([address, account]) => ({
      kind: "account",
      key: keyOfAccount(address),
      account,
    }));
    for (const [name, value] of this.slots) {
      const [address, slot] = name.split(" ") as [Address, Hex];
      leaves.push({ kind: "slot", key: keyOfSlot(address, slot), value });
    }
    leaves.sort((a, b) => compareBytes(a.key, b.key));
    const builder = new TreeBuilder(() => {});
    addLeaves(builder, leaves);
    return builder.finish().root;
  }
}

/** Everything that can be asked of the reader, answered as the naive state does. */
export function expectSameState(reader: StateReader, naive: NaiveState, exactStorageFlag = true): void {
  for (const address of ADDRESSES) {
    expect(reader.account(address)).toEqual(naive.accounts.get(address));
    for (const slot of SLOTS) {
      expect(bytesToHex(reader.storage(address, slot))).toBe(
        bytesToHex(naive.slots.get(`${address} ${slot}`) ?? EMPTY_BYTES),
      );
    }
    if (exactStorageFlag) expect(reader.hasStorage(address)).toBe(naive.hasStorage(address));
    const codeHash = naive.accounts.get(address)?.codeHash ?? EMPTY_CODE_HASH;
    expect(bytesToHex(reader.code(codeHash))).toBe(bytesToHex(codeOf(codeHash)));
  }
}

const CODES: readonly Uint8Array[] = [EMPTY_BYTES, new Uint8Array([0xfe]), new Uint8Array(300).fill(0x5b)];
const CODE_HASHES: readonly Hex[] = CODES.map((code) => bytesToHex(keccak256(code)));

function codeOf(hash: Hex): Uint8Array {
  return CODES[CODE_HASHES.indexOf(hash)] as Uint8Array;
}

interface AccountDraw {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: number;
}

const accountDraw: fc.Arbitrary<AccountDraw | undefined> = fc.option(
  fc.record({
    nonce: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 64n - 1n)),
    balance: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 256n - 1n)),
    code: fc.nat(CODES.length - 1),
  }),
  { nil: undefined },
);

/** Changes of one block. */
export const anyChanges: fc.Arbitrary<StateChanges> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...ADDRESSES), accountDraw), { maxLength: 8 }),
    fc.array(
      fc.tuple(
        fc.constantFrom(...ADDRESSES),
        fc.constantFrom(...SLOTS),
        fc.oneof(fc.constant(0n), fc.bigInt(1n, 255n), fc.bigInt(0n, 2n ** 256n - 1n)),
      ),
      { maxLength: 12 },
    ),
  )
  .map(([accountDraws, slotDraws]) => changesOf(accountDraws, slotDraws));

export function changesOf(
  accountDraws: readonly (readonly [Address, AccountDraw | undefined])[],
  slotDraws: readonly (readonly [Address, Hex, bigint])[] = [],
): StateChanges {
  const accounts = new Map<Address, Account | undefined>();
  const code = new Map<Hex, Uint8Array>();
  for (const [address, draw] of accountDraws) {
    if (draw === undefined) {
      accounts.set(address, undefined);
      continue;
    }
    const codeHash = CODE_HASHES[draw.code] as Hex;
    const account = { nonce: draw.nonce, balance: draw.balance, codeHash };
    accounts.set(address, isEmptyAccount(account) ? undefined : account);
    if (draw.code > 0) code.set(codeHash, CODES[draw.code] as Uint8Array);
  }
  const storage = new Map<Address, Map<Hex, Uint8Array>>();
  for (const [address, slot, value] of slotDraws) {
    let slots = storage.get(address);
    if (slots === undefined) {
      slots = new Map();
      storage.set(address, slots);
    }
    slots.set(slot, bigintToBytes(value));
  }
  return { accounts, storage, code };
}
