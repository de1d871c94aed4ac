/** What a verifier does, in a line for people. */
import { formatOgpu } from "../../base/units.ts";
import type { VerifierEvent } from "../../compute/agent/verifier/verifier-agent.ts";
import type { VerifierStarted } from "./run-verifier.ts";

export function verifierText(event: VerifierEvent | VerifierStarted): string {
  switch (event.event) {
    case "started":
      return `verifier ${event.account}: ${formatOgpu(event.stake)} oGPU at stake, ${drawsText(event)}`;
    case "drawn":
      return `round ${event.round}: recomputing tile ${event.tile} of launch ${event.launch}`;
    case "found":
      return `round ${event.round}: tile ${event.tile} of launch ${event.launch} is ${event.digest}`;
    case "unavailable":
      return `round ${event.round}: tile ${event.tile} of launch ${event.launch} cannot be had: ${event.reason}`;
    case "sent":
      return `round ${event.round}: ${event.action} is on the chain`;
    case "refused":
      return `round ${event.round}: the chain refuses ${event.action}: ${event.error}`;
    case "false-output":
      return `round ${event.round}: an output is not what seat ${event.seat} computed; the chain has the proof`;
    default:
      return `round ${event.round}: ${event.error}; trying again`;
  }
}

function drawsText({ units, state, jailedUntil }: VerifierStarted): string {
  if (state === "leaving") return "leaving; it answers the seats that it has, and gets no new ones";
  if (state === "paused") return "paused; it answers the seats that it has. To be drawn again: ogpu verifier resume";
  if (jailedUntil === 0n) return `${units} units in draws`;
  const until = new Date(Number(jailedUntil) * 1_000).toISOString();
  return `jailed until ${until}. To be drawn again after that: ogpu verifier unjail`;
}
