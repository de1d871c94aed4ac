/**
 * Lanes of several writers as one: their notes are numbered together, each number once, and read in that order. One that
 * has overtaken others waits in its lane until their writers have written them.
 */
import type { LaneReader, OnNote, Portion } from "./lane.ts";

export class MergedLanes {
  readonly #lanes: readonly LaneReader[];
  #nextId = 0;

  constructor(lanes: readonly LaneReader[]) {
    this.#lanes = lanes;
  }

  /** As LaneReader's. */
  read(onNote: OnNote, { notes: most = Infinity, bytes: enough = Infinity }: Portion = {}): number {
    let notes = 0;
    let bytes = 0;
    const counted: OnNote = (id, note) => {
      bytes += note.length;
      onNote(id, note);
    };
    while (notes < most && bytes < enough) {
      const lane = this.#laneOfNext();
      if (lane === undefined) break;
      this.#nextId = (this.#nextId + 1) >>> 0;
      notes += lane.read(counted, { notes: 1 });
    }
    return notes;
  }

  /** As LaneReader's. What waits in one lane for a note of another is nothing to read. */
  sleep(): boolean {
    for (const lane of this.#lanes) if (lane.nextId === undefined) lane.sleep();
    return this.#laneOfNext() === undefined;
  }

  #laneOfNext(): LaneReader | undefined {
    return this.#lanes.find(({ nextId }) => nextId === this.#nextId);
  }
}
