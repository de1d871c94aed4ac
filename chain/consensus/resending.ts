/** What a node says again when nothing moves: loss, crashes and partitions are repaired by nothing else. */
import { certificateOf } from "./certificates.ts";
import { MAX_CERTIFICATES_SENT, MAX_VOTES_RESENT } from "./limits.ts";
import { send, setTimer } from "./outbox.ts";
import { certificatesAbove } from "./receiving.ts";
import { isDue } from "./rules.ts";
import type { ConsensusState, Round } from "./state.ts";
import type { Vote } from "./types.ts";

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

export function resend(state: ConsensusState): void {
  const { finalCertificate, rounds, view } = state;
  if (finalCertificate !== undefined) send(state, "all", { type: "certificate", certificate: finalCertificate });
  const certificates = certificatesAbove(state, state.finalView + 1, Number.POSITIVE_INFINITY);
  for (const certificate of certificates.slice(-MAX_CERTIFICATES_SENT)) {
    send(state, "all", { type: "certificate", certificate });
  }
  const proposal = rounds.get(view)?.ownProposal;
  if (proposal !== undefined) send(state, "all", { type: "proposal", proposal });
  for (const vote of votesToResend(state)) send(state, "all", { type: "vote", vote });
}

/**
 * Of the own votes those that may still be missing, and of these the newest: after thousands of views without a final
 * block all of them, every second, would be more than peers take from anybody. A vote that has its certificate here says
 * nothing more than that does. And of old views no vote is missing: somebody honest has a certificate of each view below
 * the current one, or nobody would have come so far, and gives it to whoever asks. The newest certificate takes those who
 * are behind to where the newest votes count. FINALIZE votes count for themselves: NULLIFYs of later views must not take
 * their places. The newest are enough, for the next good view makes its own block final, and all below it.
 */
function votesToResend({ rounds }: ConsensusState): Vote[] {
  const ascending = [...rounds.values()].sort((a, b) => a.view - b.view);
  const missing = ascending.flatMap((round) => round.ownVotes.filter((vote) => !isCertified(round, vote)));
  const finalizing = missing.filter(({ kind }) => kind === "FINALIZE");
  const others = missing.filter(({ kind }) => kind !== "FINALIZE");
  return [...others.slice(-MAX_VOTES_RESENT), ...finalizing.slice(-MAX_VOTES_RESENT)];
}

function isCertified(round: Round, { kind, hash }: Vote): boolean {
  return kind !== "PROPOSE" && certificateOf(round, kind)?.hash === hash;
}
