/**
 * Reads a lane on a thread with an event loop. Once woken it looks again in every turn of the loop, which costs next to
 * nothing, until a turn brought nothing: only then has the writer to wake it.
 */
import type { LaneReader, OnNote, Portion } from "./lane.ts";

/** A lane, or several as one. */
export type NoteSource = Pick<LaneReader, "read" | "sleep">;

export class LoopReader {
  readonly #lane: NoteSource;
  readonly #onNote: OnNote;
  readonly #atOnce: () => Portion;
  #isAwake = false;
  #isClosed = false;

  /** `atOnce`: what is read before everything else that the thread does has its turn. */
  constructor(lane: NoteSource, onNote: OnNote, atOnce: () => Portion = () => ({})) {
    this.#lane = lane;
    this.#onNote = onNote;
    this.#atOnce = atOnce;
  }

  /** Reads what there is now. Called when the writer wakes this end, and whenever it is worth a look. */
  look(): void {
    if (this.#isClosed) return;
    const notes = this.#lane.read(this.#onNote, this.#atOnce());
    if (this.#isAwake || (notes === 0 && this.#lane.sleep())) return;
    this.#isAwake = true;
    setImmediate(() => this.#again());
  }

  /** Nothing is read any more. */
  close(): void {
    this.#isClosed = true;
  }

  #again(): void {
    this.#isAwake = false;
    this.look();
  }
}
