/** What operators do: register, change what their validator says and takes, rotate its key, leave the jail. */
import { type Hex, utf8 } from "../../../base/bytes.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { isReservedAddress } from "../../../genesis/reserved-addresses.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { writeBytes } from "../storage.ts";
import { changeDelegation, refreshCandidate, selfStake } from "./delegations.ts";
import { checkNewKey, pendingKey, writeFirstKey, writeNextKey } from "./keys.ts";
import { MAX_METADATA_BYTES } from "./limits.ts";
import {
  addToTotal,
  field,
  isRegistered,
  registered,
  setField,
  standingOf,
  type Terms,
  termsOf,
  writeStanding,
  writeTerms,
} from "./validator-record.ts";

export const METADATA_SPACE = "validator metadata";

export interface Registration {
  readonly operator: Address;
  readonly publicKey: Hex;
  readonly stake: bigint;
  readonly commission: bigint;
  readonly maxCommission: bigint;
  readonly maxCommissionChange: bigint;
  readonly payout: Address;
  readonly metadata: string;
}

/** A validator whose stake lies in the module's account and whose key was proven. */
export function addValidator(call: ModuleCall, registration: Registration): void {
  const { operator, publicKey, stake, commission, maxCommission, maxCommissionChange, payout, metadata } = registration;
  writeTerms(call, operator, {
    isRegistered: 1n,
    commission,
    maxCommission,
    maxCommissionChange,
    commissionChangedAt: protocolTime(call),
  });
  setField(call, "payout", addressToWord(payout), operator);
  writeFirstKey(call, operator, publicKey);
  registered.add(call, addressToWord(operator));
  call.emit(stakingAbi, "Registered", { operator, publicKey, payout, commission });
  call.emit(stakingAbi, "CommissionBounds", { operator, maxCommission, maxCommissionChange });
  if (metadata !== "") writeMetadata(call, operator, metadata);
  changeDelegation(call, operator, operator, stake, stake);
  call.emit(stakingAbi, "Delegated", { delegator: operator, operator, amount: stake, shares: stake });
}

export function register(call: ModuleCall, registration: Omit<Registration, "operator" | "stake">, proof: Hex): void {
  const { caller: operator, value: stake } = call.message;
  const { commission, maxCommission, maxCommissionChange } = registration;
  if (isRegistered(call, operator)) throw revertWith(stakingAbi, "AlreadyValidator", [operator]);
  const { minSelfStake } = call.parameters.staking;
  if (stake < minSelfStake) throw revertWith(stakingAbi, "TooLittle", [stake, minSelfStake]);
  checkRange(maxCommission, 0n, WHOLE);
  checkRange(commission, 0n, maxCommission);
  checkRange(maxCommissionChange, 0n, maxCommission);
  checkPayout(registration.payout);
  checkMetadata(registration.metadata);
  checkNewKey(call, registration.publicKey, proof);
  addValidator(call, { ...registration, operator, stake });
}

export function setCommission(call: ModuleCall, commission: bigint): void {
  const operator = call.message.caller;
  const terms = callersTerms(call);
  const now = protocolTime(call);
  const possibleAt = terms.commissionChangedAt + call.parameters.staking.commissionChangeSeconds;
  if (now < possibleAt) throw revertWith(stakingAbi, "CommissionChangeTooEarly", [possibleAt]);
  const least = terms.commission - terms.maxCommissionChange;
  const most = terms.commission + terms.maxCommissionChange;
  checkRange(commission, least > 0n ? least : 0n, most < terms.maxCommission ? most : terms.maxCommission);
  writeTerms(call, operator, { ...terms, commission, commissionChangedAt: now });
  call.emit(stakingAbi, "CommissionChanged", { operator, commission });
}

export function setPayout(call: ModuleCall, payout: Address): void {
  const operator = call.message.caller;
  callersTerms(call);
  checkPayout(payout);
  setField(call, "payout", addressToWord(payout), operator);
  call.emit(stakingAbi, "PayoutChanged", { operator, payout });
}

export function setMetadata(call: ModuleCall, metadata: string): void {
  callersTerms(call);
  checkMetadata(metadata);
  writeMetadata(call, call.message.caller, metadata);
}

export function rotateKey(call: ModuleCall, publicKey: Hex, proof: Hex): void {
  const operator = call.message.caller;
  callersTerms(call);
  refuseTombstoned(call, operator);
  // Or somebody could take the keys that others are about to register, at no cost but gas.
  if (pendingKey(call, operator) !== undefined) throw revertWith(stakingAbi, "KeyChangePending", []);
  checkNewKey(call, publicKey, proof);
  const epoch = writeNextKey(call, operator, publicKey);
  call.emit(stakingAbi, "KeyRotated", { operator, publicKey, epoch });
}

export function unjail(call: ModuleCall): void {
  const operator = call.message.caller;
  callersTerms(call);
  refuseTombstoned(call, operator);
  const standing = standingOf(call, operator);
  if (standing.isJailed === 0n) throw revertWith(stakingAbi, "NotJailed", [operator]);
  if (protocolTime(call) < standing.jailedUntil) throw revertWith(stakingAbi, "JailedUntil", [standing.jailedUntil]);
  const { minSelfStake } = call.parameters.staking;
  const own = selfStake(call, operator);
  if (own < minSelfStake) throw revertWith(stakingAbi, "TooLittle", [own, minSelfStake]);
  writeStanding(call, operator, { ...standing, isJailed: 0n, jailedUntil: 0n });
  refreshCandidate(call, operator);
  call.emit(stakingAbi, "Unjailed", { operator });
}

export function claimCommission(call: ModuleCall): bigint {
  const operator = call.message.caller;
  callersTerms(call);
  const amount = field(call, "commission", operator);
  if (amount === 0n) throw revertWith(stakingAbi, "NothingToClaim", []);
  setField(call, "commission", 0n, operator);
  addToTotal(call, "rewards", -amount);
  const to = payoutOf(call, operator);
  call.pay(to, amount);
  call.emit(stakingAbi, "CommissionClaimed", { operator, to, amount });
  return amount;
}

export function payoutOf(call: ModuleCall, operator: Address): Address {
  return wordToAddress(field(call, "payout", operator));
}

/** Throws NotValidator unless the caller is an operator. */
function callersTerms(call: ModuleCall): Terms {
  const terms = termsOf(call, call.message.caller);
  if (terms.isRegistered === 0n) throw revertWith(stakingAbi, "NotValidator", [call.message.caller]);
  return terms;
}

function refuseTombstoned(call: ModuleCall, operator: Address): void {
  if (standingOf(call, operator).isTombstoned > 0n) throw revertWith(stakingAbi, "Tombstoned", [operator]);
}

function writeMetadata(call: ModuleCall, operator: Address, metadata: string): void {
  writeBytes(call, utf8(metadata), METADATA_SPACE, operator);
  call.emit(stakingAbi, "MetadataChanged", { operator, metadata });
}

function checkRange(commission: bigint, least: bigint, most: bigint): void {
  if (commission < least || commission > most) throw revertWith(stakingAbi, "BadCommission", [commission, least, most]);
}

/** Money at an address of the protocol would be nobody's. */
function checkPayout(payout: Address): void {
  if (isReservedAddress(payout)) throw revertWith(stakingAbi, "BadPayout", []);
}

function checkMetadata(metadata: string): void {
  const { length } = utf8(metadata);
  if (length <= MAX_METADATA_BYTES) return;
  throw revertWith(stakingAbi, "MetadataTooLong", [BigInt(length), BigInt(MAX_METADATA_BYTES)]);
}
