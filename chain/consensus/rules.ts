/** The rules that are tried after every event: commit, notarize, finalize, give up, propose, timers. */

import { NO_HASH, revealMessage } from "../../base/votes.ts";
import { chooseParent, isAcceptable } from "./ancestry.ts";
import { addBlock, addExecutedBlock, fetchParents } from "./blocks.ts";
import { certify, indicesOf } from "./certificate.ts";
import { commitRule, fetchFinals } from "./committing.ts";
import { setTimer, wakeAt, want } from "./outbox.ts";
import { viewTimeout } from "./parameters.ts";
import { isMoreThanThird } from "./quorum.ts";
import { maySign, sign } from "./signing.ts";
import { type ConsensusState, isSeal, isSoon, type Round, roundOf, validBlock } from "./state.ts";
import type { Block, Certificate } from "./types.ts";
import { weightOf } from "./validator-set.ts";

export function applyRules(state: ConsensusState): void {
  commitRule(state);
  if (state.sealing) return;
  fetchFinals(state);
  for (const round of state.rounds.values()) {
    notarizeRule(state, round);
    finalizeRule(state, round);
  }
  giveUpRule(state);
  proposeRule(state);
  fetchParents(state);
  timerRule(state);
}

function notarizeRule(state: ConsensusState, round: Round): void {
  const { candidate, view } = round;
  if (candidate === undefined || state.guard.slot(view).notarize !== undefined) return;
  if (isSoon(state, view)) addBlock(state, candidate.block);
  const entry = state.blocks.get(candidate.block.hash);
  if (entry?.status === "invalid") round.timedOut = true;
  // On a branch that died; or its view is not near, and what leads there is asked for.
  if (entry === undefined && isSoon(state, view)) return;
  if (!isAcceptable(state, view, candidate)) return;
  if (entry?.status !== "valid" || isTooEarly(state, view, candidate.block)) return;
  if (maySign(state, "NOTARIZE", view, candidate.block.hash)) sign(state, "NOTARIZE", view, candidate.block.hash);
}

/** Waits, and is not rejected: a block from a clock ahead of ours, and one with content too far above our final one. */
function isTooEarly(state: ConsensusState, view: number, block: Block): boolean {
  const { maxSkew, maxUnfinal } = state.parameters;
  // A seal proposed again: a quorum has found its time right, and no other block can take its place.
  const isAgain = block.view < view;
  // No block can be older than its parent: one of the same time is as early as can be.
  const isFirstMoment = block.time === validBlock(state, block.parent)?.time;
  if (block.time > state.now + maxSkew && !isFirstMoment && !isAgain) {
    wakeAt(state, block.time - maxSkew);
    return true;
  }
  return !block.empty && block.height > state.final.height + maxUnfinal;
}

function finalizeRule(state: ConsensusState, { view, notarization }: Round): void {
  if (notarization === undefined) return;
  const { hash } = notarization;
  const entry = state.blocks.get(hash);
  if (entry === undefined) want(state, { type: "fetch-block", hash });
  if (entry?.status !== "valid" || !maySign(state, "FINALIZE", view, hash)) return;
  if (state.bugs.has("finalize-in-view-only") && state.left !== view) return;
  if (maySign(state, "NOTARIZE", view, hash)) sign(state, "NOTARIZE", view, hash);
  sign(state, "FINALIZE", view, hash);
}

function giveUpRule(state: ConsensusState): void {
  const round = roundOf(state, state.view);
  const leaderGaveUp = round.votes.vote("NULLIFY", round.leader) !== undefined;
  if ((round.timedOut || leaderGaveUp) && maySign(state, "NULLIFY", state.view)) sign(state, "NULLIFY", state.view);
}

function proposeRule(state: ConsensusState): void {
  const { view, parameters } = state;
  const round = roundOf(state, view);
  if (state.own !== round.leader || state.guard.slot(view).nullify !== undefined || round.timedOut) return;
  // Asked before building: below the signing floor a block that may not be proposed would be built again and again.
  if (!maySign(state, "PROPOSE", view)) return;
  if (state.building === view || !isDue(state)) return;
  const parent = chooseParent(state, view);
  if (parent === undefined) return;
  if (isSeal(state, parent.block)) {
    proposeBlock(state, parent.block, parent.view);
    return;
  }
  // A clock that was set back must not stop the chain until it is there again.
  const earliest = Math.min(parent.block.time, state.enteredAt) + parameters.blockInterval;
  if (state.now < earliest) {
    setTimer(state, "pace", earliest);
    return;
  }
  build(state, parent.block);
}

function build(state: ConsensusState, parent: Block): void {
  const { view, signer, own, epoch, parameters } = state;
  if (signer === undefined || own === undefined) return;
  state.building = view;
  state.effects.push({
    type: "build",
    epoch: epoch.number,
    view,
    parent,
    time: Math.max(parent.time, state.now),
    emptyOnly: parent.height + 1 > state.final.height + parameters.maxUnfinal,
    proposer: own,
    reveal: signer.sign(revealMessage(parameters.chainId, epoch.number, view)),
    parentCertificate: parent.hash === epoch.root.hash ? undefined : fullestCertificate(state, parent),
  });
}

/**
 * With the votes that came after the quorum: the leader is paid per signer, and signers are paid by what is here. By
 * weight, not by number: of a certificate that came from others we may have many light votes, and no quorum.
 */
function fullestCertificate(state: ConsensusState, parent: Block): Certificate | undefined {
  const isFinal = parent.hash === state.final.hash;
  const round = isFinal ? state.finalRound : state.rounds.get(parent.view);
  const certificate = isFinal ? state.finalCertificate : round?.notarization;
  if (certificate === undefined || round === undefined) return certificate;
  const { kind, hash, signers } = certificate;
  const { set } = state.epoch;
  const weight = weightOf(set, indicesOf(signers, set.ids.length) ?? []);
  if (round.votes.weight(kind, hash) <= weight) return certificate;
  return certify(round.votes.sumsOf(kind, hash), set, state.crypto);
}

/** The application's answer; late ones, for a view that was left, are dropped. */
export function onBuilt(state: ConsensusState, epoch: number, view: number, block: Block): void {
  if (epoch !== state.epoch.number || view !== state.view || state.building !== view) return;
  state.building = undefined;
  if (!maySign(state, "PROPOSE", view, block.hash) || roundOf(state, view).timedOut) return;
  const parent = chooseParent(state, view);
  if (parent?.block.hash !== block.parent) return;
  addExecutedBlock(state, block);
  proposeBlock(state, block, parent.view);
}

function proposeBlock(state: ConsensusState, block: Block, parentView: number): void {
  const round = roundOf(state, state.view);
  if (round.candidate !== undefined || !maySign(state, "PROPOSE", state.view, block.hash)) return;
  round.candidate = { block, parentView };
  sign(state, "PROPOSE", state.view, block.hash);
  notarizeRule(state, round);
}

export function isDue(state: ConsensusState): boolean {
  return state.work || state.heartbeatDue || unfinalDueAt(state) <= state.now;
}

/**
 * When a notarized block that is not final makes another one due. Not at once: where finality takes longer than the
 * block interval, an idle chain would never come to rest.
 */
function unfinalDueAt({ rounds, finalView, parameters }: ConsensusState): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { view, notarization, notarizedAt } of rounds.values()) {
    if (notarization === undefined) continue;
    earliest = Math.min(earliest, notarizedAt + viewTimeout(parameters, view - finalView));
  }
  return earliest;
}

function timerRule(state: ConsensusState): void {
  const { view, finalView, parameters, now } = state;
  const round = roundOf(state, view);
  const othersGiveUp = isMoreThanThird(round.votes.weight("NULLIFY", NO_HASH), state.epoch.set.total);
  const running = state.timers.has("view");
  if (round.timedOut || !(othersGiveUp || isDue(state))) setTimer(state, "view", undefined);
  else if (!running) setTimer(state, "view", now + viewTimeout(parameters, view - finalView));
  const unfinalDue = unfinalDueAt(state);
  if (unfinalDue > now && unfinalDue < Number.POSITIVE_INFINITY) wakeAt(state, unfinalDue);
  if (!state.heartbeatDue) setTimer(state, "heartbeat", state.finalAt + parameters.heartbeat);
  if (!state.timers.has("resend")) setTimer(state, "resend", now + parameters.resendInterval);
  if (state.wanted.size > 0 && !state.timers.has("fetch")) setTimer(state, "fetch", now + parameters.fetchInterval);
}
