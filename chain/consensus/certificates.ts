/** Counting votes, forming certificates, and moving to the next view by them. */
import { certify } from "./certificate.ts";
import { offenceOf } from "./evidence.ts";
import { record, send, setTimer } from "./outbox.ts";
import { isQuorum } from "./quorum.ts";
import { type ConsensusState, type Round, roundOf } from "./state.ts";
import type { Certificate, CertificateKind, Evidence, Vote } from "./types.ts";

export function certificateOf(round: Round, kind: CertificateKind): Certificate | undefined {
  if (kind === "NOTARIZE") return round.notarization;
  return kind === "NULLIFY" ? round.nullification : round.finalization;
}

/** A vote that was checked. */
export function countVote(state: ConsensusState, vote: Vote): void {
  if (vote.epoch !== state.epoch.number) return;
  if (vote.view === state.finalView) state.finalRound?.votes.add(vote);
  if (vote.view <= state.finalView) return;
  const round = roundOf(state, vote.view);
  const { counted, evidence } = round.votes.add(vote);
  if (evidence !== undefined) accuse(state, round, evidence);
  const { kind, hash } = vote;
  if (!counted || kind === "PROPOSE" || certificateOf(round, kind) !== undefined) return;
  if (!isQuorum(round.votes.weight(kind, hash), state.epoch.set.total)) return;
  const certificate = certify(round.votes.votesFor(kind, hash), state.epoch.set, state.crypto);
  if (certificate !== undefined) acceptCertificate(state, certificate);
}

/** One accusation per validator and view is enough to slash it. */
export function accuse(state: ConsensusState, round: Round, evidence: Evidence): void {
  const offence = offenceOf(evidence.first, evidence.second);
  if (offence === undefined || round.accused.has(evidence.first.validator)) return;
  round.accused.add(evidence.first.validator);
  state.effects.push({ type: "evidence", evidence, offence });
}

/** A certificate that was formed here, or checked: persisted and broadcast the first time it is seen. */
export function acceptCertificate(state: ConsensusState, certificate: Certificate): void {
  const { kind, epoch, view, hash } = certificate;
  if (epoch !== state.epoch.number || view <= state.finalView) return;
  const round = roundOf(state, view);
  const known = certificateOf(round, kind);
  if (known !== undefined) {
    if (known.hash !== hash) alarm(state, `two ${kind} certificates in view ${view}: ${known.hash}, ${hash}`);
    return;
  }
  if (kind === "NOTARIZE") {
    round.notarization = certificate;
    round.notarizedAt = state.now;
  } else if (kind === "NULLIFY") round.nullification = certificate;
  else round.finalization = certificate;
  // A FINALIZE certificate is persisted with the commit.
  if (kind !== "FINALIZE") record(state, { type: "certificate", certificate });
  send(state, "all", { type: "certificate", certificate });
  state.progress++;
  if (view >= state.view) enterView(state, view + 1);
}

function alarm(state: ConsensusState, reason: string): void {
  state.effects.push({ type: "alarm", reason });
}

export function enterView(state: ConsensusState, view: number): void {
  state.left = state.view;
  state.view = view;
  state.enteredAt = state.now;
  state.building = undefined;
  setTimer(state, "view", undefined);
  setTimer(state, "pace", undefined);
}
