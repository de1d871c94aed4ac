/**
 * Frames of yamux on their way to the connection. Each would be encrypted and written by itself, and every frame with
 * data is answered with one that opens the window by as much again: for messages of a few hundred bytes that is more
 * than half of a node's work for its network (measured with four validators under load). Here the data frames of one
 * turn go out together, and openings of a window are added up until they matter.
 *
 * The other side sends up to what it was told, so it has less room by what is held back here, and never none: a window
 * has 256 KiB at least.
 */
import { concatBytes } from "../../base/bytes.ts";
import { MAX_GATHERED_BYTES, MAX_STREAMS, WINDOW_STEP } from "./limits.ts";

/** The header of a frame: version, type, flags (2 bytes), stream (4), length (4), as yamux's specification has them. */
const TYPE_AT = 1;
const FLAGS_AT = 2;
const STREAM_AT = 4;
const LENGTH_AT = 8;
const DATA = 0;
const WINDOW_UPDATE = 1;
const FIN_OR_RST = 0x4 | 0x8;

export interface FrameSink {
  /** False when the connection has no room for more. */
  write(frames: Uint8Array): boolean;
  /** Calls back at the end of this turn. */
  later(flush: () => void): void;
}

export class FrameGatherer {
  readonly #sink: FrameSink;
  #frames: Uint8Array[] = [];
  #bytes = 0;
  #isScheduled = false;
  /** By stream: what its window is to be opened by. */
  readonly #openings = new Map<number, number>();

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** False when the connection has no room for more. */
  send(frame: Uint8Array): boolean {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    const type = view.getUint8(TYPE_AT);
    const flags = view.getUint16(FLAGS_AT);
    const isPlain = flags === 0 && (type === DATA || type === WINDOW_UPDATE);
    if (isPlain && type === WINDOW_UPDATE && this.#holdsBack(view)) return true;
    if ((flags & FIN_OR_RST) !== 0) this.#openings.delete(view.getUint32(STREAM_AT));
    this.#frames.push(frame);
    this.#bytes += frame.length;
    // What opens or closes something is waited for, and after it nobody may come to write what waits here.
    if (!isPlain || this.#bytes >= MAX_GATHERED_BYTES) return this.flush();
    this.#schedule();
    return true;
  }

  flush(): boolean {
    const frames = this.#frames;
    if (frames.length === 0) return true;
    this.#frames = [];
    this.#bytes = 0;
    return this.#sink.write(frames.length === 1 ? (frames[0] as Uint8Array) : concatBytes(...frames));
  }

  /** Whether the opening waits for more. If not, what waited is part of it. */
  #holdsBack(view: DataView): boolean {
    const stream = view.getUint32(STREAM_AT);
    // Streams that the other side resets are not heard of here: they may not fill the memory.
    if (!this.#openings.has(stream) && this.#openings.size >= 2 * MAX_STREAMS) return false;
    const opening = (this.#openings.get(stream) ?? 0) + view.getUint32(LENGTH_AT);
    if (opening < WINDOW_STEP) {
      this.#openings.set(stream, opening);
      return true;
    }
    this.#openings.set(stream, 0);
    view.setUint32(LENGTH_AT, opening);
    return false;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#sink.later(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
