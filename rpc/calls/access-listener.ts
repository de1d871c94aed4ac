/** Hears which accounts and slots a call touches. */
import { bytes32, bytesToHex, type Hex } from "../../base/bytes.ts";
import type { ExecutionListener, StepFrame } from "../../vm/evm/execution-listener.ts";
import { precompilesOf } from "../../vm/evm/interpreter/precompiles/precompiles.ts";
import type { Fork } from "../../vm/execution/rules.ts";
import type { Address } from "../../vm/state/account.ts";
import type { AccessListEntry } from "../../vm/transaction/transaction.ts";

/** Which word of the stack names the account, from the top: BALANCE, EXTCODE..., calls, SELFDESTRUCT. */
const ACCOUNT_AT: Readonly<Record<number, number>> = {
  49: 0,
  59: 0,
  60: 0,
  63: 0,
  241: 1,
  242: 1,
  244: 1,
  250: 1,
  255: 0,
};
const SLOAD = 0x54;
const SSTORE = 0x55;

export class AccessListener implements ExecutionListener {
  private readonly touched = new Map<Address, Set<Hex>>();
  /** Warm anyway: to list them costs more than it saves, unless slots of theirs are used. */
  private readonly free: Set<Address>;

  constructor(list: readonly AccessListEntry[], from: Address, to: Address | undefined) {
    this.free = new Set(to === undefined ? [from] : [from, to]);
    for (const { address, slots } of list) {
      this.touch(address);
      for (const slot of slots) this.touched.get(address)?.add(slot);
    }
  }

  readonly onStep = (frame: StepFrame, opcode: number): void => {
    const at = ACCOUNT_AT[opcode];
    if (at !== undefined) this.touchWord(frame, at);
    else if (opcode === SLOAD || opcode === SSTORE) this.touchSlot(frame);
  };

  private touchWord(frame: StepFrame, at: number): void {
    const word = wordAt(frame, at);
    if (word !== undefined) this.touch(`0x${bytesToHex(bytes32(word)).slice(26)}`);
  }

  private touchSlot(frame: StepFrame): void {
    const word = wordAt(frame, 0);
    if (word === undefined) return;
    this.touch(frame.address);
    this.touched.get(frame.address)?.add(bytesToHex(bytes32(word)));
  }

  private touch(address: Address): void {
    if (!this.touched.has(address)) this.touched.set(address, new Set());
  }

  accessList(created: Address | undefined, fork: Fork): readonly AccessListEntry[] {
    const precompiles = precompilesOf(fork);
    if (created !== undefined) this.free.add(created);
    return [...this.touched]
      .filter(([address, slots]) => !precompiles.has(address) && (slots.size > 0 || !this.free.has(address)))
      .map(([address, slots]) => ({ address, slots: [...slots] }));
  }
}

/** Before the opcode is checked: the stack may be too short for it. */
function wordAt(frame: StepFrame, at: number): bigint | undefined {
  const index = frame.sp - 1 - at;
  return index < frame.stackBase ? undefined : frame.machine.stack[index];
}
