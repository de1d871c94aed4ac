/**
 * Virtual time: what happens next, in order of time and, at equal times, in the order in which it was planned. Time
 * moves in ticks, so that a broadcast to a thousand nodes is a few entries in a few lists, and not a thousand in a heap.
 */
const TICKS_PER_MILLISECOND = 8;

export interface Task {
  run(argument: number): void;
}

interface Bucket {
  readonly tasks: Task[];
  readonly arguments: number[];
}

export class EventQueue {
  #tick = 0;
  #isUnsettled = false;
  readonly #buckets = new Map<number, Bucket>();
  /** The ticks that have a bucket: a binary heap, the earliest first. */
  readonly #ticks: number[] = [];

  get now(): number {
    return this.#tick / TICKS_PER_MILLISECOND;
  }

  at(time: number, run: () => void): void {
    this.plan(time, { run });
  }

  after(delay: number, run: () => void): void {
    this.plan(this.now + delay, { run });
  }

  plan(time: number, task: Task, argument = 0): void {
    const tick = Math.max(this.#tick, Math.ceil(time * TICKS_PER_MILLISECOND));
    let bucket = this.#buckets.get(tick);
    if (bucket === undefined) {
      bucket = { tasks: [], arguments: [] };
      this.#buckets.set(tick, bucket);
      this.#addTick(tick);
    }
    bucket.tasks.push(task);
    bucket.arguments.push(argument);
  }

  /** Promises were made or resolved: what hangs on them happens before time goes on. */
  settle(): void {
    this.#isUnsettled = true;
  }

  /** Runs everything up to that time. */
  async runUntil(end: number): Promise<void> {
    const last = Math.floor(end * TICKS_PER_MILLISECOND);
    if (this.#isUnsettled) await this.#settled();
    for (let tick = this.#ticks[0]; tick !== undefined && tick <= last; tick = this.#ticks[0]) {
      this.#tick = tick;
      const bucket = this.#buckets.get(tick) as Bucket;
      const { tasks, arguments: values } = bucket;
      for (let i = 0; i < tasks.length; ) {
        for (; i < tasks.length; i++) (tasks[i] as Task).run(values[i] as number);
        if (this.#isUnsettled) await this.#settled();
      }
      this.#buckets.delete(tick);
      this.#removeFirstTick();
    }
    this.#tick = Math.max(this.#tick, last);
  }

  /**
   * Nothing but promises is asynchronous here, and those that hang on resolved ones run, in a fixed order, before an
   * immediate does.
   */
  async #settled(): Promise<void> {
    this.#isUnsettled = false;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #addTick(tick: number): void {
    const heap = this.#ticks;
    let place = heap.length;
    heap.push(tick);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above] as number;
      if (parent <= tick) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = tick;
  }

  #removeFirstTick(): void {
    const heap = this.#ticks;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if ((heap[child] as number) >= last) break;
      heap[place] = heap[child] as number;
      place = child;
    }
    heap[place] = last;
  }
}
