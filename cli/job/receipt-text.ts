/** Jobs and receipts, for people. */
import type { Hex } from "../../base/bytes.ts";
import { formatOgpu } from "../../base/units.ts";
import { reasonText } from "../../rpc/client/job-reasons.ts";
import { actorName, type MarketJob, type MarketReceipt, statusName } from "../../rpc/client/market-answers.ts";
import { factTable } from "../table.ts";

const NOBODY = /^0x0*$/;

function who(account: Hex): string {
  return NOBODY.test(account) ? "nobody" : account;
}

function percent(millionths: bigint): string {
  return `${Number(millionths) / 10_000} %`;
}

function ogpu(wei: bigint): string {
  return `${formatOgpu(wei)} oGPU`;
}

/** One line: where a job is, and who acts next. */
export function jobLine(job: MarketJob, time: bigint): string {
  const { status, reason, actor, by, segments, segment, racers } = job;
  const part = segments > 1 ? `, segment ${segment + 1} of ${segments}` : "";
  const racing = racers.length > 0 && status === 3 ? `, ${racers.length} in the race` : "";
  const left = by > time ? `, ${by - time} s left` : "";
  const next = actor === 0 ? "" : ` (next: ${actorName(actor)}${left})`;
  return `${statusName(status)}${part}${racing}: ${reasonText(reason)}${next}`;
}

export function receiptText(receipt: MarketReceipt): string {
  const { seats, assurance, stakeAtRisk, refereeable, paid, burned, treasury, verification, minted, refunded } =
    receipt;
  const chance = { corrupt: receipt.corruptibleShare, pass: receipt.passChance };
  const isAccepted = receipt.status === 6 && !NOBODY.test(receipt.worker);
  const checked: readonly (readonly [string, string])[] = isAccepted
    ? [
        [
          "checked by",
          `${seats} seats, ${assurance === 0 ? "spot check" : "vote"}${refereeable ? ", referee ready" : ""}`,
        ],
        ["stake at risk", ogpu(stakeAtRisk)],
        [
          "a cheat",
          `who falsified ${percent(chance.corrupt)} would have passed with a chance of ${percent(chance.pass)}`,
        ],
      ]
    : [];
  return factTable([
    ["job", String(receipt.job)],
    ["status", `${statusName(receipt.status)}: ${reasonText(receipt.reason)}`],
    ["worker", who(receipt.worker)],
    ...checked,
    ["paid", ogpu(paid)],
    ["of which", `${ogpu(burned)} burned, ${ogpu(treasury)} to the treasury, ${ogpu(minted)} minted for the worker`],
    ["verification", ogpu(verification)],
    ["refunded", ogpu(refunded)],
    ["took", `${receipt.ended > receipt.created ? receipt.ended - receipt.created : 0n} s`],
  ]);
}
