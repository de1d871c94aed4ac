/** A verifier at work: looks at rounds, does what the state machine says, and tells it what came of it. */
import { randomBytes } from "node:crypto";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { eitherSignal } from "../../../base/either-signal.ts";
import { CodedError, isCoded } from "../../../base/errors.ts";
import { oneByOne } from "../../../base/one-by-one.ts";
import { decodeProgram } from "../../program/codec.ts";
import { UNAVAILABLE } from "../../program/digest.ts";
import { isRefereeable } from "../../program/refereeable.ts";
import { launchAt } from "../../program/schedule.ts";
import type { ChainPort, ClockPort, JournalPort, RoundView, SeatView } from "../ports.ts";
import { callReferee, chunksOf } from "./call-referee.ts";
import { checkOutputs, type OutputCheckPorts } from "./check-outputs.ts";
import {
  ASK_MILLISECONDS,
  ASK_PAUSE_MILLISECONDS,
  KEPT_BYTES,
  LONGEST_ASK_PAUSE_MILLISECONDS,
  LOOK_MILLISECONDS,
  MAX_RECORDS,
  PATROL_MILLISECONDS,
} from "./limits.ts";
import { questionOf } from "./recompute-tile.ts";
import { decodeRecord, encodeRecord, sealOf } from "./seal-records.ts";
import { TileThread } from "./tile-thread.ts";
import { type Finding, type Place, type VerifierEffect, VerifierState } from "./verifier-state.ts";

/** What happens, for whoever runs the verifier. */
export type VerifierEvent =
  | { readonly event: "drawn"; readonly round: bigint; readonly launch: number; readonly tile: number }
  | {
      readonly event: "found";
      readonly round: bigint;
      readonly launch: number;
      readonly tile: number;
      readonly digest: Hex;
    }
  | {
      readonly event: "unavailable";
      readonly round: bigint;
      readonly launch: number;
      readonly tile: number;
      readonly reason: string;
    }
  | { readonly event: "sent"; readonly round: bigint; readonly action: string }
  | { readonly event: "refused"; readonly round: bigint; readonly action: string; readonly error: string }
  /** An output is not what was computed, and the chain knows it now. */
  | { readonly event: "false-output"; readonly round: bigint; readonly seat: number }
  | { readonly event: "failed"; readonly round: bigint; readonly error: string };

export interface VerifierPorts {
  readonly chain: ChainPort;
  readonly journal: JournalPort;
  readonly clock: ClockPort;
  /** Asks the worker at this base URL for a tile's inputs. */
  ask(endpoint: string, round: bigint, place: Place, signal: AbortSignal): Promise<Uint8Array>;
  readonly output: OutputCheckPorts["output"];
  tell(event: VerifierEvent): void;
}

export interface VerifierOptions {
  /** The first block whose rounds are looked at. */
  readonly from: bigint | undefined;
  /** Whether it calls the referee when it sees fraud. */
  readonly challenges: boolean;
  /** Another way to find what a tile comes to; tests have verifiers that lie. */
  readonly recompute?: (round: RoundView, place: Place) => Promise<Finding>;
}

type SendEffect = Extract<VerifierEffect, { kind: "send" }>;
type ChallengeEffect = Extract<VerifierEffect, { kind: "challenge" }>;

export class VerifierAgent {
  readonly #ports: VerifierPorts;
  readonly #options: VerifierOptions;
  readonly #thread = new TileThread();
  readonly #state: VerifierState;
  /** Looks at one round follow each other. */
  readonly #looks = new Map<bigint, Promise<void>>();
  /** What was sent for tiles and held, for challenges; the oldest goes first. */
  readonly #inputs = new Map<string, Uint8Array>();
  #inputBytes = 0;
  /** Programs whose launches the referee takes, by address. */
  readonly #programs = new Map<Hex, ReturnType<typeof decodeProgram>>();
  #appended: number;
  /** Writes of the journal follow each other. */
  readonly #writing = oneByOne();
  #time = 0n;
  #timeAt = 0;
  #signal: AbortSignal = AbortSignal.abort();

  private constructor(ports: VerifierPorts, options: VerifierOptions, journal: readonly Uint8Array[]) {
    this.#ports = ports;
    this.#options = options;
    this.#appended = journal.length;
    this.#state = new VerifierState(
      {
        account: ports.chain.account,
        unavailable: bytesToHex(UNAVAILABLE),
        newNonce: () => bytesToHex(randomBytes(32)),
        sealOf: (record) => sealOf(ports.chain.account, record),
        mayChallenge: (round, place) => options.challenges && this.#isRefereeable(round, place),
      },
      journal.map(decodeRecord),
    );
  }

  /** Throws JOURNAL_DAMAGED. */
  static async open(ports: VerifierPorts, options: VerifierOptions): Promise<VerifierAgent> {
    return new VerifierAgent(ports, options, await ports.journal.load());
  }

  /** Until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    // However it ends, nothing of it goes on: another one may take over.
    this.#signal = AbortSignal.any([signal, stop.signal]);
    for (const round of this.#state.rounds) this.#look(round);
    this.#patrol().catch(() => undefined);
    try {
      for await (const { rounds, time } of this.#ports.chain.watch(this.#options.from, this.#signal)) {
        this.#time = time;
        this.#timeAt = this.#ports.clock.now();
        for (const round of rounds) this.#look(round);
      }
    } finally {
      stop.abort();
      await this.#thread.close();
      await Promise.allSettled([...this.#looks.values(), this.#writing(() => Promise.resolve())]);
    }
  }

  /** Whatever became of a notice: nothing that is due waits for another one. */
  async #patrol(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#ports.clock.wait(PATROL_MILLISECONDS, this.#signal);
      for (const round of this.#state.rounds) {
        if (!this.#looks.has(round)) this.#look(round);
        // One after the other: a node has others to answer.
        await this.#looks.get(round);
      }
    }
  }

  #look(id: bigint): void {
    const look = (this.#looks.get(id) ?? Promise.resolve()).then(() => this.#lookNow(id));
    this.#looks.set(id, look);
    void look.then(() => {
      if (this.#looks.get(id) === look) this.#looks.delete(id);
    });
  }

  async #lookNow(id: bigint): Promise<void> {
    if (this.#signal.aborted) return;
    try {
      const round = await this.#ports.chain.round(id);
      if (round === undefined) return;
      await this.#keepProgram(round);
      for (const effect of this.#state.onRound(round)) void this.#carryOut(effect);
    } catch (error) {
      this.#failed(id, error);
    }
  }

  #failed(round: bigint, error: unknown): void {
    if (this.#signal.aborted) return;
    this.#ports.tell({ event: "failed", round, error: error instanceof Error ? error.message : String(error) });
    void this.#ports.clock.wait(LOOK_MILLISECONDS, this.#signal).then(() => this.#look(round));
  }

  async #carryOut(effect: VerifierEffect): Promise<void> {
    const id = typeof effect.round === "bigint" ? effect.round : effect.round.id;
    try {
      if (effect.kind === "recompute") await this.#recompute(effect.round, effect.place);
      else if (effect.kind === "send") await this.#send(effect);
      else if (effect.kind === "challenge") await this.#challenge(effect);
      else if (effect.kind === "checkOutputs") await this.#checkOutputs(effect.round, effect.seat);
      else await this.#forget(effect.round);
      if (effect.kind !== "forget") this.#look(id);
    } catch (error) {
      if (effect.kind === "recompute") this.#state.onBrokenOff(id, effect.place);
      if (effect.kind === "checkOutputs") this.#state.onOutputsUnknown(id, effect.seat.seat);
      this.#failed(id, error);
    }
  }

  async #recompute(round: RoundView, place: Place): Promise<void> {
    this.#ports.tell({ event: "drawn", round: round.id, ...place });
    const { recompute } = this.#options;
    const finding = recompute === undefined ? await this.#find(round, place) : await recompute(round, place);
    if (this.#signal.aborted) return;
    if (finding.kind === "found")
      this.#ports.tell({ event: "found", round: round.id, ...place, digest: finding.digest });
    this.#state.onFound(round.id, place, finding);
  }

  /** Asks until the time is nearly over: a worker may have to compute it again itself. */
  async #find(round: RoundView, place: Place): Promise<Finding> {
    const { chain, clock, ask } = this.#ports;
    const end = clock.now() + this.#patience(round);
    let reason = "the worker has registered no address";
    let pause = ASK_PAUSE_MILLISECONDS;
    for (let asked = 0; !this.#signal.aborted; asked++) {
      const left = end - clock.now();
      if (asked > 0 && left < pause) break;
      if (asked > 0) await clock.wait(pause, this.#signal);
      if (asked > 0) pause = Math.min(2 * pause, LONGEST_ASK_PAUSE_MILLISECONDS);
      // What goes wrong between this verifier and its own node says nothing of the worker: it is tried again.
      const [program, endpoint] = await Promise.all([chain.program(round.program), chain.endpoint(round.worker)]);
      if (program === undefined) return { kind: "unavailable" };
      if (endpoint === undefined) continue;
      try {
        const timeout = AbortSignal.timeout(Math.max(ASK_PAUSE_MILLISECONDS, Math.min(ASK_MILLISECONDS, left)));
        const inputs = await ask(endpoint, round.id, place, eitherSignal(this.#signal, timeout));
        const { digest } = await this.#thread.recompute({ program, question: questionOf(round, place), inputs });
        this.#keepInputs(round.id, place, inputs);
        return { kind: "found", digest: bytesToHex(digest) };
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        if (!isCoded(error) && !isFetchFailure(error)) throw error;
      }
    }
    this.#ports.tell({ event: "unavailable", round: round.id, ...place, reason });
    return { kind: "unavailable" };
  }

  /** Milliseconds: six tenths of what is left of the phase, so that the seal comes in time. */
  #patience({ by }: RoundView): number {
    if (by === 0n) return ASK_MILLISECONDS;
    const passed = this.#ports.clock.now() - this.#timeAt;
    return Math.max(0, 600 * Number(by - this.#time) - passed);
  }

  async #send(effect: SendEffect): Promise<void> {
    const { chain, tell } = this.#ports;
    const { round, action } = effect;
    let isRefused = false;
    try {
      await this.#keepRecords(effect);
      const outcome = await chain.send(action);
      isRefused = outcome.kind === "refused";
      if (outcome.kind === "refused") tell({ event: "refused", round, action: action.kind, error: outcome.error });
      else tell({ event: "sent", round, action: action.kind });
    } finally {
      this.#state.onSent(effect, isRefused);
    }
  }

  async #keepRecords({ records }: SendEffect): Promise<void> {
    if (records.length === 0) return;
    const { journal } = this.#ports;
    const encoded = records.map(encodeRecord);
    this.#appended += encoded.length;
    await this.#writing(async () => {
      for (const record of encoded) await journal.append(record);
    });
  }

  async #challenge(effect: ChallengeEffect): Promise<void> {
    const { chain, tell } = this.#ports;
    const { round, place } = effect;
    let isOver = false;
    try {
      const bytes = await chain.program(round.program);
      if (bytes === undefined) throw new CodedError("TILE_ABSENT", "what the tile reads is not here any more");
      const chunks = chunksOf(bytes, round, place, await this.#inputsOf(round, place));
      await callReferee(chain, round.id, place, chunks, ({ action, error }) => {
        if (error === undefined) tell({ event: "sent", round: round.id, action });
        else tell({ event: "refused", round: round.id, action, error });
      });
      isOver = true;
    } finally {
      this.#state.onSent(effect, !isOver);
    }
  }

  /** Kept since it was found, or asked for again. */
  async #inputsOf(round: RoundView, place: Place): Promise<Uint8Array> {
    const kept = this.#inputs.get(inputsKey(round.id, place));
    if (kept !== undefined) return kept;
    const { chain, ask } = this.#ports;
    const endpoint = await chain.endpoint(round.worker);
    if (endpoint === undefined) throw new CodedError("TILE_ABSENT", "what the tile reads is not here any more");
    const signal = eitherSignal(this.#signal, AbortSignal.timeout(ASK_MILLISECONDS));
    return await ask(endpoint, round.id, place, signal);
  }

  async #checkOutputs(round: RoundView, seat: SeatView): Promise<void> {
    const { chain, output, tell } = this.#ports;
    const inputs = (of: RoundView, place: Place): Promise<Uint8Array> => this.#inputsOf(of, place);
    const found = await checkOutputs({ chain, thread: this.#thread, inputs, output }, round, seat);
    if (found === "false-output") tell({ event: "false-output", round: round.id, seat: seat.seat });
  }

  async #keepProgram({ program }: RoundView): Promise<void> {
    if (this.#programs.has(program) || !this.#options.challenges) return;
    const bytes = await this.#ports.chain.program(program);
    if (bytes === undefined) return;
    const [oldest] = this.#programs.keys();
    if (oldest !== undefined && this.#programs.size >= 16) this.#programs.delete(oldest);
    this.#programs.set(program, decodeProgram(bytes));
  }

  #isRefereeable({ program }: RoundView, { launch }: Place): boolean {
    const known = this.#programs.get(program);
    const found = known && launchAt(known, launch);
    return known !== undefined && found !== undefined && isRefereeable(found.launch, known.buffers);
  }

  #keepInputs(round: bigint, place: Place, inputs: Uint8Array): void {
    if (inputs.length > KEPT_BYTES) return;
    this.#inputs.set(inputsKey(round, place), inputs);
    this.#inputBytes += inputs.length;
    for (const [key, { length }] of this.#inputs) {
      if (this.#inputBytes <= KEPT_BYTES) return;
      this.#inputs.delete(key);
      this.#inputBytes -= length;
    }
  }

  async #forget(round: bigint): Promise<void> {
    for (const [key, { length }] of this.#inputs) {
      if (!key.startsWith(`${round} `)) continue;
      this.#inputs.delete(key);
      this.#inputBytes -= length;
    }
    if (this.#appended < MAX_RECORDS) return;
    this.#appended = this.#state.records.length;
    await this.#writing(() => this.#ports.journal.replace(this.#state.records.map(encodeRecord)));
  }
}

function inputsKey(round: bigint, { launch, tile }: Place): string {
  return `${round} ${launch}/${tile}`;
}

/** What `fetch` throws when somebody cannot be reached, or takes too long. */
function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name !== "DataCloneError");
}
