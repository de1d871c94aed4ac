/**
 * The core: `step(state, now, event)` gives the effects of an event. Synchronous, and the same events at the same
 * times give the same effects. The rules are in docs/spec/proof-of-sync.md.
 */
import { onExecuted } from "./blocks.ts";
import { countVotes } from "./certificates.ts";
import { compactLog, hasFinals, onCommitted } from "./committing.ts";
import type { Effect, Event, TimerName } from "./events.ts";
import { send } from "./outbox.ts";
import { onMessage } from "./receiving.ts";
import { onResendTimer, resend } from "./resending.ts";
import { applyRules, onBuilt } from "./rules.ts";
import { onSynced, signRestored } from "./signing.ts";
import { type ConsensusState, roundOf } from "./state.ts";
import type { PeerId } from "./types.ts";

/** `now` is the local clock in milliseconds. */
export function step(state: ConsensusState, now: number, event: Event): readonly Effect[] {
  state.now = now;
  state.left = undefined;
  // The clock was set back: what is measured from there would not come for a long time.
  state.enteredAt = Math.min(state.enteredAt, now);
  handle(state, event);
  applyRules(state);
  if (event.type === "committed") compactLog(state);
  state.retried = new Map();
  return takeEffects(state);
}

function handle(state: ConsensusState, event: Event): void {
  switch (event.type) {
    case "start":
      // A chain that rested for longer than the heartbeat makes a block at once.
      state.finalAt = Math.min(state.now, state.final.time);
      state.enteredAt = state.now;
      signRestored(state);
      resend(state);
      return;
    case "message":
      onMessage(state, event.from, event.message);
      return;
    case "votes":
      countVotes(state, event.votes, event.sum);
      return;
    case "ahead":
      state.behind = event.from;
      state.lastAhead = event.from;
      return;
    case "lagging":
      onLagging(state, event.from, event.view);
      return;
    case "timer":
      onTimer(state, event.timer);
      return;
    case "synced":
      onSynced(state, event.position);
      return;
    case "committed":
      onCommitted(state, event.hash);
      return;
    case "executed":
      onExecuted(state, event.hash, event.valid);
      return;
    case "built":
      onBuilt(state, event.epoch, event.view, event.block);
      return;
    case "work":
      state.work = event.waiting;
  }
}

/** Whoever lacks a certificate gets it, and with it the view that it is in next. */
function onLagging(state: ConsensusState, from: PeerId, view: number | undefined): void {
  const certificate = view === undefined ? state.finalCertificate : state.rounds.get(view)?.notarization;
  if (certificate !== undefined) send(state, from, { type: "certificate", certificate });
}

function onTimer(state: ConsensusState, timer: TimerName): void {
  state.timers.delete(timer);
  if (timer === "view") roundOf(state, state.view).timedOut = true;
  else if (timer === "resend") onResendTimer(state);
  else if (timer === "heartbeat") state.heartbeatDue = true;
  else if (timer === "fetch") retryFetches(state);
  // "pace" and "recheck" only wake the rules.
}

/** The rules run after this and say what they still lack. */
function retryFetches(state: ConsensusState): void {
  state.retried = state.wanted;
  state.wanted = new Map();
  // Asked again only if somebody is still heard from a later epoch, for the claim cannot be checked; or if it has answered.
  if (!hasFinals(state)) state.behind = undefined;
}

/** One write to the log for all records of the step, before anything else. */
function takeEffects(state: ConsensusState): readonly Effect[] {
  const { records, effects } = state;
  state.effects = [];
  if (records.length === 0) return effects;
  state.records = [];
  state.position++;
  state.logged += records.length;
  return [{ type: "persist", records, position: state.position }, ...effects];
}
