/** A core after a restart: what the store and the log hold, and nothing else. */
import type { VoteContent } from "../../base/votes.ts";
import { addBlock } from "./blocks.ts";
import { certificateOf } from "./certificates.ts";
import type { SignFloor } from "./guard.ts";
import { type ConsensusState, type CoreOptions, type FinalBase, initialState, roundOf } from "./state.ts";
import type { Certificate, LogRecord } from "./types.ts";

/** `step` with a start event follows: it signs and counts the own votes again, and sends them. */
export function restore(options: CoreOptions, base: FinalBase, log: readonly LogRecord[]): ConsensusState {
  const state = initialState({ ...options, floor: floorOf(options.floor, base, log) }, base);
  if (base.certificate !== undefined) restoreFinality(state, base.certificate);
  for (const entry of log) restoreRecord(state, entry);
  state.logged = log.length;
  for (const view of state.rounds.keys()) restoreCandidate(state, view);
  return state;
}

/**
 * Above the votes of epochs after the base's: the store was lost or set back, and the guard, which is that of one epoch,
 * will not know them when their epoch comes again.
 */
function floorOf(floor: SignFloor = { epoch: 0, view: 0 }, { epoch }: FinalBase, log: readonly LogRecord[]): SignFloor {
  let highest = floor;
  for (const entry of log) {
    if (entry.type !== "vote" || entry.vote.epoch <= epoch.number) continue;
    const { vote } = entry;
    const isHigher = vote.epoch > highest.epoch || (vote.epoch === highest.epoch && vote.view > highest.view);
    if (isHigher) highest = { epoch: vote.epoch, view: vote.view };
  }
  return highest;
}

function restoreRecord(state: ConsensusState, entry: LogRecord): void {
  if (entry.type === "block") {
    addBlock(state, entry.block);
    const held = state.blocks.get(entry.block.hash);
    if (held !== undefined) held.recorded = true;
  } else if (entry.type === "certificate") restoreCertificate(state, entry.certificate);
  else restoreVote(state, entry.vote);
}

function restoreCertificate(state: ConsensusState, certificate: Certificate): void {
  const { kind, epoch, view } = certificate;
  if (epoch !== state.epoch.number || view <= state.finalView) return;
  const round = roundOf(state, view);
  if (certificateOf(round, kind) !== undefined) return;
  if (kind === "NOTARIZE") round.notarization = certificate;
  else if (kind === "NULLIFY") round.nullification = certificate;
  else round.finalization = certificate;
  state.view = Math.max(state.view, view + 1);
}

/** The certificate of a block above the final one: the rest of its commit is still to come. */
function restoreFinality(state: ConsensusState, certificate: Certificate): void {
  const { epoch, view } = certificate;
  if (epoch !== state.epoch.number || view <= state.finalView) return;
  roundOf(state, view).finalization = certificate;
  state.view = Math.max(state.view, view + 1);
}

/** A view is entered before anything is signed in it, even if the certificate that led there was lost. */
function restoreVote(state: ConsensusState, vote: VoteContent): void {
  if (state.own === undefined || vote.epoch !== state.epoch.number || vote.view <= state.finalView) return;
  state.guard.record(vote);
  roundOf(state, vote.view);
  state.view = Math.max(state.view, vote.view);
  if (vote.kind === "NULLIFY" && state.bugs.has("forget-own-nullify")) return;
  state.unsigned.push({ position: 0, vote });
}

/** The own proposal can be sent again, since its block is in the log. */
function restoreCandidate(state: ConsensusState, view: number): void {
  const hash = state.guard.slot(view).propose;
  const block = hash === undefined ? undefined : state.blocks.get(hash)?.block;
  if (block === undefined) return;
  const base = block.view === view ? block.parent : block.hash;
  const notarized = [...state.rounds.values()].filter((round) => round.notarization?.hash === base);
  const parentView = Math.max(state.finalView, ...notarized.map((round) => round.view).filter((below) => below < view));
  roundOf(state, view).candidate = { block, parentView };
}
