/** Where a slash goes. Apart from the module, because staking uses it too. */
import { WHOLE } from "../../../genesis/economy.ts";
import { slashingAbi } from "../../interfaces/abi/slashing.ts";
import type { Address } from "../../state/account.ts";
import { SLASHING_ADDRESS, STAKING_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { fundTreasury } from "../treasury/treasury.ts";

const NOBODY: Address = "0x0000000000000000000000000000000000000000";

/** Who has shown an offence, and what the offender itself has lost by that. */
export interface Report {
  readonly reporter: Address;
  readonly ownLoss: bigint;
}

/**
 * `amount` lies in the staking account and belongs to nobody any more: the reporter's share to the reporter if there is
 * one, the treasury's share to the treasury, both rounded down, and the rest is burned. Gives what the reporter got: at
 * most half of the offender's own loss, or whoever others trust with twenty times its own stake could offend, report
 * itself, and be paid with their money.
 */
export function distributeSlash(call: ModuleCall, amount: bigint, report: Report | undefined): bigint {
  if (amount === 0n) return 0n;
  const { reporterShare, treasuryShare } = call.parameters.slashing;
  const share = (amount * reporterShare) / WHOLE;
  const most = (report?.ownLoss ?? 0n) / 2n;
  const reward = share < most ? share : most;
  const toTreasury = (amount * treasuryShare) / WHOLE;
  const burned = amount - reward - toTreasury;
  const staking = call.in(STAKING_ADDRESS);
  if (report !== undefined && reward > 0n) staking.pay(report.reporter, reward);
  fundTreasury(staking, toTreasury, "slash");
  if (burned > 0n) staking.burn(burned);
  call
    .in(SLASHING_ADDRESS)
    .emit(slashingAbi, "Distributed", { reporter: report?.reporter ?? NOBODY, reward, toTreasury, burned });
  return reward;
}
