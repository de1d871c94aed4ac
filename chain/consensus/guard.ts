/**
 * The double-sign guard: what this validator has signed in every view above the final one, and so what it may still
 * sign. It only decides; writing it down before signing is the log's part.
 */

import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { NO_HASH, type VoteContent } from "../../base/votes.ts";
import type { PlantedBug } from "./planted-bugs.ts";

interface Slot {
  propose?: Hex;
  notarize?: Hex;
  nullify?: true;
  finalize?: Hex;
}

/** For moving a validator to another machine. Whoever imports it refuses all that the exporter could have signed. */
export interface GuardExport {
  readonly epoch: number;
  readonly finalView: number;
  readonly votes: readonly VoteContent[];
}

/** Views at or below it, and those of earlier epochs, may hold votes that nobody remembers. */
export interface SignFloor {
  readonly epoch: number;
  readonly view: number;
}

export interface GuardOptions {
  readonly bugs?: ReadonlySet<PlantedBug>;
  readonly floor?: SignFloor;
}

export class Guard {
  #epoch: number;
  #finalView: number;
  readonly #slots = new Map<number, Slot>();
  readonly #bugs: ReadonlySet<PlantedBug>;
  readonly #floor: SignFloor;

  constructor(epoch: number, finalView: number, { bugs = new Set(), floor }: GuardOptions = {}) {
    this.#epoch = epoch;
    this.#finalView = finalView;
    this.#bugs = bugs;
    this.#floor = floor === undefined || bugs.has("sign-below-floor") ? { epoch: 0, view: 0 } : floor;
  }

  slot(view: number): Readonly<Slot> {
    return this.#slots.get(view) ?? {};
  }

  /** Whether the vote may be signed for the first time. A vote that was signed before is not allowed again here. */
  allows({ kind, epoch, view, hash }: VoteContent): boolean {
    if (epoch !== this.#epoch || view <= this.#finalView) return false;
    if (epoch < this.#floor.epoch || (epoch === this.#floor.epoch && view <= this.#floor.view)) return false;
    const { propose, notarize, nullify, finalize } = this.slot(view);
    if (kind === "PROPOSE") return propose === undefined;
    if (kind === "NOTARIZE") return notarize === undefined && (finalize === undefined || finalize === hash);
    if (kind === "NULLIFY") return nullify === undefined && finalize === undefined;
    const gaveUp = nullify !== undefined && !this.#bugs.has("finalize-after-timeout");
    return finalize === undefined && !gaveUp && (notarize === undefined || notarize === hash);
  }

  /** Remembers a vote that is allowed, or that the log says was signed. */
  record({ kind, epoch, view, hash }: VoteContent): void {
    assert(epoch === this.#epoch, "votes are recorded in the current epoch");
    if (view <= this.#finalView) return;
    const slot = this.#slots.get(view) ?? {};
    this.#slots.set(view, slot);
    if (kind === "PROPOSE") slot.propose = hash;
    else if (kind === "NOTARIZE") slot.notarize = hash;
    else if (kind === "NULLIFY") slot.nullify = true;
    else slot.finalize = hash;
  }

  /** All views at or below become unsignable; in a new epoch all views of the old one. */
  prune(epoch: number, finalView: number): void {
    assert(epoch > this.#epoch || (epoch === this.#epoch && finalView >= this.#finalView), "finality goes forward");
    for (const view of this.#slots.keys()) if (epoch > this.#epoch || view <= finalView) this.#slots.delete(view);
    this.#epoch = epoch;
    this.#finalView = finalView;
  }

  /** Everything signed above the final view, by view, in the order in which one view's votes are signed. */
  votes(): VoteContent[] {
    const views = [...this.#slots].sort(([a], [b]) => a - b);
    return views.flatMap(([view, slot]) => votesOf(this.#epoch, view, slot));
  }
}

function votesOf(epoch: number, view: number, { propose, notarize, nullify, finalize }: Slot): VoteContent[] {
  const votes: VoteContent[] = [];
  if (propose !== undefined) votes.push({ kind: "PROPOSE", epoch, view, hash: propose });
  if (nullify !== undefined) votes.push({ kind: "NULLIFY", epoch, view, hash: NO_HASH });
  if (notarize !== undefined) votes.push({ kind: "NOTARIZE", epoch, view, hash: notarize });
  if (finalize !== undefined) votes.push({ kind: "FINALIZE", epoch, view, hash: finalize });
  return votes;
}
