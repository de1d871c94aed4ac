/** What the executor is told about its chain: everything that differs between networks and test suites. */
import type { NativeModule } from "../modules/module.ts";
import type { Address } from "../state/account.ts";
import type { DutyRules } from "./duties.ts";

/** Ethereum's forks that the executor implements, oldest first. */
export const FORKS = ["cancun", "prague", "osaka"] as const;
export type Fork = (typeof FORKS)[number];

export interface ExecutionRules {
  readonly chainId: bigint;
  readonly fork: Fork;
  /** Whether legacy transactions without EIP-155 protection are accepted (keyless deployers need them). */
  readonly allowUnprotected: boolean;
  readonly maxTransactionBytes: number;
  /** By address. Conformance suites run with none. */
  readonly modules: ReadonlyMap<Address, NativeModule>;
  /** Whose turn it is, and what of a block is kept for them. Conformance suites have none. */
  readonly duties?: DutyRules;
}

export function isForkActive(rules: ExecutionRules, fork: Fork): boolean {
  return FORKS.indexOf(rules.fork) >= FORKS.indexOf(fork);
}
