/**
 * One thread's notes to another through shared memory, in order: a ring of bytes with one writer and one reader. A message
 * between threads takes some 50 us of processor time, and a note less than one; the reader is woken only when it sleeps.
 *
 * Nothing is lost between the two: the reader says that it sleeps before it looks for the last time, and the writer looks
 * whether it sleeps after it has written. Atomics are sequentially consistent, so one of them sees the other.
 */

/** Both ends are made of it. */
export type LaneMemory = SharedArrayBuffer;

/** Called with each note; the bytes are the lane's, to be copied before this returns. */
export type OnNote = (id: number, bytes: Uint8Array) => void;

/** What is read at once, at most: so many notes, and no more once they have so many bytes. */
export interface Portion {
  readonly notes?: number;
  readonly bytes?: number;
}

/** Words before the ring: where the reader is, where the writer is, whether the reader sleeps, and whether there is one. */
const HEAD = 0;
const TAIL = 1;
const ASLEEP = 2;
const ATTENDED = 3;
/** Head and tail are written by different threads: apart, so that these do not wait for each other's cache line. */
const WORD_STRIDE = 16;
const CONTROL_BYTES = 4 * WORD_STRIDE * 4;
/** Of a note: its length and its id. */
const NOTE_HEAD_BYTES = 8;
/** In the place of a length: the rest of the ring is not used. */
const SKIP = 0xffff_ffff;

/** Room for notes of so many bytes together, their heads counted; a power of two. */
export function laneMemory(bytes: number): LaneMemory {
  if (bytes < 64 || (bytes & (bytes - 1)) !== 0) throw new RangeError("a lane's size is a power of two from 64 on");
  const memory = new SharedArrayBuffer(CONTROL_BYTES + bytes);
  Atomics.store(new Int32Array(memory), ASLEEP * WORD_STRIDE, 1);
  return memory;
}

/** What both ends see. Positions only grow, modulo 2^32; a place in the ring is one modulo its size. */
class LaneEnd {
  protected readonly control: Int32Array;
  protected readonly bytes: Uint8Array;
  protected readonly words: Uint32Array;
  protected readonly mask: number;

  constructor(memory: LaneMemory) {
    this.control = new Int32Array(memory, 0, CONTROL_BYTES / 4);
    this.bytes = new Uint8Array(memory, CONTROL_BYTES);
    this.words = new Uint32Array(memory, CONTROL_BYTES);
    this.mask = this.bytes.length - 1;
  }

  protected position(word: number): number {
    return Atomics.load(this.control, word * WORD_STRIDE) >>> 0;
  }

  protected move(word: number, position: number): void {
    Atomics.store(this.control, word * WORD_STRIDE, position | 0);
  }
}

export class LaneWriter extends LaneEnd {
  /** False, and nothing is written, when there is no room for it. */
  write(id: number, ...parts: readonly Uint8Array[]): boolean {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const needed = NOTE_HEAD_BYTES + padded(length);
    const tail = this.position(TAIL);
    const free = this.bytes.length - ((tail - this.position(HEAD)) >>> 0);
    // In one piece: what is left before the end of the ring may be too little.
    const untilEnd = this.bytes.length - (tail & this.mask);
    const skipped = untilEnd < needed ? untilEnd : 0;
    if (skipped + needed > free) return false;
    if (skipped > 0) this.words[(tail & this.mask) >>> 2] = SKIP;
    const at = (tail + skipped) & this.mask;
    this.words[at >>> 2] = length;
    this.words[(at >>> 2) + 1] = id;
    let end = at + NOTE_HEAD_BYTES;
    for (const part of parts) {
      this.bytes.set(part, end);
      end += part.length;
    }
    this.move(TAIL, tail + skipped + needed);
    return true;
  }

  /** Bytes that the reader has not done with. */
  get unread(): number {
    return (this.position(TAIL) - this.position(HEAD)) >>> 0;
  }

  /** Whether a thread has begun to read. */
  get isAttended(): boolean {
    return Atomics.load(this.control, ATTENDED * WORD_STRIDE) === 1;
  }

  /** After a write: whether the reader sleeps, and is to be woken by whoever calls this. */
  takesWaking(): boolean {
    return Atomics.exchange(this.control, ASLEEP * WORD_STRIDE, 0) === 1;
  }

  /** Wakes a reader that waits by `wait`. */
  wake(): void {
    if (this.takesWaking()) Atomics.notify(this.control, TAIL * WORD_STRIDE);
  }
}

export class LaneReader extends LaneEnd {
  /** This end is read from now on: `isAttended` of the writer. */
  attend(): void {
    Atomics.store(this.control, ATTENDED * WORD_STRIDE, 1);
  }

  /** Of the next note, if there is one. */
  get nextId(): number | undefined {
    const head = this.position(HEAD);
    if (head === this.position(TAIL)) return undefined;
    const at = head & this.mask;
    // What is skipped is always followed by a note, at the beginning of the ring.
    return this.words[this.words[at >>> 2] === SKIP ? 1 : (at >>> 2) + 1];
  }

  /** Reads what has been written, or a portion of it. Answers with how many notes that were. */
  read(onNote: OnNote, { notes: most = Infinity, bytes: enough = Infinity }: Portion = {}): number {
    const tail = this.position(TAIL);
    let head = this.position(HEAD);
    let notes = 0;
    let bytes = 0;
    while (head !== tail && notes < most && bytes < enough) {
      const at = head & this.mask;
      const length = this.words[at >>> 2] as number;
      if (length === SKIP) {
        head = (head + this.bytes.length - at) >>> 0;
        continue;
      }
      const start = at + NOTE_HEAD_BYTES;
      head = (head + NOTE_HEAD_BYTES + padded(length)) >>> 0;
      // Each at once: the writer may have use for the room, and a reader that throws does not meet the note again.
      try {
        onNote(this.words[(at >>> 2) + 1] as number, this.bytes.subarray(start, start + length));
      } finally {
        this.move(HEAD, head);
      }
      notes++;
      bytes += length;
    }
    this.move(HEAD, head);
    return notes;
  }

  /** From now on the writer wakes this end. False, and it does not, when there is something to read. */
  sleep(): boolean {
    Atomics.store(this.control, ASLEEP * WORD_STRIDE, 1);
    if (this.position(TAIL) === this.position(HEAD)) return true;
    Atomics.store(this.control, ASLEEP * WORD_STRIDE, 0);
    return false;
  }

  /** Blocks the thread until there is something to read, or for so many milliseconds. False: there is nothing. */
  wait(milliseconds: number = Number.POSITIVE_INFINITY): boolean {
    const head = this.position(HEAD);
    while (this.sleep()) {
      if (Atomics.wait(this.control, TAIL * WORD_STRIDE, head | 0, milliseconds) === "timed-out") return false;
    }
    return true;
  }
}

function padded(length: number): number {
  return (length + 7) & ~7;
}
