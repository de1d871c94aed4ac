/**
 * A bounded cache of values that change from one version of the state to the next. Each entry knows since which
 * version it holds, so that readers of an older version share the cache: what has not changed since is theirs too,
 * the rest they read from disk.
 *
 * Two maps instead of a list in order of use: new and used entries go to the young map; when it holds half the
 * bound, the old map is dropped and the young one becomes old. That costs one look-up, where an ordered list costs
 * a deletion and an insertion per hit.
 */
export interface CacheEntry<V> {
  readonly value: V;
  /** The version from which on the value holds, until a commit replaces it. */
  readonly since: number;
}

export class VersionedCache<K, V> {
  readonly #halfLimit: number;
  readonly #sizeOf: (value: V) => number;
  #young = new Map<K, CacheEntry<V>>();
  #old = new Map<K, CacheEntry<V>>();
  #youngSize = 0;

  /** The sizes of all entries together stay within `limit`, or above by at most one entry. */
  constructor(limit: number, sizeOf: (value: V) => number = () => 1) {
    this.#halfLimit = limit / 2;
    this.#sizeOf = sizeOf;
  }

  /** The entry, when it holds in that version. */
  get(key: K, version: number): CacheEntry<V> | undefined {
    let entry = this.#young.get(key);
    if (entry === undefined) {
      entry = this.#old.get(key);
      if (entry === undefined) return undefined;
      this.#old.delete(key);
      this.#insert(key, entry);
    }
    return entry.since <= version ? entry : undefined;
  }

  set(key: K, value: V, since: number): void {
    const before = this.#young.get(key);
    if (before !== undefined) this.#youngSize -= this.#sizeOf(before.value);
    else this.#old.delete(key);
    this.#insert(key, { value, since });
  }

  delete(key: K): void {
    const before = this.#young.get(key);
    if (before !== undefined) {
      this.#youngSize -= this.#sizeOf(before.value);
      this.#young.delete(key);
    }
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngSize = 0;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  #insert(key: K, entry: CacheEntry<V>): void {
    this.#young.set(key, entry);
    this.#youngSize += this.#sizeOf(entry.value);
    if (this.#youngSize < this.#halfLimit) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }
}
