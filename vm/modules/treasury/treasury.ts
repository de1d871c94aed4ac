/**
 * The treasury module: money that only governance spends. It gets a share of the base fees at the end of each block, its
 * part of slashes from those who take them, and what anybody gives it. All that its account holds is its own.
 */
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { treasuryAbi } from "../../interfaces/abi/treasury.ts";
import type { Address } from "../../state/account.ts";
import { TREASURY_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { slotOf } from "../storage.ts";

const SPENT_SLOT: Hex = slotOf("spent");
/** What has come from base fees, as far as events have told it. */
const TOLD_SLOT: Hex = slotOf("told");

const BASE_FEES = "base fees";

/** What callers ask about is text of any length: its hash names the slot. */
function receivedSlot(source: string): Hex {
  return slotOf("received", bytesToHex(keccak256(utf8(source))));
}

/** What there is to spend. */
export function treasuryBalance(call: ModuleCall): bigint {
  return call.balance(TREASURY_ADDRESS);
}

/** Pays from the call's own account to the treasury. `source` is for people: "slash", "lost deposit". */
export function fundTreasury(call: ModuleCall, amount: bigint, source: string): void {
  if (amount === 0n) return;
  call.pay(TREASURY_ADDRESS, amount);
  recordFunding(call, call.address, amount, source);
}

/** For governance alone. Says whether there was enough; if not, nothing has happened. */
export function spendFromTreasury(call: ModuleCall, proposal: bigint, to: Address, amount: bigint): boolean {
  const own = call.in(TREASURY_ADDRESS);
  if (treasuryBalance(own) < amount) return false;
  own.pay(to, amount);
  own.write(SPENT_SLOT, own.read(SPENT_SLOT) + amount);
  own.emit(treasuryAbi, "Spent", { proposal, to, amount });
  return true;
}

/**
 * For work that the protocol itself pays for, within bounds that governance has set: to the account of the call, whose module
 * gives back by `fundTreasury` what it does not use. Says whether there was enough.
 */
export function lendFromTreasury(call: ModuleCall, amount: bigint): boolean {
  if (amount === 0n) return true;
  const own = call.in(TREASURY_ADDRESS);
  if (treasuryBalance(own) < amount) return false;
  own.pay(call.address, amount);
  own.write(SPENT_SLOT, own.read(SPENT_SLOT) + amount);
  own.emit(treasuryAbi, "Spent", { proposal: 0n, to: call.address, amount });
  return true;
}

export function createTreasuryModule(parameters: ParameterStore): NativeModule {
  return defineModule({
    name: "treasury",
    address: TREASURY_ADDRESS,
    abi: treasuryAbi,
    parameters,
    handlers: {
      balance: treasuryBalance,
      receivedFrom: (call, source) => call.read(receivedSlot(source)),
      spent: (call) => call.read(SPENT_SLOT),
      deposit: (call) => {
        const { caller, value } = call.message;
        if (value === 0n) throw revertWith(treasuryAbi, "NothingSent", []);
        recordFunding(call, caller, value, "deposit");
      },
    },
    endEpoch: tellBaseFees,
    endBlock: takeBaseFees,
  });
}

/** Each transaction has burned its base fee; the treasury's share of them all comes back at once, rounded down. */
function takeBaseFees(call: ModuleCall): void {
  const { baseFees = 0n } = call.environment;
  const amount = (baseFees * call.parameters.treasury.baseFeeShare) / WHOLE;
  if (amount === 0n) return;
  call.unburn(amount);
  const slot = receivedSlot(BASE_FEES);
  call.write(slot, call.read(slot) + amount);
}

/** Told once in an epoch: a log in every block would be as much work as the fees are worth. */
function tellBaseFees(call: ModuleCall): void {
  const received = call.read(receivedSlot(BASE_FEES));
  const amount = received - call.read(TOLD_SLOT);
  if (amount === 0n) return;
  call.write(TOLD_SLOT, received);
  call.emit(treasuryAbi, "Funded", { from: TREASURY_ADDRESS, source: BASE_FEES, amount });
}

function recordFunding(call: ModuleCall, from: Address, amount: bigint, source: string): void {
  const own = call.in(TREASURY_ADDRESS);
  const slot = receivedSlot(source);
  own.write(slot, own.read(slot) + amount);
  own.emit(treasuryAbi, "Funded", { from, source, amount });
}
