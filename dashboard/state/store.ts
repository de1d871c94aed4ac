/** A value that parts of the page look at together. */
export class Store<Value> {
  private current: Value;
  private readonly listeners = new Set<() => void>();

  constructor(initial: Value) {
    this.current = initial;
  }

  get value(): Value {
    return this.current;
  }

  set(value: Value): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of [...this.listeners]) listener();
  }

  update(change: (value: Value) => Value): void {
    this.set(change(this.current));
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
