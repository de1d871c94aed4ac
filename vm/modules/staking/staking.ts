/**
 * The staking module: who may finalise blocks, with whose money, and what they earn and lose. docs/spec/staking.md has
 * its rules. What other modules need of it is in validators.ts, keys.ts, participation.ts and slash.ts.
 */

import type { GenesisValidator } from "../../../genesis/chain-spec.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { STAKING_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import type { ModuleCall } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import type { TokenParameters } from "../token/token.ts";
import { activeCount, writeActiveSet } from "./active-set.ts";
import { chooseActiveSet } from "./choose-active-set.ts";
import { claimRewards, delegate, exit, redelegate, settleRedelegation, unbond, withdraw } from "./delegate.ts";
import { operatorOfKey } from "./keys.ts";
import {
  addValidator,
  claimCommission,
  register,
  rotateKey,
  setCommission,
  setMetadata,
  setPayout,
  unjail,
} from "./operate.ts";
import { countedBlocks, countSigners, resetParticipation } from "./participation.ts";
import { rewardEpoch } from "./reward-epoch.ts";
import { registered, total } from "./validator-record.ts";
import { delegationAt, totalStakeAt, validatorStakeAt } from "./validators.ts";
import { viewActive, viewDelegation, viewLiabilities, viewUnbondings, viewValidator, viewValidators } from "./views.ts";

export interface StakingOptions {
  readonly parameters: ParameterStore;
  readonly token: TokenParameters;
  readonly validators: readonly GenesisValidator[];
  /** No validator weighs more than one part in so many. */
  readonly capDivisor: number;
}

/** The terms of validators that the chain starts with; the spec does not say any. */
const GENESIS_COMMISSION = 0n;
const GENESIS_MAX_COMMISSION: bigint = WHOLE / 5n;
const GENESIS_MAX_COMMISSION_CHANGE: bigint = WHOLE / 100n;

const NOBODY: Address = "0x0000000000000000000000000000000000000000";

export function createStakingModule({ parameters, token, validators, capDivisor }: StakingOptions): NativeModule {
  return defineModule({
    name: "staking",
    address: STAKING_ADDRESS,
    abi: stakingAbi,
    parameters,
    handlers: {
      register: (call, publicKey, proof, commission, maxCommission, maxCommissionChange, payout, metadata) => {
        const terms = { commission, maxCommission, maxCommissionChange };
        register(call, { publicKey, ...terms, payout: lower(payout), metadata }, proof);
      },
      setCommission,
      setPayout: (call, payout) => setPayout(call, lower(payout)),
      setMetadata,
      rotateKey,
      exit: (call) => {
        exit(call);
      },
      unjail,
      delegate: (call, operator) => delegate(call, lower(operator)),
      redelegate: (call, from, to, amount) => redelegate(call, lower(from), lower(to), amount),
      unbond: (call, operator, amount) => unbond(call, lower(operator), amount),
      withdraw: (call, operator) => withdraw(call, lower(operator)),
      claimRewards: (call, operator) => claimRewards(call, lower(operator)),
      claimCommission,
      settleRedelegation: (call, delegator, operator) => settleRedelegation(call, lower(delegator), lower(operator)),
      validator: (call, operator) => viewValidator(call, lower(operator)),
      validators: viewValidators,
      validatorCount: (call) => BigInt(registered.length(call)),
      activeCount: (call) => BigInt(activeCount(call)),
      activeAt: viewActive,
      countedBlocks,
      operatorOfKey: (call, publicKey) => operatorOfKey(call, publicKey) ?? NOBODY,
      delegation: (call, delegator, operator) => viewDelegation(call, lower(delegator), lower(operator)),
      unbondings: (call, delegator, operator) => viewUnbondings(call, lower(delegator), lower(operator)),
      liabilities: (call, delegator, operator) => viewLiabilities(call, lower(delegator), lower(operator)),
      totals: (call) => [total(call, "bonded"), total(call, "unbonding"), total(call, "rewards")],
      totalStakeAt,
      validatorStakeAt: (call, epoch, operator) => validatorStakeAt(call, epoch, lower(operator)),
      delegationAt: (call, epoch, operator, delegator) => delegationAt(call, epoch, lower(operator), lower(delegator)),
    },
    genesis: (call) => {
      for (const validator of validators) addGenesisValidator(call, validator);
      writeActiveSet(call, validators, capDivisor);
    },
    beginBlock: (call) => countSigners(call, token.emission),
    endEpoch: (call) => {
      rewardEpoch(call, token);
      resetParticipation(call);
      chooseActiveSet(call, capDivisor);
    },
  });
}

/** The ABI gives addresses with the checksum of EIP-55 in their letters' case. */
function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}

function addGenesisValidator(call: ModuleCall, { operator, publicKey, stake }: GenesisValidator): void {
  call.mint(stake);
  addValidator(call, {
    operator,
    publicKey,
    stake,
    commission: GENESIS_COMMISSION,
    maxCommission: GENESIS_MAX_COMMISSION,
    maxCommissionChange: GENESIS_MAX_COMMISSION_CHANGE,
    payout: operator,
    metadata: "",
  });
}
