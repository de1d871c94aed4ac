/** A binary heap: what comes first by `isBefore` is taken first. */
export class Heap<T> {
  private readonly isBefore: (a: T, b: T) => boolean;
  private readonly items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
  }

  push(item: T): void {
    const { items } = this;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const other = items[parent] as T;
      if (!this.isBefore(item, other)) break;
      items[at] = other;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.sink(last);
    return first;
  }

  /** Puts `item` where the first one was, and then as far down as it belongs. */
  private sink(item: T): void {
    const { items } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.isBefore(items[child + 1] as T, items[child] as T)) child++;
      const other = items[child] as T;
      if (!this.isBefore(other, item)) break;
      items[at] = other;
      at = child;
    }
    items[at] = item;
  }
}
