/** A log that begins a new file when the old one is large, and keeps one old one. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const MAX_BYTES = 32 * 1024 * 1024;

export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number;
  #bytes: number;

  constructor(path: string, maxBytes: number = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, "a");
    this.#bytes = fstatSync(this.#file).size;
  }

  /** Written before it returns: what a process says last is what one looks for. */
  write(text: string): void {
    if (this.#bytes > this.#maxBytes) this.#begin();
    this.#bytes += writeSync(this.#file, text);
  }

  close(): void {
    closeSync(this.#file);
  }

  #begin(): void {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.old`);
    this.#file = openSync(this.#path, "a");
    this.#bytes = 0;
  }
}
