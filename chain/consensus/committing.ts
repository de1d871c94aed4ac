/** Finality: the commit of all blocks up to a finalized one, and the start of the next epoch after a seal. */
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { pruneBlocks } from "./blocks.ts";
import { enterView } from "./certificates.ts";
import { setTimer, want } from "./outbox.ts";
import { type ConsensusState, isSeal, makeEpoch, type Round } from "./state.ts";
import type { Block, Certificate, LogRecord } from "./types.ts";

export function commitRule(state: ConsensusState): void {
  if (state.sealing) return;
  const finalized = [...state.rounds.values()].filter((round) => round.finalization !== undefined);
  finalized.sort((a, b) => b.view - a.view);
  for (const round of finalized) {
    const blocks = chainTo(state, round);
    if (blocks !== undefined) {
      commit(state, blocks, round.finalization as Certificate);
      return;
    }
  }
}

/** The blocks after the final one up to the finalized one, or `undefined` while one is missing or executing. */
function chainTo(state: ConsensusState, round: Round): Block[] | undefined {
  const blocks: Block[] = [];
  let hash = (round.finalization as Certificate).hash;
  while (hash !== state.final.hash) {
    const entry = state.blocks.get(hash);
    if (entry === undefined) {
      const child = blocks.at(-1);
      if (child !== undefined && child.height <= state.final.height + 1) {
        state.effects.push({ type: "alarm", reason: `final block ${round.finalization?.hash} is on another branch` });
      }
      return undefined;
    }
    if (entry.status !== "valid") {
      if (entry.status === "invalid") state.effects.push({ type: "alarm", reason: `final block ${hash} is invalid` });
      return undefined;
    }
    blocks.push(entry.block);
    hash = entry.block.parent;
  }
  return blocks.reverse();
}

/**
 * Asks for final blocks, if one is missing to the next that a certificate names, or if somebody is ahead. Not while all of
 * them are here and only have to be executed: or else every one that is committed would be a reason to ask, and each
 * answer has dozens.
 */
export function fetchFinals(state: ConsensusState): void {
  const next = nextFinal(state);
  const missing = next && missingBelow(state, next);
  if (missing !== undefined) want(state, { type: "fetch-block", hash: missing });
  const isAsked = next === undefined ? state.behind !== undefined : missing !== undefined;
  if (isAsked) want(state, { type: "fetch-finals", height: state.final.height }, state.behind);
}

/** Whether blocks that are known to be final are here and only have to be executed. */
export function hasFinals(state: ConsensusState): boolean {
  const next = nextFinal(state);
  return next !== undefined && missingBelow(state, next) === undefined;
}

/** The lowest block above the final one that a certificate makes final. */
function nextFinal({ rounds }: ConsensusState): Hex | undefined {
  let next: Certificate | undefined;
  for (const { finalization } of rounds.values()) {
    if (finalization !== undefined && (next === undefined || finalization.view < next.view)) next = finalization;
  }
  return next?.hash;
}

/** The first block that is not here on the way from that one down to the final one. */
function missingBelow(state: ConsensusState, from: Hex): Hex | undefined {
  for (let hash = from; hash !== state.final.hash; ) {
    const block = state.blocks.get(hash)?.block;
    if (block === undefined) return hash;
    // On another branch: an alarm says so, and there is nothing to ask for.
    if (block.height <= state.final.height + 1 && block.parent !== state.final.hash) return undefined;
    hash = block.parent;
  }
  return undefined;
}

function commit(state: ConsensusState, blocks: readonly Block[], certificate: Certificate): void {
  const last = blocks.at(-1);
  assert(last !== undefined, "a commit has a block");
  state.effects.push({ type: "commit", blocks, certificate });
  const isEnded = (view: number): boolean => view <= certificate.view;
  state.committing.push({ hash: last.hash, records: recordsOf(state, isEnded) });
  state.final = last;
  state.finalView = certificate.view;
  state.finalCertificate = certificate;
  state.finalRound = state.rounds.get(certificate.view);
  state.finalAt = state.now;
  state.heartbeatDue = false;
  state.progress++;
  state.guard.prune(state.epoch.number, certificate.view);
  for (const view of state.rounds.keys()) if (view <= certificate.view) state.rounds.delete(view);
  pruneBlocks(state);
  state.wanted.clear();
  if (state.view <= certificate.view) enterView(state, certificate.view + 1);
  state.sealing = isSeal(state, last);
  if (state.sealing) setTimer(state, "view", undefined);
}

/** Commits become durable in order. The disk may be behind for long: the log must not grow until it has caught up. */
export function onCommitted(state: ConsensusState, hash: Hex): void {
  const place = state.committing.findIndex((commit) => commit.hash === hash);
  if (place < 0) return;
  state.committing.splice(0, place + 1);
  if (state.sealing && hash === state.final.hash) enterEpoch(state);
}

/** The seal is durable: its validators take over, and every view of the old epoch is behind us. */
function enterEpoch(state: ConsensusState): void {
  const seal = state.final;
  assert(seal.next !== undefined, "a seal names the next validators");
  state.epoch = makeEpoch(state.epoch.number + 1, seal.next, seal);
  state.own = state.signer && state.epoch.set.indexOf.get(state.signer.id);
  state.finalView = 0;
  state.finalRound = undefined;
  state.guard.prune(state.epoch.number, 0);
  state.rounds.clear();
  state.blocks.clear();
  state.wanted.clear();
  state.unsigned = [];
  state.sealing = false;
  state.behind = state.lastAhead ?? state.behind;
  state.lastAhead = undefined;
  enterView(state, 1);
}

/**
 * Leaves in a long log what a restart needs besides the store. At the end of a step: it takes the place of everything that
 * was written, and that is also what the rules have recorded in the same step.
 */
export function compactLog(state: ConsensusState): void {
  // By doubling: where much has to be kept, rewriting it after every commit would take longer than all else.
  if (state.logged <= Math.max(state.parameters.logLimit, 2 * state.loggedAtRewrite)) return;
  const records = [...state.committing.flatMap((commit) => commit.records), ...recordsOf(state, () => true)];
  state.logged = records.length;
  state.loggedAtRewrite = records.length;
  state.effects.push({ type: "compact", records });
}

/** Of these views, what the log must hold until they are durably final. */
function recordsOf({ blocks, rounds, guard }: ConsensusState, isOf: (view: number) => boolean): LogRecord[] {
  const records: LogRecord[] = [];
  for (const { block, recorded } of blocks.values()) {
    if (recorded && isOf(block.view)) records.push({ type: "block", block });
  }
  for (const { view, notarization, nullification } of rounds.values()) {
    if (!isOf(view)) continue;
    if (notarization !== undefined) records.push({ type: "certificate", certificate: notarization });
    if (nullification !== undefined) records.push({ type: "certificate", certificate: nullification });
  }
  for (const vote of guard.votes()) if (isOf(vote.view)) records.push({ type: "vote", vote });
  return records;
}
