/**
 * A disk that can lose power: what was not synced arrives in part. Sectors of appended bytes arrive or not, in any
 * order, and the others read as zeros; of changes to names some first ones arrive.
 */
import type { Prng } from "../../../../base/prng.ts";
import type { LogDisk, LogFile } from "../../../../chain/wal/log-disk.ts";

const SECTOR = 512;

interface Inode {
  bytes: Uint8Array;
  durable: Uint8Array;
}

type Names = ReadonlyMap<string, Inode>;

export class MemoryDisk implements LogDisk {
  /** The last is how things look; the first is what a power cut leaves for sure. */
  #names: Names[] = [new Map()];
  /** Operations until everything fails. */
  fuel: number = Number.POSITIVE_INFINITY;
  /** Operations so far. */
  used = 0;
  /** Called before each operation with its name. */
  watch: (operation: string) => void = () => undefined;

  static with(name: string, bytes: Uint8Array): MemoryDisk {
    const disk = new MemoryDisk();
    disk.#names = [new Map([[name, { bytes, durable: bytes }]])];
    return disk;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    return this.#current.get(name)?.bytes.slice();
  }

  async create(name: string): Promise<LogFile> {
    await this.#spend("create");
    const inode: Inode = { bytes: new Uint8Array(0), durable: new Uint8Array(0) };
    this.#rename((names) => names.set(name, inode));
    return this.#file(inode);
  }

  async open(name: string, length: number): Promise<LogFile> {
    await this.#spend("open");
    const inode = this.#current.get(name);
    if (inode === undefined) throw new Error(`no ${name}`);
    inode.bytes = inode.bytes.slice(0, length);
    return this.#file(inode);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#spend("rename");
    this.#rename((names) => {
      const inode = names.get(from);
      if (inode === undefined) throw new Error(`no ${from}`);
      names.delete(from);
      names.set(to, inode);
    });
  }

  async remove(name: string): Promise<void> {
    await this.#spend("remove");
    this.#rename((names) => names.delete(name));
  }

  async syncNames(): Promise<void> {
    await this.#spend("syncNames");
    this.#names = [this.#current];
  }

  /** What is there when the power is back. */
  afterPowerCut(prng: Prng): MemoryDisk {
    const names = this.#names[prng.below(this.#names.length)] as Names;
    const disk = new MemoryDisk();
    const left = [...names].map(([name, inode]): [string, Inode] => {
      const bytes = arrived(inode, prng);
      return [name, { bytes, durable: bytes }];
    });
    disk.#names = [new Map(left)];
    return disk;
  }

  /** What is there when only the process was killed: the system still has all, but no more of it is durable. */
  afterKill(): MemoryDisk {
    const copies = new Map<Inode, Inode>();
    const copyOf = (inode: Inode): Inode => {
      const copy = copies.get(inode) ?? { ...inode };
      copies.set(inode, copy);
      return copy;
    };
    const disk = new MemoryDisk();
    disk.#names = this.#names.map((names) => new Map([...names].map(([name, inode]) => [name, copyOf(inode)])));
    return disk;
  }

  names(): readonly string[] {
    return [...this.#current.keys()].sort();
  }

  get #current(): Names {
    return this.#names.at(-1) as Names;
  }

  #rename(change: (names: Map<string, Inode>) => void): void {
    const next = new Map(this.#current);
    change(next);
    this.#names.push(next);
  }

  async #spend(operation: string): Promise<void> {
    this.watch(operation);
    await undefined;
    if (this.used >= this.fuel) throw new Error(`the disk failed at ${operation}`);
    this.used++;
  }

  #file(inode: Inode): LogFile {
    return {
      append: async (bytes) => {
        await this.#spend("append");
        const whole = new Uint8Array(inode.bytes.length + bytes.length);
        whole.set(inode.bytes);
        whole.set(bytes, inode.bytes.length);
        inode.bytes = whole;
      },
      sync: async () => {
        await this.#spend("sync");
        inode.durable = inode.bytes;
      },
      close: async () => undefined,
    };
  }
}

function arrived({ bytes, durable }: Inode, prng: Prng): Uint8Array {
  const isShorter = bytes.length <= durable.length;
  // A cut that was not synced has happened or not.
  if (isShorter) return (prng.below(2) === 0 ? bytes : durable).slice();
  const left = bytes.slice(0, durable.length + prng.below(bytes.length - durable.length + 1));
  for (let at = durable.length; at < left.length; ) {
    const end = Math.min(left.length, (Math.floor(at / SECTOR) + 1) * SECTOR);
    if (prng.below(3) === 0) left.fill(0, at, end);
    at = end;
  }
  return left;
}
