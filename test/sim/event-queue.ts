/** Virtual time: what happens next, in order of time and, at equal times, in the order in which it was planned. */
interface Planned {
  readonly time: number;
  readonly order: number;
  readonly run: () => void;
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}

export class EventQueue {
  now = 0;
  #order = 0;
  /** A binary heap, the earliest first. */
  readonly #heap: Planned[] = [];

  at(time: number, run: () => void): void {
    const planned = { time: Math.max(time, this.now), order: this.#order++, run };
    const heap = this.#heap;
    let place = heap.length;
    heap.push(planned);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above] as Planned;
      if (!isBefore(planned, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = planned;
  }

  after(delay: number, run: () => void): void {
    this.at(this.now + delay, run);
  }

  /** Runs everything up to that time. */
  runUntil(end: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.time <= end; next = this.#heap[0]) {
      this.#removeFirst();
      this.now = next.time;
      next.run();
    }
    this.now = Math.max(this.now, end);
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Planned, heap[child] as Planned)) child++;
      if (!isBefore(heap[child] as Planned, last)) break;
      heap[place] = heap[child] as Planned;
      place = child;
    }
    heap[place] = last;
  }
}
