/**
 * The state while a block executes: an overlay over its parent with an undo log. Every write goes through
 * here, so this is also where money is counted: `balanceDelta` follows every balance, `minted` and `burned`
 * follow every declared change of supply, and between two transactions balanceDelta = minted - burned.
 */
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { type Account, type Address, EMPTY_ACCOUNT, EMPTY_CODE_HASH, isEmptyAccount } from "./account.ts";
import { noteFailure } from "./read-failure.ts";
import type { StateChanges, StateReader } from "./reader.ts";

type Undo =
  | { readonly kind: "account"; readonly address: Address; readonly had: boolean; readonly before: Account | undefined }
  | {
      readonly kind: "slot";
      readonly slots: Map<Hex, Uint8Array>;
      readonly slot: Hex;
      readonly before: Uint8Array | undefined;
    }
  | { readonly kind: "supply"; readonly minted: bigint; readonly burned: bigint };

/** A bug that a call on this state met; vm/modules/module-fault.ts says which. */
export interface StateFault {
  readonly module: Address;
  readonly error: unknown;
}

export class WorkingState implements StateReader {
  private readonly parent: StateReader;
  private readonly accounts = new Map<Address, Account | undefined>();
  private readonly slots = new Map<Address, Map<Hex, Uint8Array>>();
  private readonly newCode = new Map<Hex, Uint8Array>();
  /** Slots written in this transaction, with the value each had when it began (EIP-2200). */
  private readonly originals = new Map<Address, Map<Hex, Uint8Array>>();
  private readonly undoLog: Undo[] = [];
  private readonly faults: StateFault[] = [];
  private delta = 0n;
  private mintedInBlock = 0n;
  private burnedInBlock = 0n;

  constructor(parent: StateReader) {
    this.parent = parent;
  }

  /** A state that goes on within a block: `parent` has what came before, of which this much is new or gone money. */
  static within(parent: StateReader, minted: bigint, burned: bigint): WorkingState {
    const state = new WorkingState(parent);
    state.mintedInBlock = minted;
    state.burnedInBlock = burned;
    state.delta = minted - burned;
    return state;
  }

  /** Sum of all balances now, less their sum in the parent. */
  get balanceDelta(): bigint {
    return this.delta;
  }

  get minted(): bigint {
    return this.mintedInBlock;
  }

  get burned(): bigint {
    return this.burnedInBlock;
  }

  account(address: Address): Account | undefined {
    const own = this.accounts.get(address);
    if (own !== undefined || this.accounts.has(address)) return own;
    return this.parentAccount(address);
  }

  private parentAccount(address: Address): Account | undefined {
    try {
      return this.parent.account(address);
    } catch (error) {
      throw noteFailure(error);
    }
  }

  private parentStorage(address: Address, slot: Hex): Uint8Array {
    try {
      return this.parent.storage(address, slot);
    } catch (error) {
      throw noteFailure(error);
    }
  }

  /** A bug was met. Not undone with what is reverted. */
  noteFault(fault: StateFault): void {
    this.faults.push(fault);
  }

  /** What was noted since this was last asked. */
  takeFaults(): readonly StateFault[] {
    return this.faults.splice(0);
  }

  balance(address: Address): bigint {
    return this.account(address)?.balance ?? 0n;
  }

  /** An empty account is none (EIP-161). */
  setAccount(address: Address, account: Account | undefined): void {
    const before = this.account(address);
    const after = account === undefined || isEmptyAccount(account) ? undefined : account;
    this.undoLog.push({ kind: "account", address, had: this.accounts.has(address), before });
    this.accounts.set(address, after);
    this.delta += (after?.balance ?? 0n) - (before?.balance ?? 0n);
  }

  setBalance(address: Address, balance: bigint): void {
    assert(balance >= 0n, "a balance is not negative");
    const { nonce, codeHash } = this.account(address) ?? EMPTY_ACCOUNT;
    this.setAccount(address, { nonce, balance, codeHash });
  }

  /** The caller has checked that `from` has the money. */
  transfer(from: Address, to: Address, value: bigint): void {
    if (value === 0n) return;
    this.setBalance(from, this.balance(from) - value);
    this.setBalance(to, this.balance(to) + value);
  }

  storage(address: Address, slot: Hex): Uint8Array {
    return this.slots.get(address)?.get(slot) ?? this.parentStorage(address, slot);
  }

  setStorage(address: Address, slot: Hex, value: Uint8Array): void {
    let slots = this.slots.get(address);
    if (slots === undefined) {
      slots = new Map();
      this.slots.set(address, slots);
    }
    const before = slots.get(slot);
    let originals = this.originals.get(address);
    if (originals === undefined) {
      originals = new Map();
      this.originals.set(address, originals);
    }
    if (!originals.has(slot)) originals.set(slot, before ?? this.parentStorage(address, slot));
    this.undoLog.push({ kind: "slot", slots, slot, before });
    slots.set(slot, value);
  }

  /** The slot's value when the transaction began. */
  originalStorage(address: Address, slot: Hex): Uint8Array {
    return this.originals.get(address)?.get(slot) ?? this.storage(address, slot);
  }

  hasStorage(address: Address): boolean {
    const slots = this.slots.get(address);
    if (slots !== undefined) for (const value of slots.values()) if (value.length > 0) return true;
    try {
      return this.parent.hasStorage(address);
    } catch (error) {
      throw noteFailure(error);
    }
  }

  /**
   * Zeroes what this block wrote to the account. Enough for a destroyed contract: only one created in the same
   * transaction can be destroyed (EIP-6780), and none is created over existing storage (EIP-7610).
   */
  clearStorage(address: Address): void {
    for (const [slot, value] of this.slots.get(address) ?? []) {
      if (value.length > 0) this.setStorage(address, slot, NO_VALUE);
    }
  }

  code(codeHash: Hex): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return NO_VALUE;
    const own = this.newCode.get(codeHash);
    if (own !== undefined) return own;
    try {
      return this.parent.code(codeHash);
    } catch (error) {
      throw noteFailure(error);
    }
  }

  /** Code is named by its hash, so what a reverted frame stored harms nobody and needs no undo. */
  putCode(codeHash: Hex, code: Uint8Array): void {
    if (codeHash !== EMPTY_CODE_HASH) this.newCode.set(codeHash, code);
  }

  /** New money for `address`. Whether it may be minted is the token module's business. */
  mint(address: Address, amount: bigint): void {
    this.recordSupply(amount, 0n);
    this.setBalance(address, this.balance(address) + amount);
  }

  /** Declares that `amount` has left the supply; the caller takes it from a balance. */
  recordBurn(amount: bigint): void {
    if (amount > 0n) this.recordSupply(0n, amount);
  }

  /** Takes back a part of what this block declared burned: the caller gives it to a balance. */
  unrecordBurn(amount: bigint): void {
    assert(amount <= this.burnedInBlock, "what was not burned cannot be taken back");
    this.recordSupply(0n, -amount);
  }

  private recordSupply(minted: bigint, burned: bigint): void {
    this.undoLog.push({ kind: "supply", minted: this.mintedInBlock, burned: this.burnedInBlock });
    this.mintedInBlock += minted;
    this.burnedInBlock += burned;
  }

  /** A mark to revert to. */
  checkpoint(): number {
    return this.undoLog.length;
  }

  revert(mark: number): void {
    while (this.undoLog.length > mark) {
      const undo = this.undoLog.pop() as Undo;
      if (undo.kind === "account") this.undoAccount(undo.address, undo.had, undo.before);
      else if (undo.kind === "supply") {
        this.mintedInBlock = undo.minted;
        this.burnedInBlock = undo.burned;
      } else if (undo.before === undefined) undo.slots.delete(undo.slot);
      else undo.slots.set(undo.slot, undo.before);
    }
  }

  private undoAccount(address: Address, had: boolean, before: Account | undefined): void {
    this.delta += (before?.balance ?? 0n) - (this.accounts.get(address)?.balance ?? 0n);
    if (had) this.accounts.set(address, before);
    else this.accounts.delete(address);
  }

  /** Balance changes since `mark`, largest first: who to look at when money does not add up. */
  balanceChangesSince(mark: number): { address: Address; change: bigint }[] {
    const first = new Map<Address, bigint>();
    for (const undo of this.undoLog.slice(mark)) {
      if (undo.kind === "account" && !first.has(undo.address)) first.set(undo.address, undo.before?.balance ?? 0n);
    }
    return [...first]
      .map(([address, before]) => ({ address, change: this.balance(address) - before }))
      .filter(({ change }) => change !== 0n);
  }

  /** A transaction is done: nothing before this point can be reverted any more. */
  endTransaction(): void {
    this.undoLog.length = 0;
    this.originals.clear();
  }

  /** What the block changed. Code whose account did not survive stays out of the state. */
  changes(): StateChanges {
    const code = new Map<Hex, Uint8Array>();
    for (const account of this.accounts.values()) {
      const bytes = account === undefined ? undefined : this.newCode.get(account.codeHash);
      if (account !== undefined && bytes !== undefined) code.set(account.codeHash, bytes);
    }
    return { accounts: this.accounts, storage: this.slots, code };
  }
}

const NO_VALUE = new Uint8Array(0);
