/** What a provider does, in a line for people. */
import type { ProviderEvent } from "../../compute/agent/provider/provider-event.ts";
import type { ProviderStarted } from "./run-provider.ts";

export function providerText(event: ProviderEvent | ProviderStarted): string {
  switch (event.kind) {
    case "started":
      return `provider ${event.account} at ${event.endpoint}: ${event.device}, tier ${event.tier}`;
    case "sent":
      return `${ofJob(event.job)}${event.action} is on the chain`;
    case "refused":
      return `${ofJob(event.job)}the chain refuses ${event.action}: ${event.error}`;
    case "running":
      return `job ${event.job}: computing segment ${event.segment}`;
    case "computed":
      return `job ${event.job}: segment ${event.segment} took ${Math.round(event.milliseconds)} ms on ${event.device}`;
    case "declined":
      return `${event.what}: declined, ${event.reason}`;
    default:
      return `${ofJob(event.job)}[${event.code}] ${event.message}`;
  }
}

function ofJob(job: bigint | undefined): string {
  return job === undefined ? "" : `job ${job}: `;
}
