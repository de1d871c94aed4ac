/** What a provider does, in a line for people. */
import type { ProviderEvent } from "../../compute/agent/provider/provider-event.ts";
import type { ProviderStarted, ProviderStopped } from "./run-provider.ts";

export function providerText(event: ProviderEvent | ProviderStarted | ProviderStopped): string {
  switch (event.kind) {
    case "started":
      return startedText(event);
    case "stopped":
      return stoppedText(event);
    case "sent":
      return `${ofJob(event.job)}${event.action} is on the chain`;
    case "refused":
      return `${ofJob(event.job)}the chain refuses ${event.action}: ${event.error}`;
    case "running":
      return `job ${event.job}: computing segment ${event.segment}`;
    case "computed":
      return `job ${event.job}: segment ${event.segment} took ${Math.round(event.milliseconds)} ms on ${event.device}`;
    case "accused":
      return accusedText(event);
    case "declined":
      return `${event.what}: declined, ${event.reason}`;
    default:
      return `${ofJob(event.job)}[${event.code}] ${event.message}`;
  }
}

function accusedText({ job, launch, tile, isRight }: Extract<ProviderEvent, { kind: "accused" }>): string {
  const about = `job ${job}: verifiers do not believe tile ${tile} of launch ${launch}`;
  if (isRight) return `${about}, and the reference finds it right: the referee is called`;
  return `${about}, and the reference finds other bits too: stop and look at the device`;
}

function startedText({ account, endpoint, device, tier, state }: ProviderStarted): string {
  const place = `provider ${account} at ${endpoint}`;
  if (state === "leaving") {
    return `${place}: leaving; it serves what it still owes and takes no new work (ogpu provider status)`;
  }
  const about = `${place}: ${device}, tier ${tier}`;
  return state === "active" ? about : `${about}; paused, so it gets no new work until: ogpu provider resume`;
}

function stoppedText({ paused, problem, jobs }: ProviderStopped): string {
  const stands =
    paused === undefined
      ? "stopped"
      : paused
        ? "stopped, and paused on the chain: it gets no new work until it is started again"
        : "stopped, and not paused on the chain: it may get work that it will be late with, which costs collateral";
  const owed = jobs.length === 0 ? [] : [`It still answers for job ${jobs.join(", ")}: start it again soon.`];
  return [stands, ...(problem === undefined ? [] : [`It could not pause: ${problem}`]), ...owed].join("\n");
}

function ofJob(job: bigint | undefined): string {
  return job === undefined ? "" : `job ${job}: `;
}
