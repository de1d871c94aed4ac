/**
 * Canaries: jobs that are false on purpose, so that checking pays even when nobody cheats. A validator registers the hash of
 * one before its round begins; client and worker are accounts that nobody knows to be its own, and the job runs through the
 * market as any other, so that a seat cannot tell it. Only when it was caught, or the referee was called because it was
 * not, does its client show what it was.
 *
 * The treasury pays, within a budget per epoch and once per validator. Nobody can insure a real fraud with it: the client
 * itself has to show the canary.
 */
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import { schedule } from "../agenda/schedule.ts";
import { currentEpoch, protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { activeAt } from "../staking/active-set.ts";
import { fundTreasury, lendFromTreasury } from "../treasury/treasury.ts";
import {
  canaryNumbered,
  canaryOfRound,
  markRound,
  readCanary,
  removeCanary,
  reservedIn,
  reserveIn,
  useEpoch,
  writeCanary,
} from "./canary-record.ts";
import { tellDecided } from "./decide.ts";
import { CANARY_SECONDS } from "./limits.ts";
import { changeState, readState, requireFacts } from "./round-record.ts";
import { GUILTY, PHASE, REASON } from "./round-types.ts";
import { WORK } from "./timers.ts";

/** keccak256(abi.encode(sponsor, client, worker, segmentRoot, nonce)). */
export function canaryOf(sponsor: Address, client: Address, worker: Address, segmentRoot: Hex, nonce: Hex): Hex {
  const accounts = [sponsor, client, worker].map((account) => bytes32(addressToWord(account)));
  return bytesToHex(keccak256(concatBytes(...accounts, hexToBytes(segmentRoot), hexToBytes(nonce))));
}

export function registerCanary(own: ModuleCall, position: number, canary: Hex): void {
  const sponsor = own.message.caller;
  if (activeAt(own, position)?.operator !== sponsor) throw revertWith(verificationAbi, "NotValidator", [sponsor]);
  const { canaryPrize: prize, canaryBudget } = own.parameters.verification;
  const epoch = currentEpoch(own);
  const isLeft = reservedIn(own, epoch) + prize <= canaryBudget && readCanary(own, canary) === undefined;
  if (!isLeft || !useEpoch(own, epoch, sponsor) || !lendFromTreasury(own, prize)) {
    throw revertWith(verificationAbi, "NoCanaryLeft", []);
  }
  reserveIn(own, epoch, prize);
  const number = writeCanary(own, canary, { sponsor, block: own.environment.number, prize });
  const entry = { module: VERIFICATION_ADDRESS, kind: WORK.canary, id: number };
  schedule(own, { time: protocolTime(own) + CANARY_SECONDS }, entry);
  own.emit(verificationAbi, "CanaryRegistered", { sponsor, canary, prize });
}

/** Its time is over: the prize goes back. */
export function expireCanary(own: ModuleCall, number: bigint): void {
  const word = canaryNumbered(own, number);
  if (word === 0n) return;
  const canary = bytesToHex(bytes32(word));
  const found = readCanary(own, canary);
  if (found === undefined) return;
  removeCanary(own, canary);
  fundTreasury(own, found.prize, "canary");
  own.emit(verificationAbi, "CanaryExpired", { sponsor: found.sponsor, canary });
}

/** By the client of a round that was rejected for the worker's fault. The prize is shared out when the round closes. */
export function revealCanary(own: ModuleCall, round: bigint, sponsor: Address, nonce: Hex): void {
  const facts = requireFacts(own, round);
  if (own.message.caller !== facts.client) throw revertWith(verificationAbi, "NotClient", [facts.client]);
  const { phase, isFinal, guilty } = readState(own, round);
  if (phase !== PHASE.rejected || isFinal || guilty !== GUILTY.worker) {
    throw revertWith(verificationAbi, "WrongPhase", [round, phase]);
  }
  const canary = canaryOf(sponsor, facts.client, facts.worker, facts.segmentRoot, nonce);
  const found = readCanary(own, canary);
  if (found === undefined || found.block >= facts.begun || canaryOfRound(own, round) !== undefined) {
    throw revertWith(verificationAbi, "NoCanary", []);
  }
  removeCanary(own, canary);
  markRound(own, round, found.sponsor, found.prize);
  changeState(own, round, { guilty: GUILTY.nobody, reason: REASON.canary });
  tellDecided(own, facts);
}
