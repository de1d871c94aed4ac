/** How rules leave their effects: sends, timers, requests and records. */
import type { Receivers, TimerName } from "./events.ts";
import { MAX_WANTED } from "./limits.ts";
import type { ConsensusState } from "./state.ts";
import type { LogRecord, Message, PeerId, Request } from "./types.ts";

/** Records of one step become durable together, at the position after the last one. */
export function record(state: ConsensusState, entry: LogRecord): void {
  state.records.push(entry);
}

export function nextPosition(state: ConsensusState): number {
  return state.records.length > 0 ? state.position + 1 : state.position;
}

/** Waits for every record so far, so that nothing is said that a crash could make us forget. */
export function send(state: ConsensusState, to: Receivers, message: Message): void {
  state.effects.push({ type: "send", to, message, after: nextPosition(state) });
}

export function setTimer(state: ConsensusState, timer: TimerName, at: number | undefined): void {
  if (state.timers.get(timer) === at) return;
  if (at === undefined) state.timers.delete(timer);
  else state.timers.set(timer, at);
  state.effects.push({ type: "timer", timer, at });
}

/** The rules are tried again at that time, if nothing else wakes them before. */
export function wakeAt(state: ConsensusState, at: number): void {
  const planned = state.timers.get("recheck");
  if (planned === undefined || at < planned) setTimer(state, "recheck", at);
}

/**
 * Asks for something that a rule lacks, once. When the fetch timer fires, the rules say again what they lack, and
 * that goes to the next peer; what nobody lacks any more is forgotten.
 */
export function want(state: ConsensusState, request: Request, hint?: PeerId): void {
  const key = wantKey(request);
  if (state.wanted.has(key) || state.wanted.size >= MAX_WANTED) return;
  const attempts = (state.retried.get(key)?.attempts ?? -1) + 1;
  state.wanted.set(key, { request, attempts });
  const peer = attempts === 0 && hint !== undefined ? hint : peerAt(state, attempts);
  if (peer !== undefined) state.effects.push({ type: "send", to: peer, message: request, after: 0 });
}

export function wantKey(request: Request): string {
  if (request.type === "fetch-block") return request.hash;
  if (request.type === "fetch-finals") return `finals ${request.height}`;
  return `certificates ${request.epoch} ${request.from} ${request.to}`;
}

/** Peers in turn, starting behind ourselves, so that not all nodes ask the same one. */
function peerAt({ epoch, own, signer }: ConsensusState, attempts: number): PeerId | undefined {
  const others = epoch.set.ids.filter((id) => id !== signer?.id);
  return others[((own ?? 0) + attempts) % Math.max(1, others.length)];
}
