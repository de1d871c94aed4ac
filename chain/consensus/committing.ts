/** Finality: the commit of all blocks up to a finalized one, and the start of the next epoch after a seal. */
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
        return undefined;
      }
      want(state, { type: "fetch-block", hash });
      want(state, { type: "fetch-finals", height: state.final.height });
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

function commit(state: ConsensusState, blocks: readonly Block[], certificate: Certificate): void {
  const last = blocks.at(-1);
  assert(last !== undefined, "a commit has a block");
  state.effects.push({ type: "commit", blocks, certificate });
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

export function onCommitted(state: ConsensusState, hash: string): void {
  if (hash !== state.final.hash) return;
  if (state.sealing) enterEpoch(state);
  if (state.logged > state.parameters.logLimit) compactLog(state);
}

/** The seal is durable: its validators take over, and every view of the old epoch is behind us. */
function enterEpoch(state: ConsensusState): void {
  const seal = state.final;
  assert(seal.next !== undefined, "a seal names the next validators");
  state.epoch = makeEpoch(state.epoch.number + 1, seal.next, seal, state.parameters);
  state.own = state.signer && state.epoch.set.indexOf.get(state.signer.id);
  state.finalView = 0;
  state.finalRound = undefined;
  state.guard.prune(state.epoch.number, 0);
  state.rounds.clear();
  state.blocks.clear();
  state.wanted.clear();
  state.unsigned = [];
  state.sealing = false;
  state.behind = state.lastAhead;
  state.lastAhead = undefined;
  enterView(state, 1);
}

/** All that a restart needs besides the store. Records of this step are part of the state, and so included. */
function compactLog(state: ConsensusState): void {
  const records: LogRecord[] = [];
  for (const { block, recorded } of state.blocks.values()) if (recorded) records.push({ type: "block", block });
  for (const { notarization, nullification } of state.rounds.values()) {
    if (notarization !== undefined) records.push({ type: "certificate", certificate: notarization });
    if (nullification !== undefined) records.push({ type: "certificate", certificate: nullification });
  }
  for (const vote of state.guard.votes()) records.push({ type: "vote", vote });
  state.logged = records.length;
  state.effects.push({ type: "compact", records });
}
