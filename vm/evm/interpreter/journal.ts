/**
 * What a transaction has besides the state: which accounts and slots it has touched (EIP-2929), transient storage
 * (EIP-1153), refunds, logs, created and destroyed contracts. A frame that does not end well takes back what it added,
 * by an undo log: a frame costs nothing here but its marks.
 */
import type { Hex } from "../../../base/bytes.ts";
import type { Log } from "../../receipt/log.ts";
import type { Address } from "../../state/account.ts";

type Undo =
  | { readonly from: Set<string>; readonly added: string }
  | { readonly slots: Map<string, bigint>; readonly slot: string; readonly before: bigint };

/** Where a frame began. */
export interface JournalMarks {
  journalMark: number;
  logMark: number;
  refundMark: number;
}

export class Journal {
  /** Warm in every transaction: precompiles and modules. */
  private readonly alwaysWarm: ReadonlySet<Address>;
  private readonly warmAddresses = new Set<string>();
  private readonly warmSlots = new Map<Address, Set<string>>();
  private readonly transient = new Map<Address, Map<string, bigint>>();
  private readonly created = new Set<string>();
  private readonly destroyed = new Set<string>();
  private readonly undoLog: Undo[] = [];
  logs: Log[] = [];
  refund = 0;

  constructor(alwaysWarm: ReadonlySet<Address>) {
    this.alwaysWarm = alwaysWarm;
  }

  /** Forgets the transaction before. */
  clear(): void {
    this.warmAddresses.clear();
    this.warmSlots.clear();
    this.transient.clear();
    this.created.clear();
    this.destroyed.clear();
    this.undoLog.length = 0;
    this.logs = [];
    this.refund = 0;
  }

  /** Sets the frame's marks. */
  mark(frame: JournalMarks): void {
    frame.journalMark = this.undoLog.length;
    frame.logMark = this.logs.length;
    frame.refundMark = this.refund;
  }

  /** Back to the frame's marks. */
  revert(frame: JournalMarks): void {
    while (this.undoLog.length > frame.journalMark) {
      const undo = this.undoLog.pop() as Undo;
      if ("added" in undo) undo.from.delete(undo.added);
      else undo.slots.set(undo.slot, undo.before);
    }
    this.logs.length = frame.logMark;
    this.refund = frame.refundMark;
  }

  /** Whether the address was cold; it is warm from now on. */
  warmAddress(address: Address): boolean {
    if (this.warmAddresses.has(address) || this.alwaysWarm.has(address)) return false;
    this.add(this.warmAddresses, address);
    return true;
  }

  warmSlot(address: Address, slot: Hex): boolean {
    let slots = this.warmSlots.get(address);
    if (slots === undefined) {
      slots = new Set();
      this.warmSlots.set(address, slots);
    }
    if (slots.has(slot)) return false;
    this.add(slots, slot);
    return true;
  }

  private add(to: Set<string>, added: string): void {
    to.add(added);
    this.undoLog.push({ from: to, added });
  }

  transientStorage(address: Address, slot: string): bigint {
    return this.transient.get(address)?.get(slot) ?? 0n;
  }

  setTransientStorage(address: Address, slot: string, value: bigint): void {
    let slots = this.transient.get(address);
    if (slots === undefined) {
      slots = new Map();
      this.transient.set(address, slots);
    }
    this.undoLog.push({ slots, slot, before: slots.get(slot) ?? 0n });
    slots.set(slot, value);
  }

  addCreated(address: Address): void {
    if (!this.created.has(address)) this.add(this.created, address);
  }

  isCreated(address: Address): boolean {
    return this.created.has(address);
  }

  addDestroyed(address: Address): void {
    if (!this.destroyed.has(address)) this.add(this.destroyed, address);
  }

  destroyedAddresses(): readonly Address[] {
    return [...this.destroyed] as Address[];
  }
}
