/** One line at the end of a terminal that is drawn anew while other lines pass above it. */

export interface TextOutput {
  write(text: string): unknown;
}

const CLEAR = "\r\u001b[K";

export class StatusLine {
  readonly #output: TextOutput;
  #shown = "";

  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** Nothing removes the line. */
  show(text: string): void {
    if (text === this.#shown) return;
    this.#output.write(`${CLEAR}${text}`);
    this.#shown = text;
  }

  /** Whole lines, above the status. */
  write(lines: string): void {
    this.#output.write(this.#shown === "" ? lines : `${CLEAR}${lines}${this.#shown}`);
  }
}
