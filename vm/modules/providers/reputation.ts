/** What settled jobs say of a provider. Only the market writes it, through `recordSettlement`. */

import { providersAbi } from "../../interfaces/abi/providers.ts";
import type { Address } from "../../state/account.ts";
import { PROVIDERS_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { recordSpace } from "../storage.ts";

export type SettlementOutcome = "accepted" | "rejected" | "late";

export interface Settlement {
  readonly outcome: SettlementOutcome;
  /** Of work that was verified. */
  readonly computeUnits: bigint;
  /** How long that work took. */
  readonly busySeconds: bigint;
  /** Paid to the provider for it, in wei. */
  readonly earned: bigint;
}

const FIGURES = [
  "accepted",
  "rejected",
  "late",
  "computeUnits",
  "busySeconds",
  "earned",
  "lost",
  "lastSettled",
] as const;
const reputations = recordSpace("reputation", FIGURES);

export type Reputation = Readonly<Record<(typeof FIGURES)[number], bigint>>;

const OUTCOME_NUMBERS: Readonly<Record<SettlementOutcome, number>> = { accepted: 1, rejected: 2, late: 3 };

export function reputationOf(call: ModuleCall, provider: Address): Reputation {
  const own = call.in(PROVIDERS_ADDRESS);
  const figures = FIGURES.map((field) => [field, reputations.get(own, field, provider)] as const);
  return Object.fromEntries(figures) as Reputation;
}

/** For the market, once for each settled job. */
export function recordSettlement(call: ModuleCall, provider: Address, settlement: Settlement): void {
  const own = call.in(PROVIDERS_ADDRESS);
  const { outcome, computeUnits, busySeconds, earned } = settlement;
  reputations.add(own, outcome, 1n, provider);
  if (computeUnits > 0n) reputations.add(own, "computeUnits", computeUnits, provider);
  if (busySeconds > 0n) reputations.add(own, "busySeconds", busySeconds, provider);
  if (earned > 0n) reputations.add(own, "earned", earned, provider);
  reputations.set(own, "lastSettled", protocolTime(own), provider);
  own.emit(providersAbi, "Settled", { provider, outcome: OUTCOME_NUMBERS[outcome], computeUnits, busySeconds, earned });
}

/** Collateral that the provider has lost. */
export function recordLoss(own: ModuleCall, provider: Address, amount: bigint): void {
  reputations.add(own, "lost", amount, provider);
}
