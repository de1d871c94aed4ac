/** One upload: a part on disk that grows at its end, hashed as it grows. It may stop at any time and go on later. */
import { type FileHandle, open, rm } from "node:fs/promises";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { StreamingAddress } from "../../program/streaming-address.ts";
import { agentError } from "../errors.ts";
import { BLOB_LIMITS } from "../limits.ts";

export interface UploadPlace {
  readonly address: Hex;
  /** Of the whole. */
  readonly bytes: number;
  readonly owner: string;
  readonly path: string;
}

interface UploadEnds {
  /** Takes the file at this path, which is whole and synced. */
  finish(path: string): Promise<void>;
  ended(): void;
}

export class BlobUpload {
  readonly address: Hex;
  readonly bytes: number;
  readonly owner: string;
  readonly path: string;
  readonly #ends: UploadEnds;
  #hash = new StreamingAddress();
  #file: FileHandle | undefined;

  constructor({ address, bytes, owner, path }: UploadPlace, ends: UploadEnds) {
    this.address = address;
    this.bytes = bytes;
    this.owner = owner;
    this.path = path;
    this.#ends = ends;
  }

  /** Bytes that are there: where the upload goes on. */
  get offset(): number {
    return this.#hash.length;
  }

  /** What an earlier attempt left is hashed again: only the disk knows how much of it is there. */
  async begin(): Promise<void> {
    this.#file = await open(this.path, "a+", 0o600);
    const { size } = await this.#file.stat();
    if (size > this.bytes) await this.restart();
    const piece = new Uint8Array(BLOB_LIMITS.pieceBytes);
    while (this.offset < Math.min(size, this.bytes)) {
      const { bytesRead } = await this.#file.read(piece, 0, piece.length, this.offset);
      if (bytesRead === 0) break;
      this.#hash.update(piece.subarray(0, bytesRead));
    }
  }

  async restart(): Promise<void> {
    this.#hash = new StreamingAddress();
    await this.#open().truncate(0);
  }

  /** Throws BLOB_TOO_LARGE for more than was announced. */
  async write(bytes: Uint8Array): Promise<void> {
    const file = this.#open();
    if (this.offset + bytes.length > this.bytes) {
      throw agentError("BLOB_TOO_LARGE", `more than the ${this.bytes} bytes that were announced`);
    }
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
      at += bytesWritten;
    }
    this.#hash.update(bytes);
  }

  get isComplete(): boolean {
    return this.offset === this.bytes;
  }

  /** Throws BLOB_MISMATCH when the bytes are others than the address names; the part is gone then. */
  async finish(): Promise<void> {
    assert(this.isComplete, "all bytes have come");
    if (bytesToHex(this.#hash.address()) !== this.address) {
      await this.abandon();
      throw agentError("BLOB_MISMATCH", "the bytes are not the ones that the address names", { address: this.address });
    }
    await this.#open().sync();
    await this.#close();
    try {
      await this.#ends.finish(this.path);
    } finally {
      this.#ends.ended();
    }
  }

  /** Keeps what is there, to go on later. */
  async suspend(): Promise<void> {
    await this.#close();
    this.#ends.ended();
  }

  async abandon(): Promise<void> {
    await this.#close();
    await rm(this.path, { force: true });
    this.#ends.ended();
  }

  #open(): FileHandle {
    assert(this.#file !== undefined, "the upload has begun and not ended");
    return this.#file;
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}
