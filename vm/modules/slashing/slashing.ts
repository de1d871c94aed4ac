/**
 * The slashing module: judges evidence of offences against the rules of consensus, and absences. Stake itself is kept
 * by the staking module, which does what is decided here.
 */
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import type { Offence } from "../../../base/votes.ts";
import { slashingAbi } from "../../interfaces/abi/slashing.ts";
import type { Address } from "../../state/account.ts";
import { SLASHING_ADDRESS } from "../addresses.ts";
import { currentEpoch, epochStart, protocolTime } from "../clock/clock.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { activeAt, activeCount } from "../staking/active-set.ts";
import { operatorOfKey } from "../staking/keys.ts";
import { countedBlocks, signedBlocks } from "../staking/participation.ts";
import { jail, slashValidator, tombstone } from "../staking/slash.ts";
import { ownAtStake, validatorStatus } from "../staking/validators.ts";
import { type Attendance, chooseAbsentees } from "./absence.ts";
import { distributeSlash } from "./distribute-slash.ts";
import { type Accusation, offenceIn, readAccusation, verifySignatures } from "./evidence.ts";
import { isHandled, recordSlash, slashCount, slashesFrom } from "./history.ts";
import { OFFENCE_NUMBERS } from "./offence-numbers.ts";

export interface SlashingOptions {
  readonly parameters: ParameterStore;
  /** Part of what validators sign. */
  readonly chainId: bigint;
  /** As consensus weighs them: no validator weighs more than one part in so many. */
  readonly capDivisor: number;
}

/** Evidence that holds. */
interface Proven {
  readonly operator: Address;
  readonly offence: Offence;
  readonly epoch: bigint;
  readonly viewNumber: bigint;
  readonly digest: Hex;
}

const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const NO_DIGEST: Hex = `0x${"00".repeat(32)}`;

export function createSlashingModule({ parameters, chainId, capDivisor }: SlashingOptions): NativeModule {
  return defineModule({
    name: "slashing",
    address: SLASHING_ADDRESS,
    abi: slashingAbi,
    parameters,
    handlers: {
      submitEvidence: (call, publicKey, first, second) =>
        punish(call, prove(call, chainId, readAccusation(publicKey, first, second))),
      checkEvidence: (call, publicKey, first, second) => {
        const { operator, offence, epoch, viewNumber, digest } = prove(
          call,
          chainId,
          readAccusation(publicKey, first, second),
        );
        return [operator, OFFENCE_NUMBERS[offence], epoch, viewNumber, digest];
      },
      digestOf: (_call, publicKey, first, second) => readAccusation(publicKey, first, second).digest,
      isHandled: (call, digest) => isHandled(call, digest),
      slashCount: (call) => slashCount(call),
      slashAt: (call, start, limit) => slashesFrom(call, start, limit),
    },
    endEpoch: (call) => punishAbsence(call, capDivisor),
  });
}

/** What costs little is asked first: the signatures are checked when everything else holds. */
function prove(call: ModuleCall, chainId: bigint, accusation: Accusation): Proven {
  const offence = offenceIn(accusation);
  const [{ epoch, view }] = accusation.votes;
  const { digest } = accusation;
  const publicKey = bytesToHex(accusation.publicKey);
  const operator = operatorOfKey(call, publicKey);
  if (operator === undefined) throw revertWith(slashingAbi, "NotValidator", [publicKey]);
  if (isHandled(call, digest)) throw revertWith(slashingAbi, "EvidenceHandled", [digest]);
  if (validatorStatus(call, operator) === "tombstoned") {
    throw revertWith(slashingAbi, "AlreadyTombstoned", [operator]);
  }
  refuseIfOutside(call, BigInt(epoch));
  verifySignatures(call, chainId, accusation);
  return { operator, offence, epoch: BigInt(epoch), viewNumber: BigInt(view), digest };
}

/** An offence of an epoch can be shown while it runs, and for the evidence window after its end. */
function refuseIfOutside(call: ModuleCall, epoch: bigint): void {
  const current = currentEpoch(call);
  if (epoch > current) throw revertWith(slashingAbi, "EpochNotBegun", [epoch, current]);
  if (epoch === current) return;
  const until = epochStart(call, epoch + 1n) + call.parameters.slashing.evidenceWindowSeconds;
  if (protocolTime(call) > until) throw revertWith(slashingAbi, "EvidenceExpired", [epoch, until]);
}

/**
 * All stake that counted for the offender when it offended pays: what is bonded now, and what has begun to leave since
 * that epoch began. What left before had no part in it.
 */
function punish(call: ModuleCall, proven: Proven): readonly [bigint, bigint] {
  const { operator, offence, epoch, viewNumber, digest } = proven;
  const { doubleSignShare } = call.parameters.slashing;
  const reporter = call.message.caller;
  const own = ownAtStake(call, operator);
  const amount = slashValidator(call, operator, doubleSignShare, epochStart(call, epoch), true);
  tombstone(call, operator);
  const ownLoss = own - ownAtStake(call, operator);
  const reward = distributeSlash(call, amount, { reporter, ownLoss });
  record(call, { operator, offence, epoch, viewNumber, amount, reporter, digest });
  const event = { operator, reporter, offence: OFFENCE_NUMBERS[offence], epoch, viewNumber, amount, digest };
  call.emit(slashingAbi, "Slashed", event);
  return [amount, reward];
}

/** Runs before staking chooses the next set and forgets who signed. */
function punishAbsence(call: ModuleCall, capDivisor: number): void {
  const { minCountedBlocks, minSignedShare } = call.parameters.slashing;
  const counted = countedBlocks(call);
  if (counted < minCountedBlocks) return;
  const { jailed, spared } = chooseAbsentees(attendance(call), counted, minSignedShare, capDivisor);
  const epoch = currentEpoch(call);
  for (const one of jailed) punishAbsentee(call, one, epoch, counted);
  for (const { operator, signed } of spared) {
    call.emit(slashingAbi, "Spared", { operator, epoch, signedBlocks: signed, countedBlocks: counted });
  }
}

function attendance(call: ModuleCall): readonly Attendance[] {
  return Array.from({ length: activeCount(call) }, (_, index): Attendance[] => {
    const validator = activeAt(call, index);
    if (validator === undefined) return [];
    const { operator, stake } = validator;
    const status = validatorStatus(call, operator);
    const isPunished = status === "jailed" || status === "tombstoned";
    const isLeaving = status !== "candidate";
    return [{ operator, stake, signed: signedBlocks(call, index), isLeaving, isPunished }];
  }).flat();
}

function punishAbsentee(call: ModuleCall, { operator, signed }: Attendance, epoch: bigint, counted: bigint): void {
  const { downtimeShare, jailSeconds } = call.parameters.slashing;
  const jailedUntil = protocolTime(call) + jailSeconds;
  const amount = slashValidator(call, operator, downtimeShare, epochStart(call, epoch), false);
  jail(call, operator, jailedUntil);
  distributeSlash(call, amount, undefined);
  record(call, { operator, offence: "downtime", epoch, viewNumber: 0n, amount, reporter: NOBODY, digest: NO_DIGEST });
  const blocks = { signedBlocks: signed, countedBlocks: counted };
  call.emit(slashingAbi, "Absent", { operator, epoch, ...blocks, amount, jailedUntil });
}

interface Penalty extends Omit<Proven, "offence"> {
  readonly offence: Offence | "downtime";
  readonly amount: bigint;
  readonly reporter: Address;
}

function record(call: ModuleCall, { offence, ...penalty }: Penalty): void {
  const when = { blockNumber: call.environment.number, time: protocolTime(call) };
  recordSlash(call, { ...penalty, ...when, offence: OFFENCE_NUMBERS[offence] });
}
