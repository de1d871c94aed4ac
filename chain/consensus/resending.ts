/** What a node says again when nothing moves: loss, crashes and partitions are repaired by nothing else. */
import { MAX_CERTIFICATES_SENT } from "./limits.ts";
import { send, setTimer } from "./outbox.ts";
import { certificatesAbove } from "./receiving.ts";
import { isDue } from "./rules.ts";
import type { ConsensusState } from "./state.ts";

/** On a chain that rests, with nothing to repair, only every so many turns, for those that missed the last block. */
const QUIET_TURNS = 16;

export function onResendTimer(state: ConsensusState): void {
  const moved = state.progress !== state.progressAtResend;
  state.progressAtResend = state.progress;
  state.quietResends = moved || isRestless(state) ? 0 : state.quietResends + 1;
  if (!moved && state.quietResends % QUIET_TURNS === 0) resend(state);
  setTimer(state, "resend", state.now + state.parameters.resendInterval);
}

function isRestless(state: ConsensusState): boolean {
  if (isDue(state) || state.wanted.size > 0) return true;
  for (const { ownVotes } of state.rounds.values()) if (ownVotes.length > 0) return true;
  return false;
}

function resend(state: ConsensusState): void {
  const { finalCertificate, rounds, view } = state;
  if (finalCertificate !== undefined) send(state, "all", { type: "certificate", certificate: finalCertificate });
  const certificates = certificatesAbove(state, state.finalView + 1, Number.POSITIVE_INFINITY);
  for (const certificate of certificates.slice(-MAX_CERTIFICATES_SENT)) {
    send(state, "all", { type: "certificate", certificate });
  }
  const proposal = rounds.get(view)?.ownProposal;
  if (proposal !== undefined) send(state, "all", { type: "proposal", proposal });
  for (const { ownVotes } of rounds.values()) for (const vote of ownVotes) send(state, "all", { type: "vote", vote });
}
