/**
 * Where passwords come from: a file, a line of standard input, or a person at a terminal, who does not see them. Never
 * the command line, which other users of the machine can read.
 */
import { readFile } from "node:fs/promises";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { CodedError } from "../../base/errors.ts";

/** process.stdin is one. */
export interface PasswordInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

export interface PasswordTerminal {
  readonly input: PasswordInput;
  /** Where questions go: not to the output, which may be a pipe. */
  ask(text: string): void;
}

const BACKSPACE: readonly string[] = ["\b", "\u007f"];
const END: readonly string[] = ["\r", "\n", "\u0004"];
const INTERRUPT = "\u0003";

export class PasswordReader {
  readonly #terminal: PasswordTerminal;
  #lines: { readonly reader: Interface; readonly iterator: AsyncIterator<string> } | undefined;

  constructor(terminal: PasswordTerminal = { input: process.stdin, ask: (text) => void process.stderr.write(text) }) {
    this.#terminal = terminal;
  }

  /** Throws PASSWORD_MISSING or PASSWORD_INTERRUPTED. */
  async read(question: string, file: string | undefined): Promise<string> {
    const password = await this.#readRaw(question, file);
    if (password !== "") return password;
    throw new CodedError("PASSWORD_MISSING", "there is no password", {
      hint: "Type it when asked, give a file with --password-file, or write it to standard input.",
    });
  }

  /** Asks a person twice. Throws PASSWORD_MISMATCH, too. */
  async readNew(question: string, file: string | undefined): Promise<string> {
    const password = await this.read(question, file);
    if (file !== undefined || !this.#isTerminal) return password;
    if ((await this.read("Once more: ", undefined)) === password) return password;
    throw new CodedError("PASSWORD_MISMATCH", "the two passwords differ", { hint: "Try again." });
  }

  close(): void {
    this.#lines?.reader.close();
  }

  get #isTerminal(): boolean {
    const { input } = this.#terminal;
    return input.isTTY === true && input.setRawMode !== undefined;
  }

  async #readRaw(question: string, file: string | undefined): Promise<string> {
    if (file !== undefined) return firstLine(await readFile(file, "utf8"));
    return this.#isTerminal ? this.#readUnseen(question) : this.#readLine();
  }

  /** Several passwords are several lines. */
  async #readLine(): Promise<string> {
    if (this.#lines === undefined) {
      const reader = createInterface({ input: this.#terminal.input });
      this.#lines = { reader, iterator: reader[Symbol.asyncIterator]() };
    }
    const { value, done } = await this.#lines.iterator.next();
    return done === true ? "" : value;
  }

  /** In raw mode the terminal shows nothing of what is typed, and the keys that end it are ours to handle. */
  async #readUnseen(question: string): Promise<string> {
    const { input, ask } = this.#terminal;
    ask(question);
    input.setRawMode?.(true);
    input.setEncoding("utf8");
    try {
      return await typedLine(input);
    } finally {
      input.setRawMode?.(false);
      ask("\n");
    }
  }
}

/** Up to the key that ends it. What was typed further is left for the next question. */
function typedLine(input: PasswordInput): Promise<string> {
  return new Promise((resolve, reject) => {
    const typed: string[] = [];
    const stop = (): void => {
      input.off("data", take);
      input.off("end", onEnd);
      input.pause();
    };
    const onEnd = (): void => {
      stop();
      resolve(typed.join(""));
    };
    const take = (text: string): void => {
      const keys = [...text];
      const last = keys.findIndex((key) => key === INTERRUPT || END.includes(key));
      for (const key of last < 0 ? keys : keys.slice(0, last)) {
        if (BACKSPACE.includes(key)) typed.pop();
        else if (!/\p{Cc}/u.test(key)) typed.push(key);
      }
      if (last < 0) return;
      // The first answer counts: after an interruption the one of `onEnd` says nothing any more.
      if (keys[last] === INTERRUPT) reject(interrupted());
      onEnd();
      const rest = keys.slice(last + 1).join("");
      if (rest !== "") input.unshift(rest);
    };
    input.on("data", take);
    input.on("end", onEnd);
    // A stream that was paused after the question before does not start by itself.
    input.resume();
  });
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}

function interrupted(): CodedError<"PASSWORD_INTERRUPTED"> {
  return new CodedError("PASSWORD_INTERRUPTED", "stopped while a password was asked for", {
    hint: "Nothing was changed.",
  });
}
