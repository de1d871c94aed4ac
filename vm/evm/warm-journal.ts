/**
 * Which addresses and slots a transaction has touched (EIP-2929), undone with the frames that touched them.
 * Takes the place of @ethereumjs/evm's journal, which keeps several maps of sets per frame and its own second
 * record of changed accounts: ours is one set of names and a list of what was added.
 */
import type { EVM } from "@ethereumjs/evm";
import type { Account as EvmAccount, Address as EvmAddress } from "@ethereumjs/util";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { Address } from "../state/account.ts";
import type { EvmStateManager } from "./state-manager.ts";

export class WarmJournal {
  private readonly stateManager: EvmStateManager;
  /** Warm in every transaction: precompiles and modules. */
  private readonly alwaysWarm: ReadonlySet<string>;
  /** Addresses by their hex, slots by the hex of address and slot. */
  private readonly warm = new Set<string>();
  private readonly added: string[] = [];
  private readonly marks: number[] = [];
  private lastBytes: Uint8Array | undefined;
  private lastHex: Hex = "0x";

  constructor(stateManager: EvmStateManager, alwaysWarm: ReadonlySet<string>) {
    this.stateManager = stateManager;
    this.alwaysWarm = alwaysWarm;
  }

  /** As the engine's journal. The EVM uses just the methods below; conformance runs all of them. */
  asEvmJournal(): EVM["journal"] {
    return this as unknown as EVM["journal"];
  }

  /** Starts a transaction. */
  begin(addresses: Iterable<Address>): void {
    this.warm.clear();
    this.added.length = 0;
    this.marks.length = 0;
    for (const address of addresses) this.warm.add(address);
  }

  addWarmSlot(address: Address, slot: Hex): void {
    this.warm.add(slotName(address, slot));
  }

  // From here on: what the EVM calls.

  addAlwaysWarmAddress(address: string): void {
    this.warm.add(address.startsWith("0x") ? address : `0x${address}`);
  }

  isWarmedAddress(address: Uint8Array): boolean {
    const name = bytesToHex(address);
    return this.alwaysWarm.has(name) || this.warm.has(name);
  }

  addWarmedAddress(address: Uint8Array): void {
    this.add(bytesToHex(address));
  }

  isWarmedStorage(address: Uint8Array, slot: Uint8Array): boolean {
    return this.warm.has(slotName(bytesToHex(address), this.slotHex(slot)));
  }

  addWarmedStorage(address: Uint8Array, slot: Uint8Array): void {
    this.add(slotName(bytesToHex(address), this.slotHex(slot)));
  }

  /** The EVM asks whether a slot is warm and then warms it, with the same array. */
  private slotHex(slot: Uint8Array): Hex {
    if (slot !== this.lastBytes) {
      this.lastBytes = slot;
      this.lastHex = bytesToHex(slot);
    }
    return this.lastHex;
  }

  private add(name: string): void {
    if (this.warm.has(name)) return;
    this.warm.add(name);
    this.added.push(name);
  }

  putAccount(address: EvmAddress, account: EvmAccount | undefined): Promise<void> {
    return this.stateManager.putAccount(address, account);
  }

  deleteAccount(address: EvmAddress): Promise<void> {
    return this.stateManager.deleteAccount(address);
  }

  checkpoint(): Promise<void> {
    this.marks.push(this.added.length);
    return this.stateManager.checkpoint();
  }

  commit(): Promise<void> {
    this.marks.pop();
    return this.stateManager.commit();
  }

  revert(): Promise<void> {
    const mark = this.marks.pop() ?? 0;
    while (this.added.length > mark) this.warm.delete(this.added.pop() as string);
    return this.stateManager.revert();
  }
}

function slotName(address: string, slot: string): string {
  return address + slot;
}
