/** Which parent a view may build on: the rule of rule 3 and rule 4 of docs/spec/proof-of-sync.md. */
import type { Hex } from "../../base/bytes.ts";
import { want } from "./outbox.ts";
import { type Candidate, type ConsensusState, type Round, validBlock } from "./state.ts";
import type { Block } from "./types.ts";

export interface Parent {
  readonly block: Block;
  readonly view: number;
}

/**
 * The highest notarized block below the view that has executed here, with NULLIFY certificates for every view between;
 * the final block if all views since are nullified. `undefined` while a certificate or a block is missing.
 */
export function chooseParent(state: ConsensusState, view: number): Parent | undefined {
  for (let below = view - 1; below > state.finalView; below--) {
    const round = state.rounds.get(below);
    const block = round?.notarization && validBlock(state, round.notarization.hash);
    if (block !== undefined) return { block, view: below };
    if (round?.nullification !== undefined) continue;
    if (round?.notarization === undefined) wantCertificates(state, below, below);
    return undefined;
  }
  return { block: state.final, view: state.finalView };
}

/** Whether the hash that the candidate builds on (for a seal proposed again, the seal) may come before the view. */
export function isAcceptable(state: ConsensusState, view: number, candidate: Candidate): boolean {
  const hash = baseOf(view, candidate);
  for (let below = view - 1; below > state.finalView; below--) {
    const round = state.rounds.get(below);
    if (round?.notarization?.hash === hash) return !isRefusedByBug(state, round, "nullification");
    if (round?.nullification === undefined) {
      wantCertificates(state, Math.max(state.finalView + 1, Math.min(candidate.parentView, below)), below);
      return false;
    }
    if (isRefusedByBug(state, round, "notarization")) return false;
  }
  return hash === state.final.hash;
}

export function baseOf(view: number, { block }: Candidate): Hex {
  return block.view === view ? block.parent : block.hash;
}

function wantCertificates(state: ConsensusState, from: number, to: number): void {
  want(state, { type: "fetch-certificates", epoch: state.epoch.number, from, to });
}

/** The planted bug: certificates of both kinds in one view make it unusable. */
function isRefusedByBug(state: ConsensusState, round: Round, other: "notarization" | "nullification"): boolean {
  return round[other] !== undefined && state.bugs.has("reject-mixed-views");
}
