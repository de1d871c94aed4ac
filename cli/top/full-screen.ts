/** A terminal's other screen, taken for a while and given back whatever happens. */
import type { ScreenSize } from "./screen.ts";

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const INTERRUPT = "\u0003";

export class FullScreen {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #onKey: (text: string) => void;

  /** `onQuit` when somebody presses q or Ctrl-C, which raw mode would keep from the process. */
  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, onQuit: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onKey = (text) => {
      if (text.includes("q") || text.includes(INTERRUPT)) onQuit();
    };
    output.write(ENTER);
    input.setRawMode?.(true);
    input.setEncoding("utf8");
    input.on("data", this.#onKey);
    input.resume();
  }

  get size(): ScreenSize {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** Line by line over what was there, so that nothing flickers. */
  draw(lines: readonly string[]): void {
    this.#output.write(`${HOME}${lines.map((line) => `${line}${CLEAR_LINE}`).join("\r\n")}`);
  }

  close(): void {
    this.#input.off("data", this.#onKey);
    this.#input.setRawMode?.(false);
    this.#input.pause();
    this.#output.write(LEAVE);
  }
}
