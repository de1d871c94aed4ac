/** What a verifier does, in a line for people. */
import { formatOgpu } from "../../base/units.ts";
import type { VerifierEvent } from "../../compute/agent/verifier/verifier-agent.ts";
import type { VerifierStarted } from "./run-verifier.ts";

export function verifierText(event: VerifierEvent | VerifierStarted): string {
  switch (event.event) {
    case "started":
      return `verifier ${event.account}: ${formatOgpu(event.stake)} oGPU at stake, ${event.units} units in draws`;
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
