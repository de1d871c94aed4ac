/** Counting votes, forming certificates, and moving to the next view by them. */
import { offenceOf } from "../../base/votes.ts";
import { certify } from "./certificate.ts";
import { record, send, setTimer } from "./outbox.ts";
import { isQuorum } from "./quorum.ts";
import { type ConsensusState, type Round, roundOf } from "./state.ts";
import type { Certificate, CertificateKind, Evidence, Vote } from "./types.ts";

export function certificateOf(round: Round, kind: CertificateKind): Certificate | undefined {
  if (kind === "NOTARIZE") return round.notarization;
  return kind === "NULLIFY" ? round.nullification : round.finalization;
}

/** Votes of one kind, view and hash that were checked, and the sum of their signatures. */
export function countVotes(state: ConsensusState, votes: readonly Vote[], sum: Uint8Array): void {
  const [first] = votes;
  if (first === undefined || first.epoch !== state.epoch.number) return;
  const { kind, view, hash } = first;
  if (view === state.finalView) state.finalRound?.votes.add(votes, sum);
  if (view <= state.finalView) return;
  const round = roundOf(state, view);
  const { counted, evidence } = round.votes.add(votes, sum);
  for (const pair of evidence) accuse(state, round, pair);
  if (counted === 0 || kind === "PROPOSE" || certificateOf(round, kind) !== undefined) return;
  if (!isQuorum(round.votes.weight(kind, hash), state.epoch.set.total)) return;
  const certificate = certify(round.votes.sumsOf(kind, hash), state.epoch.set, state.crypto);
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
  // Nearly all others have made it themselves of the same votes.
  send(state, "some", { type: "certificate", certificate });
  exposeLeader(state, round, certificate);
  state.progress++;
  if (view >= state.view) enterView(state, view + 1);
}

/**
 * A leader that proposed two blocks has shown one to each of us. When its view comes to nothing, or to another block,
 * all say to some which one they were shown: whoever was shown the other one has the evidence.
 */
function exposeLeader(state: ConsensusState, { leader, votes }: Round, { kind, hash }: Certificate): void {
  const vote = votes.vote("PROPOSE", leader);
  if (vote === undefined || leader === state.own) return;
  if (kind === "NULLIFY" || (kind === "NOTARIZE" && vote.hash !== hash)) send(state, "some", { type: "vote", vote });
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
