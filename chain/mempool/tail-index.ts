/**
 * The last transactions of all senders, worst first, at any base fee. The worst effective tip is the least tip or the
 * least maximal fee less the base fee, whichever is less: so two heaps, one by each fee, have the worst on top of one
 * of them, and neither depends on the base fee.
 */
import { Heap } from "./heap.ts";
import { effectiveTip, type Priced, type Waiting } from "./waiting.ts";

/**
 * The last of a sender, the one that goes when there is no room. It is worth no more than the cheapest before it, for
 * it cannot come before that one: or else a costly last transaction would keep thousands of worthless ones in the pool.
 */
export interface Tail extends Priced {
  readonly waiting: Waiting;
  /** Its place among the sender's transactions. */
  readonly rank: number;
  readonly isReady: boolean;
  /** Where it is in each of the index's heaps: for the index alone. A map from tails to places took twice the time. */
  readonly places: [number, number];
}

type Fee = "tip" | "maxFee";

/**
 * What is not ready goes first, then what is worth least, then what came last. A function for each fee: with the fee's
 * name as an argument they took several times as long.
 */
const IS_WORSE: Readonly<Record<Fee, (a: Tail, b: Tail) => boolean>> = {
  tip: (a, b) => {
    if (a.isReady !== b.isReady) return b.isReady;
    return a.tip === b.tip ? a.sequence > b.sequence : a.tip < b.tip;
  },
  maxFee: (a, b) => {
    if (a.isReady !== b.isReady) return b.isReady;
    return a.maxFee === b.maxFee ? a.sequence > b.sequence : a.maxFee < b.maxFee;
  },
};

/** A heap that knows where each sender's tail is, so that it can be exchanged. */
class TailHeap {
  readonly fee: Fee;
  readonly tails: Tail[] = [];
  /** Which of a tail's places is in this heap. */
  private readonly own: 0 | 1;
  private readonly isWorse: (a: Tail, b: Tail) => boolean;

  constructor(fee: Fee) {
    this.fee = fee;
    this.own = fee === "tip" ? 0 : 1;
    this.isWorse = IS_WORSE[fee];
  }

  insert(tail: Tail): void {
    this.rise(tail, this.tails.length);
  }

  remove(tail: Tail): void {
    const place = tail.places[this.own];
    const last = this.tails.pop();
    if (last !== undefined && place < this.tails.length) this.settle(last, place);
  }

  exchange(old: Tail, tail: Tail): void {
    this.settle(tail, old.places[this.own]);
  }

  /** Where it belongs, starting from a place that is free. */
  private settle(tail: Tail, place: number): void {
    const parent = this.tails[(place - 1) >> 1];
    if (place > 0 && parent !== undefined && this.isWorse(tail, parent)) this.rise(tail, place);
    else this.sink(tail, place);
  }

  private rise(tail: Tail, from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const other = this.tails[parent] as Tail;
      if (!this.isWorse(tail, other)) break;
      this.put(other, place);
      place = parent;
    }
    this.put(tail, place);
  }

  private sink(tail: Tail, from: number): void {
    const { tails } = this;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= tails.length) break;
      if (child + 1 < tails.length && this.isWorse(tails[child + 1] as Tail, tails[child] as Tail)) child++;
      const other = tails[child] as Tail;
      if (!this.isWorse(other, tail)) break;
      this.put(other, place);
      place = child;
    }
    this.put(tail, place);
  }

  private put(tail: Tail, place: number): void {
    this.tails[place] = tail;
    tail.places[this.own] = place;
  }
}

export class TailIndex {
  private readonly heaps = [new TailHeap("tip"), new TailHeap("maxFee")] as const;

  /** Of one sender: the tail that was there, if any, gives its place to the one that is there now, if any. */
  replace(old: Tail | undefined, tail: Tail | undefined): void {
    for (const heap of this.heaps) {
      if (old !== undefined && tail !== undefined) heap.exchange(old, tail);
      else if (tail !== undefined) heap.insert(tail);
      else if (old !== undefined) heap.remove(old);
    }
  }

  /** Whether one that comes now, ready and worth so much, would be the worst of all that are there. */
  isWorst(worth: bigint, baseFee: bigint): boolean {
    return this.heaps.every(({ tails: [top], fee }) => {
      if (top === undefined) return true;
      return top.isReady && worth <= (fee === "tip" ? top.tip : top.maxFee - baseFee);
    });
  }

  /** The index must not change while somebody walks. */
  walk(baseFee: bigint): TailWalk {
    return new TailWalk(this.heaps, baseFee);
  }
}

interface Candidate {
  readonly tail: Tail;
  readonly worth: bigint;
  /** Whose children come after it; none for a guest. */
  readonly heap: TailHeap | undefined;
  readonly place: number;
}

function goesBefore(a: Candidate, b: Candidate): boolean {
  if (a.tail.isReady !== b.tail.isReady) return b.tail.isReady;
  return a.worth === b.worth ? a.tail.sequence > b.tail.sequence : a.worth < b.worth;
}

/** Worst first, without changing the index. */
export class TailWalk {
  private readonly baseFee: bigint;
  private readonly candidates = new Heap<Candidate>(goesBefore);
  /** Everybody is in both heaps; the first time is at the lower of the two. */
  private readonly seen = new Set<Waiting>();

  constructor(heaps: readonly TailHeap[], baseFee: bigint) {
    this.baseFee = baseFee;
    for (const heap of heaps) this.pushPlace(heap, 0);
  }

  /** One more that takes part: who is last of a sender when the last has gone. */
  push(tail: Tail): void {
    this.candidates.push({ tail, worth: effectiveTip(tail, this.baseFee), heap: undefined, place: 0 });
  }

  pop(): Tail | undefined {
    for (;;) {
      const worst = this.candidates.pop();
      if (worst === undefined) return undefined;
      const { tail, heap, place } = worst;
      if (heap !== undefined) {
        this.pushPlace(heap, 2 * place + 1);
        this.pushPlace(heap, 2 * place + 2);
      }
      if (this.seen.has(tail.waiting)) continue;
      this.seen.add(tail.waiting);
      return tail;
    }
  }

  private pushPlace(heap: TailHeap, place: number): void {
    const tail = heap.tails[place];
    if (tail === undefined) return;
    const worth = heap.fee === "tip" ? tail.tip : tail.maxFee - this.baseFee;
    this.candidates.push({ tail, worth, heap, place });
  }
}
