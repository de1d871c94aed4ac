/**
 * What a verifier does, decided without doing it: rounds, findings and answers of the chain come in, effects go out. The
 * state of a round decides, not the way it came there, so a round may be looked at any number of times, and a verifier
 * that starts again goes on where it stopped as long as it has its records.
 */
import type { Hex } from "../../../base/bytes.ts";
import type { ChainAction, RoundView, SeatView } from "../ports.ts";
import { MAX_ROUNDS, OUTPUT_TRIES, REFEREE_TRIES } from "./limits.ts";

/** Which tile of a round. */
export interface Place {
  readonly launch: number;
  readonly tile: number;
}

/** What seals hide. On disk before a seal is sent: without it the seal cannot be opened, which costs as silence does. */
export interface SealRecord extends Place {
  readonly round: bigint;
  /** A seat of the first check, or a vote on a disputed tile. */
  readonly kind: "seat" | "vote";
  readonly seat: number;
  readonly digest: Hex;
  readonly nonce: Hex;
}

export type Finding =
  /** What the reference engine makes of the tile. */
  | { readonly kind: "found"; readonly digest: Hex }
  /** The worker, or the client, does not give what it is computed from. */
  | { readonly kind: "unavailable" };

export type VerifierEffect =
  /** Answered by `found`. */
  | { readonly kind: "recompute"; readonly round: RoundView; readonly place: Place }
  /** The records are kept first, then the action is sent. Answered by `sent`. */
  | {
      readonly kind: "send";
      readonly round: bigint;
      readonly action: ChainAction;
      readonly records: readonly SealRecord[];
    }
  /** Challenges the tile and stages what it reads. Answered by `sent`. */
  | { readonly kind: "challenge"; readonly round: RoundView; readonly place: Place }
  /** Holds the outputs to a tile that this verifier found right. Answered by `onOutputsUnknown` if that cannot be done. */
  | { readonly kind: "checkOutputs"; readonly round: RoundView; readonly seat: SeatView }
  /** The round is over: its records and what was fetched for it can go. */
  | { readonly kind: "forget"; readonly round: bigint };

export interface VerifierSettings {
  /** In lower case. */
  readonly account: Hex;
  /** What a seat says that could not get its inputs. */
  readonly unavailable: Hex;
  /** 32 bytes that nobody can guess. */
  newNonce(): Hex;
  /** What is sealed. */
  sealOf(record: SealRecord): Hex;
  /** Whether calling the referee for this tile is possible, and worth it. */
  mayChallenge(round: RoundView, place: Place): boolean;
}

interface RoundMemory {
  readonly findings: Map<string, Finding>;
  readonly computing: Set<string>;
  readonly records: Map<string, SealRecord>;
  /** One transaction of a kind at a time. */
  readonly sending: Map<string, string>;
  /** What the chain has refused, with the duties that it was for: sent again only when those have changed. */
  readonly refused: Map<string, string>;
  /** Tiles that could not be had at first and were tried once more. */
  readonly retried: Set<string>;
  readonly challenged: Set<string>;
  readonly refereeTries: Map<string, number>;
  /** Seats by which the outputs are, or were, checked, and how often that could not be done. */
  readonly outputs: Set<number>;
  readonly outputTries: Map<number, number>;
}

const NOTHING: readonly VerifierEffect[] = [];

function placeKey({ launch, tile }: Place): string {
  return `${launch}/${tile}`;
}

function recordKey(kind: SealRecord["kind"], seat: number, place: Place): string {
  return `${kind} ${seat} ${placeKey(place)}`;
}

/** Seats that somebody has in a phase. */
interface Duty extends Place {
  readonly seat: number;
  readonly sealed: boolean;
  readonly revealed: boolean;
}

export class VerifierState {
  readonly #settings: VerifierSettings;
  readonly #rounds = new Map<bigint, RoundMemory>();

  /** `records` are those of the journal. */
  constructor(settings: VerifierSettings, records: readonly SealRecord[] = []) {
    this.#settings = settings;
    for (const record of records) {
      const { records: known } = this.#memory(record.round);
      known.set(recordKey(record.kind, record.seat, record), record);
    }
  }

  /** Rounds that are not over. */
  get rounds(): readonly bigint[] {
    return [...this.#rounds.keys()];
  }

  get records(): readonly SealRecord[] {
    return [...this.#rounds.values()].flatMap(({ records }) => [...records.values()]);
  }

  /** A round as it is now. */
  onRound(round: RoundView): readonly VerifierEffect[] {
    if (round.isFinal) return this.#rounds.delete(round.id) ? [{ kind: "forget", round: round.id }] : NOTHING;
    const seats = round.seats.filter(({ verifier }) => verifier === this.#settings.account);
    const votes = votesOf(round);
    if (seats.length === 0 && votes.length === 0 && !this.#rounds.has(round.id)) return NOTHING;
    switch (round.phase) {
      case "sealing":
        return this.#seal(round, "seat", seats);
      case "revealing":
        return this.#reveal(round, "seat", seats);
      case "voting":
        return this.#seal(round, "vote", votes);
      case "counting":
        return this.#reveal(round, "vote", votes);
      case "opening":
        return NOTHING;
      default:
        return [...this.#challenge(round), ...this.#checkOutputs(round, seats)];
    }
  }

  /** What came of recomputing a tile. Look at the round again afterwards. */
  onFound(round: bigint, place: Place, finding: Finding): void {
    const memory = this.#rounds.get(round);
    if (memory === undefined) return;
    memory.computing.delete(placeKey(place));
    memory.findings.set(placeKey(place), finding);
  }

  /** Recomputing broke off through a fault of this machine: it is begun again. */
  onBrokenOff(round: bigint, place: Place): void {
    this.#rounds.get(round)?.computing.delete(placeKey(place));
  }

  /**
   * A `send` or `challenge` is over, with success or refused, or nobody can tell: a `challenge` that failed was broken off.
   * Look at the round again afterwards.
   */
  onSent(effect: Extract<VerifierEffect, { kind: "send" | "challenge" }>, hasFailed: boolean): void {
    const id = effect.kind === "send" ? effect.round : effect.round.id;
    const memory = this.#rounds.get(id);
    if (memory === undefined) return;
    const name = effect.kind === "send" ? effect.action.kind : `challenge ${placeKey(effect.place)}`;
    const duties = memory.sending.get(name);
    memory.sending.delete(name);
    if (effect.kind === "challenge") {
      // Its bond is lost unless it is brought to its end.
      const tries = (memory.refereeTries.get(name) ?? 0) + 1;
      memory.refereeTries.set(name, tries);
      if (!hasFailed || tries >= REFEREE_TRIES) memory.challenged.add(placeKey(effect.place));
    } else if (hasFailed && duties !== undefined) memory.refused.set(name, duties);
  }

  #memory(round: bigint): RoundMemory {
    const known = this.#rounds.get(round);
    if (known !== undefined) return known;
    const [oldest] = this.#rounds.keys();
    if (oldest !== undefined && this.#rounds.size >= MAX_ROUNDS) this.#rounds.delete(oldest);
    const memory: RoundMemory = {
      ...{ findings: new Map(), computing: new Set(), records: new Map() },
      ...{
        sending: new Map(),
        refused: new Map(),
        retried: new Set(),
        challenged: new Set(),
        refereeTries: new Map(),
        outputs: new Set(),
        outputTries: new Map(),
      },
    };
    this.#rounds.set(round, memory);
    return memory;
  }

  /** Seals what is found, and begins to find the rest. */
  #seal(round: RoundView, kind: SealRecord["kind"], duties: readonly Duty[]): readonly VerifierEffect[] {
    const memory = this.#memory(round.id);
    const open = duties.filter(({ sealed }) => !sealed);
    const effects: VerifierEffect[] = [];
    for (const { seat, launch, tile } of open) {
      const place = { launch, tile };
      const key = placeKey(place);
      const finding = memory.findings.get(key);
      // Who could not get a tile at first tries once more when it is put to the vote.
      const isKnown = finding !== undefined && (finding.kind === "found" || kind === "seat" || memory.retried.has(key));
      if (isKnown || memory.computing.has(key) || memory.records.has(recordKey(kind, seat, place))) continue;
      if (finding !== undefined) memory.retried.add(key);
      memory.computing.add(key);
      effects.push({ kind: "recompute", round, place });
    }
    const action = kind === "seat" ? "seal" : "sealVotes";
    if (!mayBegin(memory, action, open)) return effects;
    const ready = open.flatMap((duty) => {
      if (memory.computing.has(placeKey(duty))) return [];
      return this.#recordOf(round.id, memory, kind, duty) ?? [];
    });
    if (ready.length === 0) return effects;
    memory.sending.set(action, dutiesKey(open));
    const seats = ready.map((record) => ({ seat: record.seat, hash: this.#settings.sealOf(record) }));
    const send = { kind: "send", round: round.id, action: { kind: action, round: round.id, seats } } as const;
    return [...effects, { ...send, records: ready }];
  }

  /** What was sealed once stays: another seal of the same seat would be refused. */
  #recordOf(round: bigint, memory: RoundMemory, kind: SealRecord["kind"], duty: Duty): SealRecord | undefined {
    const { launch, tile, seat } = duty;
    const key = recordKey(kind, seat, duty);
    const known = memory.records.get(key);
    if (known !== undefined) return known;
    const finding = memory.findings.get(placeKey(duty));
    if (finding === undefined) return undefined;
    const digest = finding.kind === "found" ? finding.digest : this.#settings.unavailable;
    const record = { round, kind, seat, launch, tile, digest, nonce: this.#settings.newNonce() };
    memory.records.set(key, record);
    return record;
  }

  #reveal(round: RoundView, kind: SealRecord["kind"], duties: readonly Duty[]): readonly VerifierEffect[] {
    const memory = this.#memory(round.id);
    const action = kind === "seat" ? "revealSeats" : "revealVotes";
    if (!mayBegin(memory, action, duties)) return NOTHING;
    const seats = duties.flatMap((duty) => {
      if (!duty.sealed || duty.revealed) return [];
      const record = memory.records.get(recordKey(kind, duty.seat, duty));
      return record === undefined ? [] : [{ seat: record.seat, digest: record.digest, nonce: record.nonce }];
    });
    if (seats.length === 0) return NOTHING;
    memory.sending.set(action, dutiesKey(duties));
    return [{ kind: "send", round: round.id, action: { kind: action, round: round.id, seats }, records: [] }];
  }

  /** The referee is called against a decision, or the lack of one, that is not what this verifier found. */
  #challenge(round: RoundView): readonly VerifierEffect[] {
    const memory = this.#memory(round.id);
    const effects: VerifierEffect[] = [];
    for (const { launch, tile, digest: opened } of round.seats) {
      const place = { launch, tile };
      const key = placeKey(place);
      const digest = this.#foundAt(memory, place);
      if (opened === undefined || digest === undefined) continue;
      const isTrue = opened === digest;
      // An honest worker that was rejected is worth defending by those who voted for it: their stake is frozen.
      const hasVoted = [...memory.records.values()].some(
        (record) => record.kind === "vote" && placeKey(record) === key,
      );
      const isWrong = round.phase === "accepted" ? !isTrue : round.phase === "rejected" ? isTrue && hasVoted : !isTrue;
      if (!isWrong || memory.challenged.has(key) || memory.sending.has(`challenge ${key}`)) continue;
      if (!this.#settings.mayChallenge(round, place)) continue;
      memory.sending.set(`challenge ${key}`, "");
      effects.push({ kind: "challenge", round, place });
    }
    return effects;
  }

  /** Of a last segment: what was delivered has to be what was opened, whatever the vote says of other tiles. */
  #checkOutputs(round: RoundView, seats: readonly SeatView[]): readonly VerifierEffect[] {
    const memory = this.#memory(round.id);
    if (round.outputs.length === 0 || round.phase === "rejected") return NOTHING;
    return seats.flatMap((seat): readonly VerifierEffect[] => {
      const isRight = seat.digest !== undefined && this.#foundAt(memory, seat) === seat.digest;
      if (!isRight || memory.outputs.has(seat.seat)) return NOTHING;
      memory.outputs.add(seat.seat);
      return [{ kind: "checkOutputs", round, seat }];
    });
  }

  /** Something cannot be had: it is tried again with the next look, a few times. */
  onOutputsUnknown(round: bigint, seat: number): void {
    const memory = this.#rounds.get(round);
    const tries = (memory?.outputTries.get(seat) ?? 0) + 1;
    memory?.outputTries.set(seat, tries);
    if (tries < OUTPUT_TRIES) memory?.outputs.delete(seat);
  }

  /** From this run, or from before a restart. */
  #foundAt({ findings, records }: RoundMemory, place: Place): Hex | undefined {
    const finding = findings.get(placeKey(place));
    if (finding?.kind === "found") return finding.digest;
    const all = [...records.values()].filter((record) => placeKey(record) === placeKey(place));
    return all.find(({ digest }) => digest !== this.#settings.unavailable)?.digest;
  }
}

function dutiesKey(duties: readonly Duty[]): string {
  return duties.map((duty) => `${duty.seat} ${placeKey(duty)} ${duty.sealed} ${duty.revealed}`).join();
}

/** One at a time, and nothing again that was refused. */
function mayBegin({ sending, refused }: RoundMemory, action: string, duties: readonly Duty[]): boolean {
  return !sending.has(action) && refused.get(action) !== dutiesKey(duties);
}

function votesOf({ dispute }: RoundView): readonly Duty[] {
  if (dispute === undefined) return [];
  const { launch, tile, seats } = dispute;
  return seats.map((vote) => ({ ...vote, launch, tile }));
}
