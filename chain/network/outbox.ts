/** What waits to be sent to one peer on one channel. Bounded in bytes; many small frames leave as one write. */
import type { Stream } from "@libp2p/interface";
import { concatBytes } from "../../base/bytes.ts";
import { COALESCE_BYTES } from "./limits.ts";
import type { OutgoingBytes } from "./outgoing-bytes.ts";

interface Waiting {
  readonly frame: Uint8Array;
  /** May be dropped for newer ones: votes are sent again anyway. */
  readonly droppable: boolean;
}

export class Outbox {
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #all: OutgoingBytes;
  #queue: Waiting[] = [];
  #bytes = 0;
  #stream: Stream | undefined;
  /** What the stream has, until the peer has taken it. */
  #inStream: Uint8Array | undefined;
  #scheduled = false;
  /** Since when something waits without any progress. */
  #waitingSince: number | undefined;
  #dropped = 0;

  /** `all` counts what waits in every outbox of the node. */
  constructor(maxBytes: number, now: () => number, all: OutgoingBytes) {
    this.#maxBytes = maxBytes;
    this.#now = now;
    this.#all = all;
  }

  get bytes(): number {
    return this.#bytes + (this.#stream?.writeBufferLength ?? 0);
  }

  /** Votes that were dropped for newer ones. */
  get dropped(): number {
    return this.#dropped;
  }

  /** For how long the peer has not taken anything of what waits. */
  stuckFor(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  /** From now on frames leave by this stream. */
  attach(stream: Stream): void {
    this.#stream = stream;
    stream.addEventListener("drain", () => {
      if (this.#waitingSince !== undefined) this.#waitingSince = this.#now();
      this.#schedule();
    });
    stream.addEventListener("idle", () => this.#schedule());
    this.#schedule();
  }

  close(): void {
    for (const { frame } of this.#queue) this.#all.release(frame);
    this.#taken();
    this.#queue = [];
    this.#bytes = 0;
    this.#stream = undefined;
    this.#waitingSince = undefined;
  }

  /** False when there is no room for it. */
  push(frame: Uint8Array, droppable: boolean): boolean {
    if (this.bytes + frame.length > this.#maxBytes) this.#dropOldest(frame.length);
    if (this.bytes + frame.length > this.#maxBytes) return false;
    this.#queue.push({ frame, droppable });
    this.#all.hold(frame);
    this.#bytes += frame.length;
    this.#waitingSince ??= this.#now();
    this.#schedule();
    return true;
  }

  #dropOldest(room: number): void {
    const kept: Waiting[] = [];
    for (const waiting of this.#queue) {
      if (waiting.droppable && this.bytes + room > this.#maxBytes) {
        this.#bytes -= waiting.frame.length;
        this.#all.release(waiting.frame);
        this.#dropped++;
      } else {
        kept.push(waiting);
      }
    }
    this.#queue = kept;
  }

  /** After this turn, so that what one turn sends leaves together. */
  #schedule(): void {
    if (this.#scheduled || this.#stream === undefined) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    const stream = this.#stream;
    if (stream?.writeBufferLength === 0) this.#taken();
    // The stream keeps what the peer has no room for. Nothing is added to that: here it can still be dropped.
    while (this.#queue.length > 0 && stream?.writeStatus === "writable") {
      if (stream.writableNeedsDrain || stream.writeBufferLength > 0) return;
      const batch = this.#take();
      this.#taken();
      this.#inStream = batch;
      this.#all.hold(batch);
      try {
        stream.send(batch);
      } catch {
        // The stream's close event says the rest.
        return;
      }
    }
    if ((stream?.writeBufferLength ?? 0) > 0) return;
    this.#taken();
    if (this.#queue.length === 0) this.#waitingSince = undefined;
  }

  #taken(): void {
    if (this.#inStream !== undefined) this.#all.release(this.#inStream);
    this.#inStream = undefined;
  }

  #take(): Uint8Array {
    let count = 0;
    let bytes = 0;
    for (const { frame } of this.#queue) {
      if (count > 0 && bytes + frame.length > COALESCE_BYTES) break;
      bytes += frame.length;
      count++;
    }
    const taken = this.#queue.splice(0, count);
    this.#bytes -= bytes;
    for (const { frame } of taken) this.#all.release(frame);
    const [first] = taken;
    return count === 1 && first !== undefined ? first.frame : concatBytes(...taken.map(({ frame }) => frame));
  }
}
