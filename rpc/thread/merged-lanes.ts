/**
 * Lanes of several writers as one: their notes are numbered together, each number once, and read in that order. One that
 * has overtaken others waits in its lane until their writers have written them.
 */
import type { LaneReader, OnNote } from "./lane.ts";

export class MergedLanes {
  readonly #lanes: readonly LaneReader[];
  #nextId = 0;

  constructor(lanes: readonly LaneReader[]) {
    this.#lanes = lanes;
  }

  /** As LaneReader's. */
  read(onNote: OnNote, atMost: number = Number.POSITIVE_INFINITY): number {
    let notes = 0;
    for (let lane = this.#laneOfNext(); lane !== undefined && notes < atMost; lane = this.#laneOfNext()) {
      this.#nextId = (this.#nextId + 1) >>> 0;
      notes += lane.read(onNote, 1);
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
