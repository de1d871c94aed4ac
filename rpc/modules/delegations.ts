/** Everything that an account has with validators. */
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../vm/modules/addresses.ts";
import { MAX_PAGE } from "../../vm/modules/page.ts";
import { hasPosition } from "../../vm/modules/staking/validators.ts";
import type { Address } from "../../vm/state/account.ts";
import type { RpcContext } from "../method.ts";
import type { ModuleViews } from "./module-views.ts";

export interface Position {
  readonly operator: Address;
  readonly shares: bigint;
  readonly amount: bigint;
  readonly rewards: bigint;
  readonly unbonding: readonly { readonly amount: bigint; readonly dueAt: bigint }[];
}

/**
 * The module keeps no list of an account's delegations, so all who ever registered are looked at: by slots, which takes a
 * twentieth of what their views take, and the views only of those with whom the account has something.
 */
export async function positionsOf(
  { turn }: RpcContext,
  views: ModuleViews,
  account: Address,
): Promise<readonly Position[]> {
  const found: Position[] = [];
  const reading = views.reading(STAKING_ADDRESS);
  const count = views.read(STAKING_ADDRESS, stakingAbi, "validatorCount", []);
  for (let start = 0n; start < count; start += MAX_PAGE) {
    for (const each of views.read(STAKING_ADDRESS, stakingAbi, "validators", [start, MAX_PAGE])) {
      await turn();
      const operator = each.toLowerCase() as Address;
      if (hasPosition(reading, operator, account)) found.push(positionWith(views, account, operator));
    }
  }
  return found;
}

function positionWith(views: ModuleViews, account: Address, operator: Address): Position {
  const { shares, amount, rewards } = views.read(STAKING_ADDRESS, stakingAbi, "delegation", [account, operator]);
  const unbonding = views.read(STAKING_ADDRESS, stakingAbi, "unbondings", [account, operator]);
  return {
    operator,
    shares,
    amount,
    rewards,
    unbonding: unbonding.map(({ amount: left, dueAt }) => ({ amount: left, dueAt })),
  };
}

export function sumOf<Item>(items: readonly Item[], amount: (item: Item) => bigint): bigint {
  return items.reduce((sum, item) => sum + amount(item), 0n);
}
