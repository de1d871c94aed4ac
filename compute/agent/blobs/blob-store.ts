/**
 * Blobs on disk, by content address. A file appears under its name only when its bytes are hashed and synced, and is known
 * to the index only then; so a kill at any instant leaves whole blobs, and parts that can be resumed. The index is a
 * LevelDB, which also keeps a second process out.
 */
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { systemCodeOf } from "../../../base/errors.ts";
import { contentAddress } from "../../program/merkle.ts";
import { agentError } from "../errors.ts";
import { BLOB_LIMITS, type BlobLimits } from "../limits.ts";
import { isBlobAddress } from "./blob-address.ts";
import { type BlobEntry, BlobIndex } from "./blob-index.ts";
import { BlobUpload, type UploadPlace } from "./blob-upload.ts";

/** The operator's own, which no quota but the total holds back. */
export const OPERATOR = "";
/** What the operator's own blobs are pinned by. */
export const OWN_PIN = "own";

export interface BlobStoreOptions {
  readonly limits?: Partial<BlobLimits>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

type Level = ClassicLevel<string, string>;

interface StoredEntry {
  readonly bytes: number;
  readonly owner: string;
  readonly pins: readonly string[];
  readonly used: number;
}

export class BlobStore {
  readonly limits: BlobLimits;
  readonly #directory: string;
  readonly #level: Level;
  readonly #index: BlobIndex;
  readonly #now: () => number;
  /** Uploads under way, by owner and address. */
  readonly #uploads = new Map<string, BlobUpload>();
  /** Blobs that somebody reads now, which nothing removes. */
  readonly #readers = new Map<Hex, number>();
  /** Changes to the index happen one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(directory: string, level: Level, index: BlobIndex, limits: BlobLimits, now: () => number) {
    this.#directory = directory;
    this.#level = level;
    this.#index = index;
    this.limits = limits;
    this.#now = now;
  }

  /** Throws BLOB_STORE when another process has the folder. */
  static async open(directory: string, options: BlobStoreOptions = {}): Promise<BlobStore> {
    const limits = { ...BLOB_LIMITS, ...options.limits };
    await mkdir(join(directory, "parts"), { recursive: true, mode: 0o700 });
    await mkdir(join(directory, "data"), { recursive: true, mode: 0o700 });
    const level = await openLevel(join(directory, "index"));
    const store = new BlobStore(directory, level, new BlobIndex(limits), limits, options.now ?? Date.now);
    await store.#recover();
    return store;
  }

  async close(): Promise<void> {
    for (const upload of this.#uploads.values()) await upload.suspend();
    await this.#turn;
    await this.#level.close();
  }

  /** Files without an entry are from a kill before they were acknowledged; entries without a file cannot be. */
  async #recover(): Promise<void> {
    const found: BlobEntry[] = [];
    for await (const [address, text] of this.#level.iterator()) {
      found.push({ address: address as Hex, ...(JSON.parse(text) as StoredEntry) });
    }
    for (const entry of found.sort((a, b) => a.used - b.used)) this.#index.set(entry);
    for (const folder of await readdir(join(this.#directory, "data"))) {
      for (const name of await readdir(join(this.#directory, "data", folder))) {
        const known = isBlobAddress(name) ? this.#index.get(name) : undefined;
        if (known === undefined) await rm(join(this.#directory, "data", folder, name), { force: true });
      }
    }
    await this.#dropOldParts();
  }

  /** Those that are too old, and of the others the oldest beyond what may wait. */
  async #dropOldParts(): Promise<void> {
    const folder = join(this.#directory, "parts");
    const busy = new Set([...this.#uploads.values()].map(({ path }) => path));
    const parts: { readonly path: string; readonly size: number; readonly mtimeMs: number }[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
      if (!busy.has(path)) parts.push({ path, size, mtimeMs });
    }
    let bytes = 0;
    for (const [position, { path, size, mtimeMs }] of parts.sort((a, b) => b.mtimeMs - a.mtimeMs).entries()) {
      bytes += size;
      const tooMany = position >= this.limits.parts || bytes > this.limits.partBytes;
      if (tooMany || this.#now() - mtimeMs > this.limits.partMilliseconds) await rm(path, { force: true });
    }
  }

  get bytes(): number {
    return this.#index.bytes;
  }

  /** All of them, those used last at the end. */
  entries(): IterableIterator<BlobEntry> {
    return this.#index.entries();
  }

  entry(address: Hex): BlobEntry | undefined {
    return this.#index.get(address);
  }

  has(address: Hex): boolean {
    return this.#index.get(address) !== undefined;
  }

  #pathOf(address: Hex): string {
    return join(this.#directory, "data", address.slice(2, 4), address);
  }

  #partPath(address: Hex, owner: string): string {
    return join(this.#directory, "parts", partName(owner, address));
  }

  /** How many bytes of an upload that stopped are here. */
  async partial(address: Hex, owner: string): Promise<number> {
    return (await stat(this.#partPath(address, owner)).catch(() => ({ size: 0 }))).size;
  }

  /** All of it; undefined when it is not here. */
  async read(address: Hex): Promise<Uint8Array | undefined> {
    const entry = this.#index.get(address);
    if (entry === undefined) return undefined;
    const contents = new Uint8Array(entry.bytes);
    let at = 0;
    for await (const piece of this.pieces(address, 0, entry.bytes)) {
      contents.set(piece, at);
      at += piece.length;
    }
    return contents;
  }

  /** Bytes `start` to before `end`, piece by piece. Nothing removes the blob meanwhile. */
  async *pieces(address: Hex, start: number, end: number): AsyncGenerator<Uint8Array> {
    this.#readers.set(address, (this.#readers.get(address) ?? 0) + 1);
    try {
      this.#touch(address);
      const file = await open(this.#pathOf(address), "r");
      try {
        for (let at = start; at < end; ) {
          const piece = new Uint8Array(Math.min(this.limits.pieceBytes, end - at));
          const { bytesRead } = await file.read(piece, 0, piece.length, at);
          if (bytesRead === 0) throw agentError("BLOB_STORE", `blob ${address} was cut short on disk`);
          yield piece.subarray(0, bytesRead);
          at += bytesRead;
        }
      } finally {
        await file.close();
      }
    } finally {
      const left = (this.#readers.get(address) ?? 1) - 1;
      if (left === 0) this.#readers.delete(address);
      else this.#readers.set(address, left);
    }
  }

  #touch(address: Hex): void {
    const entry = this.#index.get(address);
    if (entry !== undefined) this.#index.set({ ...entry, used: this.#now() });
  }

  /**
   * Begins or resumes an upload of `bytes` bytes. Throws BLOB_TOO_LARGE, BLOB_QUOTA or BLOB_BUSY. An upload is nobody
   * else's: what one owner sends cannot spoil what another sends under the same address.
   */
  async upload(address: Hex, bytes: number, owner: string): Promise<BlobUpload> {
    if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > this.limits.blobBytes) {
      throw agentError("BLOB_TOO_LARGE", `a blob has at most ${this.limits.blobBytes} bytes`, { bytes });
    }
    const key = `${owner}/${address}`;
    const own = [...this.#uploads.values()].filter((upload) => upload.owner === owner);
    if (this.#uploads.has(key)) throw agentError("BLOB_BUSY", "an upload of this blob is under way", { address });
    if (this.#uploads.size >= this.limits.uploads || own.length >= this.limits.ownerUploads) {
      throw agentError("BLOB_BUSY", "too many uploads are under way", { hint: "Try again in a while." });
    }
    const place: UploadPlace = {
      address,
      bytes,
      owner,
      path: this.#partPath(address, owner),
    };
    const upload: BlobUpload = new BlobUpload(place, {
      finish: (path) => this.#finish(place, path),
      // By then the next one may have begun.
      ended: () => void (this.#uploads.get(key) === upload && this.#uploads.delete(key)),
    });
    this.#uploads.set(key, upload);
    try {
      await this.#makeRoom(place);
      await upload.begin();
      return upload;
    } catch (error) {
      this.#uploads.delete(key);
      throw error;
    }
  }

  /** Uploads reserve their whole length, so that two cannot both take the last of the room. */
  #makeRoom({ address, bytes, owner }: UploadPlace): Promise<void> {
    return this.#exclusively(async () => {
      const others = [...this.#uploads.values()].filter(
        (upload) => upload.address !== address || upload.owner !== owner,
      );
      const sum = (some: readonly BlobUpload[]): number => some.reduce((all, upload) => all + upload.bytes, 0);
      const reserved = { owner: sum(others.filter((upload) => upload.owner === owner)), all: sum(others) };
      for (const gone of this.#index.roomFor(owner, bytes, reserved)) await this.#remove(gone);
      await this.#dropOldParts();
    });
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** The part is complete, hashed and synced. */
  #finish({ address, bytes, owner }: UploadPlace, part: string): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#index.get(address) !== undefined) {
        await rm(part, { force: true });
        return;
      }
      const path = this.#pathOf(address);
      const folder = join(this.#directory, "data", address.slice(2, 4));
      if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) {
        await syncFolder(join(this.#directory, "data"));
      }
      await rename(part, path);
      await syncFolder(folder);
      await this.#write({ address, bytes, owner, pins: [], used: this.#now() });
    });
  }

  async #write(entry: BlobEntry): Promise<void> {
    const { address, ...stored } = entry;
    await this.#level.put(address, JSON.stringify(stored satisfies StoredEntry), { sync: true });
    this.#index.set(entry);
  }

  async #remove(address: Hex): Promise<void> {
    if (this.#readers.has(address)) return;
    await this.#level.del(address, { sync: true });
    this.#index.delete(address);
    await rm(this.#pathOf(address), { force: true });
  }

  /** Contents that are already here, at the operator's cost. */
  async put(contents: Uint8Array, pin?: string): Promise<Hex> {
    const address = bytesToHex(contentAddress(contents));
    if (!this.has(address)) await this.#store(address, contents);
    if (pin !== undefined) await this.pin(address, pin);
    return address;
  }

  async #store(address: Hex, contents: Uint8Array): Promise<void> {
    const upload = await this.upload(address, contents.length, OPERATOR);
    try {
      if (upload.offset > 0) await upload.restart();
      for (let at = 0; at < contents.length; at += this.limits.pieceBytes) {
        await upload.write(contents.subarray(at, at + this.limits.pieceBytes));
      }
      await upload.finish();
    } catch (error) {
      await upload.abandon();
      throw error;
    }
  }

  /** Keeps the blob for as long as the pin is there. Throws BLOB_ABSENT or BLOB_QUOTA. */
  pin(address: Hex, name: string): Promise<void> {
    return this.#exclusively(async () => {
      const entry = this.#index.get(address);
      if (entry === undefined) throw agentError("BLOB_ABSENT", `blob ${address} is not here`, { address });
      if (entry.pins.includes(name)) return;
      if (entry.pins.length >= this.limits.pins || name.length > this.limits.pinName) {
        throw agentError("BLOB_QUOTA", "a blob has only so many pins, with short names", { address });
      }
      await this.#write({ ...entry, pins: [...entry.pins, name], used: this.#now() });
    });
  }

  /** Without effect when it is not pinned by that name. */
  unpin(address: Hex, name: string): Promise<void> {
    return this.#exclusively(async () => {
      const entry = this.#index.get(address);
      if (entry?.pins.includes(name) !== true) return;
      await this.#write({ ...entry, pins: entry.pins.filter((pin) => pin !== name) });
    });
  }

  /** Removes what nobody pinned or used for long, and uploads that nobody went on with. Says how many bytes that was. */
  collect(): Promise<number> {
    return this.#exclusively(async () => {
      let freed = 0;
      for (const { address, bytes, used } of [...this.#index.loose()]) {
        if (this.#now() - used <= this.limits.keptMilliseconds || this.#readers.has(address)) continue;
        await this.#remove(address);
        freed += bytes;
      }
      await this.#dropOldParts();
      return freed;
    });
  }
}

/** Owners are any text; a file's name is not. */
function partName(owner: string, address: Hex): string {
  return `${bytesToHex(contentAddress(new TextEncoder().encode(owner))).slice(2, 18)}-${address}`;
}

async function openLevel(location: string): Promise<Level> {
  const level: Level = new ClassicLevel(location);
  try {
    await level.open();
    return level;
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (systemCodeOf(cause) !== "LEVEL_LOCKED") throw cause;
    throw agentError("BLOB_STORE", `another process has the blobs in ${location} open`, {
      hint: "Stop that process first, or give this one another folder.",
    });
  }
}

/** Names that were made or changed in it are durable afterwards. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
