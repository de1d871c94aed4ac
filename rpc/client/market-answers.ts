/** Jobs as programs want them: what the market's views answer, with names for its numbers. */
import type { ContractFunctionReturnType } from "viem";
import type { OgpuModules } from "./modules.ts";

export type MarketJob = ContractFunctionReturnType<OgpuModules["market"]["abi"], "view", "jobOf">;
export type MarketReceipt = ContractFunctionReturnType<OgpuModules["market"]["abi"], "view", "receiptOf">;
export type MarketSource = ContractFunctionReturnType<OgpuModules["market"]["abi"], "view", "sourceOf">;
export type ProgramSummary = ContractFunctionReturnType<OgpuModules["programs"]["abi"], "view", "summaryOf">;

/** By their numbers. */
export const JOB_STATUSES = [
  "none",
  "open",
  "revealing",
  "assigned",
  "committed",
  "accepted",
  "settled",
  "rejected",
  "cancelled",
  "expired",
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** By their numbers: whose turn it is. */
export const JOB_ACTORS = ["nobody", "client", "worker", "bidders", "verifiers", "protocol"] as const;
export type JobActor = (typeof JOB_ACTORS)[number];

/** Nothing happens to such a job any more. */
export function isOver(status: number): boolean {
  return status >= JOB_STATUSES.indexOf("settled");
}

export function statusName(status: number): JobStatus {
  return JOB_STATUSES[status] ?? "none";
}

export function actorName(actor: number): JobActor {
  return JOB_ACTORS[actor] ?? "nobody";
}
