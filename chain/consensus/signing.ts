/** From the decision to vote to the vote: guard, log, fsync, signature, count, broadcast, in this order. */

import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { NO_HASH, type VoteContent, type VoteKind, voteMessage } from "../../base/votes.ts";
import { countVotes } from "./certificates.ts";
import { record, send } from "./outbox.ts";
import { type ConsensusState, roundOf } from "./state.ts";
import type { Message, Proposal, Vote } from "./types.ts";

export function maySign(state: ConsensusState, kind: VoteKind, view: number, hash: Hex = NO_HASH): boolean {
  if (state.own === undefined || state.sealing) return false;
  return state.guard.allows({ kind, epoch: state.epoch.number, view, hash });
}

/** Records the vote; it is signed when the log is durable. */
export function sign(state: ConsensusState, kind: VoteKind, view: number, hash: Hex = NO_HASH): void {
  assert(maySign(state, kind, view, hash), "a vote is signed only if the guard allows it");
  const vote: VoteContent = { kind, epoch: state.epoch.number, view, hash };
  state.guard.record(vote);
  if (kind === "PROPOSE" || kind === "NOTARIZE") recordBlock(state, hash);
  record(state, { type: "vote", vote });
  state.unsigned.push({ position: state.position + 1, vote });
}

function recordBlock(state: ConsensusState, hash: Hex): void {
  const entry = state.blocks.get(hash);
  assert(entry !== undefined, "a block is held before it is voted for");
  if (entry.recorded || state.bugs.has("lose-notarized-bodies")) return;
  entry.recorded = true;
  record(state, { type: "block", block: entry.block });
}

export function onSynced(state: ConsensusState, position: number): void {
  const durable = state.unsigned.filter((waiting) => waiting.position <= position);
  state.unsigned = state.unsigned.filter((waiting) => waiting.position > position);
  for (const { vote } of durable) signDurable(state, vote, (message) => send(state, "all", message));
}

/** What the log held is durable by definition. After many views it is too much to send: what is resent goes out instead. */
export function signRestored(state: ConsensusState): void {
  const { unsigned } = state;
  state.unsigned = [];
  for (const { vote } of unsigned) signDurable(state, vote, () => undefined);
}

function signDurable(state: ConsensusState, content: VoteContent, say: (message: Message) => void): void {
  const { signer, own, epoch, finalView } = state;
  if (signer === undefined || own === undefined) return;
  if (content.epoch !== epoch.number || content.view <= finalView) return;
  const signature = signer.sign(voteMessage(state.parameters.chainId, content));
  const vote: Vote = { ...content, validator: own, signature };
  if (vote.kind === "PROPOSE") {
    const proposal = signProposal(state, vote);
    if (proposal !== undefined) say({ type: "proposal", proposal });
    return;
  }
  roundOf(state, vote.view).ownVotes.push(vote);
  say({ type: "vote", vote });
  countVotes(state, [vote], vote.signature);
}

function signProposal(state: ConsensusState, vote: Vote): Proposal | undefined {
  const round = roundOf(state, vote.view);
  const { candidate } = round;
  if (candidate?.block.hash !== vote.hash) return undefined;
  round.ownProposal = { vote, ...candidate };
  round.votes.add([vote], vote.signature);
  return round.ownProposal;
}
