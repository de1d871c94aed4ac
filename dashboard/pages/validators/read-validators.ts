/** Validators as staking and the running epoch know them. */
import type { Hex } from "viem";
import { type Quantity, readQuantities } from "../../state/json.ts";
import { ask, node } from "../../state/node.ts";

interface ValidatorJson {
  readonly isCandidate: boolean;
  readonly isTombstoned: boolean;
  readonly publicKey: Hex;
  readonly payout: Hex;
  readonly stake: Quantity;
  readonly selfStake: Quantity;
  readonly commission: Quantity;
  readonly maxCommission: Quantity;
  readonly commissionDue: Quantity;
  readonly rewardsHeld: Quantity;
  readonly jailedUntil: Quantity;
  readonly metadata: string;
}

const AMOUNTS = [
  "stake",
  "selfStake",
  "commission",
  "maxCommission",
  "commissionDue",
  "rewardsHeld",
  "jailedUntil",
] as const;

export interface Validator extends ReturnType<typeof readValidator> {
  /** In the running epoch; `undefined` for one that does not sign. */
  readonly index: number | undefined;
  readonly weight: bigint;
}

function readValidator({ operator, validator }: { readonly operator: Hex; readonly validator: ValidatorJson }) {
  return { operator, ...readQuantities(validator, AMOUNTS) };
}

export interface ValidatorList {
  readonly validators: readonly Validator[];
  readonly totalWeight: bigint;
}

const PAGE = 100;

/** Those with most stake first. */
export async function readValidators(): Promise<ValidatorList> {
  const [{ validators }, epoch] = await Promise.all([
    ask<{ validators: Parameters<typeof readValidator>[0][] }>("ogpu_getStakingValidators", 0, PAGE),
    node.getEpochValidators(),
  ]);
  const byKey = new Map(epoch.validators.map((active) => [active.publicKey.toLowerCase(), active]));
  const list = validators.map(readValidator).map((validator) => {
    const active = byKey.get(validator.publicKey.toLowerCase());
    return { ...validator, index: active?.index, weight: active?.weight ?? 0n };
  });
  return {
    validators: list.sort((a, b) =>
      a.stake === b.stake ? (a.index ?? PAGE) - (b.index ?? PAGE) : a.stake > b.stake ? -1 : 1,
    ),
    totalWeight: epoch.totalWeight,
  };
}

export interface Position {
  readonly operator: Hex;
  readonly amount: bigint;
  readonly rewards: bigint;
  readonly unbonding: readonly { readonly amount: bigint; readonly dueAt: bigint }[];
}

interface PositionJson {
  readonly operator: Hex;
  readonly amount: Quantity;
  readonly rewards: Quantity;
  readonly unbonding: readonly { readonly amount: Quantity; readonly dueAt: Quantity }[];
}

export async function readPositions(account: Hex): Promise<readonly Position[]> {
  const positions = await ask<readonly PositionJson[]>("ogpu_getDelegations", account);
  return positions.map(({ unbonding, ...position }) => ({
    ...readQuantities(position, ["amount", "rewards"]),
    unbonding: unbonding.map((part) => readQuantities(part, ["amount", "dueAt"])),
  }));
}
