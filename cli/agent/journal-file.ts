/**
 * A journal in one file: each record with its length and a checksum, synced before it counts. A crash can leave the last
 * record unfinished, which was then never acknowledged; anything else that is wrong is damage.
 */
import { type FileHandle, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { CodedError, systemCodeOf } from "../../base/errors.ts";
import { oneByOne } from "../../base/one-by-one.ts";
import type { JournalPort } from "../../compute/agent/ports.ts";
import { MAX_JOURNAL_BYTES, MAX_RECORD_BYTES } from "./limits.ts";

const HEAD = 8;

export class JournalFile implements JournalPort {
  readonly #path: string;
  #file: FileHandle | undefined;
  #isClosed = false;
  /** Bytes of whole records. */
  #end = 0;
  /** One write after the other: each begins where the last one ended. */
  readonly #inTurn = oneByOne();

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws JOURNAL_DAMAGED. */
  async load(): Promise<readonly Uint8Array[]> {
    const bytes = await readFile(this.#path).catch((error: unknown) => {
      if (systemCodeOf(error) === "ENOENT") return new Uint8Array(0);
      throw error;
    });
    const { records, end } = readRecords(bytes, this.#path);
    this.#end = end;
    return records;
  }

  append(record: Uint8Array): Promise<void> {
    return this.#inTurn(() => this.#append(record));
  }

  replace(records: readonly Uint8Array[]): Promise<void> {
    return this.#inTurn(() => this.#replace(records));
  }

  async #append(record: Uint8Array): Promise<void> {
    this.#checkOpen();
    const frame = frameOf(record);
    if (this.#end + frame.length > MAX_JOURNAL_BYTES) {
      throw new CodedError("JOURNAL_FULL", `${this.#path} has as much as a journal may have`);
    }
    const file = await this.#open();
    await file.write(frame, 0, frame.length, this.#end);
    await file.datasync();
    this.#end += frame.length;
  }

  async #replace(records: readonly Uint8Array[]): Promise<void> {
    this.#checkOpen();
    const fresh = `${this.#path}.new`;
    const bytes = Buffer.concat(records.map(frameOf));
    const file = await open(fresh, "w", 0o600);
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    await this.#file?.close();
    this.#file = undefined;
    await rename(fresh, this.#path);
    await syncFolder(dirname(this.#path));
    this.#end = bytes.length;
  }

  /** For good: somebody else may have the file now. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#inTurn(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new CodedError("JOURNAL_CLOSED", `${this.#path} is closed`);
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    const file = await open(this.#path, "r+", 0o600).catch(async (error: unknown) => {
      if (systemCodeOf(error) !== "ENOENT") throw error;
      return await open(this.#path, "w+", 0o600);
    });
    // What a crash left unfinished must not lie behind the next record.
    await file.truncate(this.#end);
    await syncFolder(dirname(this.#path));
    this.#file = file;
    return file;
  }
}

function frameOf(record: Uint8Array): Uint8Array {
  if (record.length > MAX_RECORD_BYTES) {
    throw new CodedError("JOURNAL_RECORD", `a record has at most ${MAX_RECORD_BYTES} bytes`);
  }
  const frame = new Uint8Array(HEAD + record.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, record.length);
  view.setUint32(4, crc32(record));
  frame.set(record, HEAD);
  return frame;
}

function readRecords(
  bytes: Uint8Array,
  path: string,
): { readonly records: readonly Uint8Array[]; readonly end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Uint8Array[] = [];
  let at = 0;
  while (at + HEAD <= bytes.length) {
    const length = view.getUint32(at);
    const end = at + HEAD + length;
    if (end > bytes.length) break;
    const record = Uint8Array.from(bytes.subarray(at + HEAD, end));
    if (crc32(record) !== view.getUint32(at + 4)) {
      // The last one may have been cut short by a crash, in parts of the disk that then read as zeros.
      if (end === bytes.length) break;
      throw new CodedError("JOURNAL_DAMAGED", `${path} is damaged at byte ${at}`, {
        hint: "The disk may be failing. Move the file away to go on without what it had: seals that it hid are lost.",
      });
    }
    records.push(record);
    at = end;
  }
  return { records, end: at };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync();
  await folder.close();
}
