/**
 * LevelDB as the store uses it, in memory, with power that fails: a batch lands as a whole or not at all, and what was
 * written without sync may be lost from some batch on. Old versions of a record stay for snapshots and for that loss.
 */
import type { Prng } from "../../base/prng.ts";
import type {
  DatabaseSnapshot,
  LevelBatch,
  LevelEngine,
  LevelIterator,
  LevelRange,
} from "../../chain/store/database.ts";
import { chance } from "./chance.ts";
import type { Device } from "./device.ts";
import type { Lifetime } from "./lifetime.ts";

interface Version {
  readonly batch: number;
  readonly value: Uint8Array | undefined;
}

interface Write {
  readonly changes: ReadonlyMap<string, Uint8Array | undefined>;
  readonly isSynced: boolean;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

export class MemoryLevel {
  readonly #device: Device;
  /** By key, whose letters are its bytes; versions in order. */
  readonly #records = new Map<string, Version[]>();
  #writes: Write[] = [];
  /** The last batch that landed, and the last that no crash can take back. */
  #last = 0;
  #durable = 0;
  #snapshots = new Map<DatabaseSnapshot, number>();

  constructor(device: Device) {
    this.#device = device;
  }

  open(life: Lifetime): LevelEngine {
    const snapshots = new Map<DatabaseSnapshot, number>();
    this.#snapshots = snapshots;
    const numberOf = (snapshot: DatabaseSnapshot | undefined): number => {
      const number = snapshot === undefined ? this.#last : snapshots.get(snapshot);
      if (number === undefined) throw Object.assign(new Error("closed"), { code: "LEVEL_SNAPSHOT_NOT_OPEN" });
      return number;
    };
    return {
      getSync: (key, options) => this.#at(textOf(key), numberOf(options?.snapshot)),
      batch: () => this.#batch(life),
      snapshot: () => this.#snapshot(snapshots),
      iterator: ({ snapshot, ...range }) => this.#iterator(range, numberOf(snapshot)),
      approximateSize: async ({ length }) => length,
      clear: (range) => {
        const changes = new Map(this.#keysIn(range, this.#last).map((key) => [key, undefined] as const));
        return this.#write(life, { changes, isSynced: false });
      },
      compactRange: () => this.#write(life, { changes: new Map(), isSynced: true }),
      close: async () => undefined,
    };
  }

  crash(prng: Prng): void {
    for (const write of this.#writes) {
      if (chance(prng, 0.5)) break;
      this.#land(write);
    }
    this.#writes = [];
    const kept = this.#durable + prng.below(this.#last - this.#durable + 1);
    for (const [key, versions] of this.#records) {
      const left = versions.filter(({ batch }) => batch <= kept);
      if (left.length < versions.length) this.#records.set(key, left);
    }
    this.#last = kept;
    this.#durable = kept;
  }

  wipe(): void {
    this.#records.clear();
    this.#writes = [];
    this.#last = 0;
    this.#durable = 0;
  }

  /** The newest records whose keys begin with that byte, without it and without their checksums, in order. */
  bucket(byte: number): { readonly key: Uint8Array; readonly value: Uint8Array }[] {
    const keys = this.#keysIn({ gte: new Uint8Array([byte]), lt: new Uint8Array([byte + 1]) }, this.#last);
    return keys.map((key) => ({
      key: bytesOf(key).subarray(1),
      value: (this.#at(key, this.#last) as Uint8Array).subarray(0, -4),
    }));
  }

  #at(key: string, batch: number): Uint8Array | undefined {
    return this.#records.get(key)?.findLast((version) => version.batch <= batch)?.value;
  }

  #keysIn({ gte, lt }: LevelRange, batch: number): string[] {
    const [first, end] = [textOf(gte), textOf(lt)];
    const keys = [...this.#records.keys()].filter((key) => key >= first && key < end);
    return keys.filter((key) => this.#at(key, batch) !== undefined).sort();
  }

  #batch(life: Lifetime): LevelBatch {
    const changes = new Map<string, Uint8Array | undefined>();
    return {
      put: (key, value) => changes.set(textOf(key), value.slice()),
      del: (key) => changes.set(textOf(key), undefined),
      write: ({ sync }) => this.#write(life, { changes, isSynced: sync }),
    };
  }

  #write(life: Lifetime, write: Write): Promise<void> {
    return new Promise((resolve) => {
      if (life.isOver) return;
      this.#writes.push(write);
      const land = (): void => {
        const first = this.#writes.shift();
        if (first !== undefined) this.#land(first);
      };
      this.#device.write(life, land, () => life.settle(resolve));
    });
  }

  #land({ changes, isSynced }: Write): void {
    this.#last++;
    if (isSynced) this.#durable = this.#last;
    const needed = Math.min(this.#durable, ...this.#snapshots.values());
    for (const [key, value] of changes) {
      const versions = this.#records.get(key) ?? [];
      const oldest = versions.findLastIndex(({ batch }) => batch <= needed);
      const kept = oldest > 0 ? versions.slice(oldest) : versions;
      kept.push({ batch: this.#last, value });
      this.#records.set(key, kept);
    }
  }

  #snapshot(snapshots: Map<DatabaseSnapshot, number>): DatabaseSnapshot {
    const snapshot: DatabaseSnapshot = {
      close: async () => {
        snapshots.delete(snapshot);
      },
    };
    snapshots.set(snapshot, this.#last);
    return snapshot;
  }

  #iterator(range: LevelRange, batch: number): LevelIterator {
    const keys = this.#keysIn(range, batch);
    let position = 0;
    return {
      nextv: async (size) => {
        const group = keys.slice(position, position + size);
        position += group.length;
        return group.map((key) => [bytesOf(key), this.#at(key, batch) as Uint8Array]);
      },
      close: async () => undefined,
    };
  }
}
