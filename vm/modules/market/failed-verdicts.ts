/** Verdicts that met a bug of ours. They are kept and tried again, or the job that waits for one would wait for good. */
import { addressToWord, wordToAddress } from "../address-word.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { RETRY_SECONDS } from "../agenda/limits.ts";
import { schedule } from "../agenda/schedule.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { recordSpace } from "../storage.ts";
import type { DecidedRound } from "../verification/round-types.ts";
import { AGENDA_KIND } from "./numbers.ts";

/** By job: the last that failed. A later one says more. */
const records = recordSpace("failed verdict", ["word"]);
const verdictWord = packedWord({ round: 64, accepted: 1, final: 1, traps: 1, guilty: 8, reason: 16, catcher: 160 });
const GUILTY_NAMES = ["none", "worker", "program"] as const;

export function keepFailedVerdict(call: ModuleCall, decided: DecidedRound): void {
  const { job, round, accepted, final, programTrapped, guilty, reason, catcher } = decided;
  const word = verdictWord.pack({
    round,
    accepted: accepted ? 1n : 0n,
    final: final ? 1n : 0n,
    traps: programTrapped ? 1n : 0n,
    guilty: BigInt(GUILTY_NAMES.indexOf(guilty)),
    reason: BigInt(reason),
    catcher: catcher === undefined ? 0n : addressToWord(catcher),
  });
  records.set(call, "word", word, job);
  const entry = { module: MARKET_ADDRESS, kind: AGENDA_KIND.verdict, id: job };
  schedule(call, { time: protocolTime(call) + RETRY_SECONDS }, entry);
}

/** `undefined` if none of the job's has failed. */
export function takeFailedVerdict(call: ModuleCall, job: bigint): DecidedRound | undefined {
  const word = records.get(call, "word", job);
  if (word === 0n) return undefined;
  records.set(call, "word", 0n, job);
  const { round, accepted, final, traps, guilty, reason, catcher } = verdictWord.unpack(word);
  return {
    round,
    job,
    accepted: accepted === 1n,
    final: final === 1n,
    reason: Number(reason),
    programTrapped: traps === 1n,
    guilty: GUILTY_NAMES[Number(guilty)] ?? "none",
    catcher: catcher === 0n ? undefined : wordToAddress(catcher),
  };
}
