/** What tests of governance do over and over. */
import { OGPU } from "../../../../base/units.ts";
import { governanceAbi } from "../../../../vm/interfaces/abi/governance.ts";
import { treasuryAbi } from "../../../../vm/interfaces/abi/treasury.ts";
import { GOVERNANCE_ADDRESS, TREASURY_ADDRESS } from "../../../../vm/modules/addresses.ts";
import { type EconomyChain, operatorKey, type Target } from "../../support/economy-chain.ts";
import type { TestKey } from "../../support/test-chain.ts";

export const GOVERNANCE: Target<typeof governanceAbi> = { address: GOVERNANCE_ADDRESS, abi: governanceAbi };
export const TREASURY: Target<typeof treasuryAbi> = { address: TREASURY_ADDRESS, abi: treasuryAbi };

export const STATUS = {
  voting: 1,
  queued: 2,
  executed: 3,
  failed: 4,
  rejected: 5,
  noQuorum: 6,
  vetoed: 7,
  cancelled: 8,
} as const;

export const CHOICE = { yes: 1, no: 2, abstain: 3, veto: 4 } as const;

/** As the devnet's spec has them. */
export const DEPOSIT: bigint = 10n * OGPU;
export const VOTING = 60;
export const TIMELOCK = 30;

export function propose(chain: EconomyChain, names: string[], values: bigint[], key?: TestKey): bigint {
  const options = { value: DEPOSIT, ...(key && { key }) };
  return chain.send(GOVERNANCE, "proposeParameters", ["a title", "a body", names, values], options).result;
}

export function proposeText(chain: EconomyChain, key?: TestKey): bigint {
  return chain.send(GOVERNANCE, "proposeText", ["a title", "a body"], { value: DEPOSIT, ...(key && { key }) }).result;
}

/** Validators from 0 on vote, each by its entry. */
export function voteAll(chain: EconomyChain, id: bigint, choices: readonly (keyof typeof CHOICE)[]): void {
  for (const [index, choice] of choices.entries()) {
    chain.send(GOVERNANCE, "vote", [id, CHOICE[choice]], { key: operatorKey(index) });
  }
}

/** Votes are counted, then the time lock ends. */
export function finish(chain: EconomyChain): void {
  chain.pass(VOTING);
  chain.pass(TIMELOCK);
}

/** Accepts it by all validators and carries it out. */
export function accept(chain: EconomyChain, id: bigint): void {
  voteAll(chain, id, ["yes", "yes", "yes", "yes"]);
  finish(chain);
}

export function statusOf(chain: EconomyChain, id: bigint): number {
  return chain.view(GOVERNANCE, "proposal", [id]).status;
}
